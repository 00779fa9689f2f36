"""What the launcher changes in the process: how earlier predictions are read, and whose prompts are asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
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


@pytest.mark.parametrize("insists", [True, False])
def test_api_mode_asks_what_a_dataset_insists_on(insists: bool) -> None:
    """Other datasets are asked with the model's own prompt, as ever; the rest goes through."""
    dataset = SimpleNamespace(**({"force_use_dataset_prompt": True} if insists else {}))
    config = SimpleNamespace(dataset_obj=dataset, model_obj=SimpleNamespace(use_custom_prompt=lambda _: True))
    produce = launch._without_prompts_of_models(lambda *given: given)
    assert produce("pipeline", config, {}) == ("pipeline", config, {})
    assert config.model_obj.use_custom_prompt("x_mmeval") is not insists
