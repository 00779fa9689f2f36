"""What counts as the media of a row before a run."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.lmms_eval.check import check, lengths
from mmeval_pack.translators.prompt import Prompt

pa = pytest.importorskip("pyarrow")
IMAGE = {"bytes": b"png", "path": None}


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        ([[IMAGE], [], None, [IMAGE, IMAGE]], [1, 0, 0, 2]),
        ([[None], [IMAGE, None], [None, IMAGE], [IMAGE]], [0, 1, 0, 1]),
        ([["a.mp4", None, "b.mp4"], None, ["c.mp4"]], [1, 0, 1]),
        ([None, None], [0, 0]),
        ([[], []], [0, 0]),
        ([[None], [None, None]], [0, 0]),
        ([], []),
    ],
)
def test_media_count_up_to_the_first_null(media: list[Any], expected: list[int]) -> None:
    """What stands behind a null would be asked for in its place."""
    assert lengths(pa.chunked_array([pa.array(media)])) == expected
    split = [pa.array(part, pa.array(media).type) for part in (media[:1], media[1:])]
    assert lengths(pa.chunked_array(split)) == expected


@pytest.mark.parametrize("kind", ["large_list", "fixed_size_list"])
def test_all_kinds_of_lists(kind: str) -> None:
    """A file may have been written by anything."""
    wanted = pa.large_list(pa.string()) if kind == "large_list" else pa.list_(pa.string(), 2)
    media = [["a", "b"], None, ["c", None], [None, "d"]]
    assert lengths(pa.chunked_array([pa.array(media, wanted)])) == [2, 0, 1, 0]


def test_a_column_without_lists() -> None:
    """The message names what it holds."""
    with pytest.raises(InputError) as error:
        lengths(pa.chunked_array([pa.array(["a.png"])]))
    assert str(error.value) == "the column media holds string, expected lists"


def test_a_row_with_a_null_for_an_image_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is generated, not when the row's turn comes."""
    datasets = pytest.importorskip("datasets")
    messages = '[{"question": "<image>?"}]'
    data = datasets.Dataset.from_dict({"id": ["a"], "messages": [messages], "media": [[None]]})
    with pytest.raises(SystemExit):
        check("toy_mmeval", Prompt("{{ question }}"), data)
    assert capsys.readouterr().err == (
        "mmeval-pack: task toy_mmeval: 1 of 1 rows cannot be asked, so nothing is:\n"
        "  row 0, id 'a': 1 media tokens in the prompt, 0 media in the row\n"
    )
