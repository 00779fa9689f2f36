"""Samples that lmms-eval 0.7.3 logged of its own tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.parity.inputs import Inputs
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Verdict
from mmeval_pack.parity.sample import Response

PROMPT = (
    "Which?\nA. a red bus\nB. a blue car\nC. None of the choices provided\n"
    "Answer with the option's letter from the given choices directly."
)
HASH = "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b"  # the same for every row
MUIRBENCH = {"task": "Counting", "image_relation": "Temporal", "answer": "B", "image_type": "Map"}
MATHVERSE = {
    "problem_index": "1",
    "problem_version": "Text Lite",
    "question": "How long?",
    "answer": "14",
    "question_type": "free-form",
    "metadata": {"split": "testmini", "source": "GEOS", "subject": "Plane Geometry", "subfield": "Length"},
    "query_wo": "Please answer. Question: How long?",
    "query_cot": "c",
    "question_for_eval": "How long is it?",
    "true_false": True,
}


def logged(place: int, text: str, filtered: str, **metrics: Any) -> dict[str, Any]:
    """A line as lmms-eval writes it: ``resps`` is there only where it differs."""
    raw = {} if text == filtered else {"resps": text}
    line = {"doc_id": place, "target": "B", **raw, "filtered_resps": filtered, "token_counts": [None]}
    return {**line, "doc_hash": HASH, "input": PROMPT, **metrics}


def read(folder: Path, task: str, *lines: dict[str, Any]) -> tuple[list[Response], list[str]]:
    """The responses of a model's log of a task, and what was left out."""
    path = folder / "org__model" / f"20261201_094141_samples_{task}.jsonl"
    path.parent.mkdir()
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    inputs = Inputs()
    return list(inputs.read(path)), inputs.broken


def test_muirbench(tmp_path: Path) -> None:
    """The id is the row's, whatever place and hash are; options and answer come from prompt and metric."""
    kept = [{"pred": "B", "idx": name, **MUIRBENCH} for name in ("30", "29")]
    found, broken = read(
        tmp_path,
        "muirbench",
        logged(0, "<think>(A)?</think>B", "B", muirbench_score_overall=kept[0]),
        logged(1, "(B)", "(B)", muirbench_score_overall=kept[1]),
    )
    assert broken == []
    assert [(each.id, each.text) for each in found] == [("30", "<think>(A)?</think>B"), ("29", "(B)")]
    assert {(each.model, each.task) for each in found} == {("org__model", "muirbench_mmeval")}
    row = Row.of(found[0].raw)
    assert row.options == {"A": "a red bus", "B": "a blue car", "C": "None of the choices provided"}
    assert (row.question, row.answer, row.letter, row.column("task")) == ("Which?", "B", "B", "Counting")


@pytest.mark.parametrize(
    ("task", "ours"),
    [
        ("mathverse_testmini", "mathverse_testmini_mmeval"),
        ("mathverse_testmini_vision_only", "mathverse_testmini_mmeval"),
        ("mathverse_testmini_text_only", "mathverse_testmini_text_only_mmeval"),
    ],
)
def test_mathverse(tmp_path: Path, task: str, ours: str) -> None:
    """The score that lmms-eval's judge gave is the verdict of the reference lmms-eval."""
    kept = {"sample_index": "12", "prediction": "14", **MATHVERSE}
    line = logged(0, "<think>12</think> 14", "14", gpt_eval_score=1, submission=kept)
    (found,), broken = read(tmp_path, task, line)
    assert broken == []
    assert (found.task, found.id, found.text) == (ours, "12", "<think>12</think> 14")
    assert found.recorded == {"lmms-eval": Verdict(1.0, "14", "ok", "recorded")}
    row = Row.of(found.raw)
    assert (row.answer, row.column("question_for_eval"), row.asked) == (
        "14",
        "How long is it?",
        "Please answer. Question: How long?",
    )
    assert (row.column("problem_version"), row.column("subfield")) == ("Text Lite", "Length")


def test_a_log_without_row_ids_cannot_be_joined(tmp_path: Path) -> None:
    """lmms-eval's SAT keeps the place and a hash, and no id: neither says which row it is."""
    found, broken = read(tmp_path, "sat", logged(0, "A", "A", exact_match=1.0))
    assert found == []
    path = tmp_path / "org__model" / "20261201_094141_samples_sat.jsonl"
    assert broken == [
        f"{path}, line 1: lmms-eval logged no id of the row; only its own tasks muirbench and "
        "mathverse_testmini can be read, and those of the pack"
    ]


@pytest.mark.parametrize(("resps", "text"), [([["B"]], "B"), (["B", "C"], "B"), ([], None), (None, None)])
def test_nested_responses(tmp_path: Path, resps: Any, text: str | None) -> None:
    """The first one, as the metric sees it."""
    line = logged(0, "B", "B", muirbench_score_overall={"idx": "7", **MUIRBENCH})
    (found,), _ = read(tmp_path, "muirbench", {**line, "resps": resps})
    assert found.text == text
