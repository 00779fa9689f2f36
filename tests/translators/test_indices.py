"""What stands in VLMEvalKit's column index."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.translators.indices import indices


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["1", "2", "30"], [1, 2, 30]),
        ([1, 2], [1, 2]),
        (["mb-01", "mb-02"], ["mb-01", "mb-02"]),
        (["007", "8"], ["0:007", "1:8"]),
        (["1", "1"], ["0:1", "1:1"]),
        (["a", "NA"], ["0:a", "1:NA"]),
        (["1", "b"], ["0:1", "1:b"]),
        (["1.0", ""], ["0:1.0", "1:"]),
        (["True", "None"], ["0:True", "1:None"]),
    ],
)
def test_ids_stand_for_themselves_where_they_can(ids: list[str], expected: list[object]) -> None:
    """Whole numbers, or texts that nothing takes for anything else; otherwise the place comes first."""
    assert indices(ids) == expected


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\r\x00"), max_size=6), max_size=6))
def test_they_are_unique_and_survive_pandas(ids: list[str]) -> None:
    """Written and read with its defaults, as VLMEvalKit does."""
    pandas = pytest.importorskip("pandas")
    found = indices(ids)
    assert len({*found}) == len(ids)
    if ids:
        text = pandas.DataFrame({"index": found}).to_csv(sep="\t", index=False, quoting=1)
        assert list(pandas.read_csv(io.StringIO(text), sep="\t")["index"]) == found
