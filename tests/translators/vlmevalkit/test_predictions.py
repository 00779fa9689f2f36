"""Prediction files: written and read, every text stays what it is."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmeval_pack.translators.vlmevalkit import predictions

NASTY = [
    "None",
    "NA",
    "n/a",
    "1.0",
    "007",
    "=1+1",
    "{=1}",
    "",
    " ",
    "a\tb\nc\r\nd",
    '"',
    "\x01",
    "é\u2028",
    "TRUE",
]


@pytest.mark.parametrize("layout", ["tsv", "xlsx", "json"])
def test_nasty_texts_survive(layout: str, tmp_path: Path) -> None:
    """In each format."""
    rows = [{"index": str(place), "prediction": text} for place, text in enumerate(NASTY)]
    predictions.write(tmp_path / f"p.{layout}", rows)
    assert predictions.read(tmp_path / f"p.{layout}") == rows


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(texts=st.lists(st.text(st.characters(codec="utf-8")), min_size=1, max_size=5))
def test_any_text_survives_tsv(texts: list[str], tmp_path: Path) -> None:
    """Whatever Unicode holds."""
    rows = [{"index": str(place), "prediction": text} for place, text in enumerate(texts)]
    predictions.write(tmp_path / "p.tsv", rows)
    assert predictions.read(tmp_path / "p.tsv") == rows


def test_xlsx_cuts_and_nothing_becomes_a_formula(tmp_path: Path) -> None:
    """A cell holds no more; readers of the file see text."""
    rows = [{"index": "1", "prediction": "=1+1", "long": "x" * 40_000, "score": None, "hit": 1}]
    predictions.write(tmp_path / "p.xlsx", rows)
    (line,) = predictions.read(tmp_path / "p.xlsx")
    assert line == {"index": "1", "prediction": "=1+1", "long": "x" * 32_767, "score": "", "hit": "1"}
    cell = openpyxl.load_workbook(tmp_path / "p.xlsx").active["B2"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")


def test_files_that_pandas_writes(tmp_path: Path) -> None:
    """As VLMEvalKit's own dump does."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("xlsxwriter")
    frame = pandas.DataFrame({"index": [1, 2], "prediction": ["=1+1", "None"]})
    frame.to_csv(tmp_path / "p.tsv", sep="\t", index=False, encoding="utf-8", quoting=1)
    frame.to_excel(tmp_path / "p.xlsx", index=False, engine="xlsxwriter")
    expected = [{"index": "1", "prediction": "=1+1"}, {"index": "2", "prediction": "None"}]
    for layout in ("tsv", "xlsx"):
        assert predictions.read(tmp_path / f"p.{layout}") == expected
