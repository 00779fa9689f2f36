"""What the launcher changes in the process: how predictions of an earlier run are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.vlmevalkit import launch, predictions

NASTY = ["", "None", "NA", "1.0", "007", "=1+1"]


@pytest.mark.parametrize("layout", ["tsv", "xlsx", "json"])
@pytest.mark.parametrize("ids", [["1", "2", "3", "4", "5", "6"], ["a", "b", "c", "d", "e", "f"]])
def test_predictions_of_the_packs_datasets_are_read_as_text(
    layout: str, ids: list[str], tmp_path: Path
) -> None:
    """With the index as the dataset has it; pandas would make nan and numbers of them."""
    pytest.importorskip("pandas")
    path = tmp_path / f"model_x_mmeval.{layout}"
    predictions.write(
        path, [{"index": name, "prediction": text} for name, text in zip(ids, NASTY, strict=True)]
    )
    load = launch._faithful(pytest.fail, ("_x_mmeval",))
    frame = load(str(path))
    assert list(frame["prediction"]) == NASTY
    assert list(frame["index"]) == ([1, 2, 3, 4, 5, 6] if ids[0] == "1" else ids)


@pytest.mark.parametrize("name", ["model_MMBench.tsv", "model_x_mmeval.pkl", "model_x_mmeval_PREV.pkl"])
def test_other_files_are_read_as_ever(name: str) -> None:
    """By VLMEvalKit."""
    seen: list[Any] = []
    launch._faithful(lambda *given: seen.append(given), ("_x_mmeval",))(name, "fmt")
    assert seen == [(name, "fmt")]
