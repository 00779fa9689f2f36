"""Prediction and result files of VLMEvalKit, in each of its formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.parity.inputs import Inputs
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies, Verdict
from mmeval_pack.parity.sample import Response
from mmeval_pack.translators.vlmevalkit import predictions

MESSAGES = json.dumps([{"role": "user", "question": "Which way?", "choices": ["left", "right"]}])
SAMPLE = {"id": "real-1", "messages": MESSAGES, "answer": "left", "question_type": "perspective"}
# What mmeval-pack vlmevalkit writes: the question as it was asked, and the row in a column of its own.
OWN = {
    "index": "0",
    "question": "<image>Which way? Choose between the following options: left, or right.",
    "answer": "left",
    "mmeval": json.dumps({"task": "sat_real_mmeval", "id": "real-1", "sample": SAMPLE}),
    "prediction": "Left.",
}
MUIRBENCH = {"index": 7, "question": "Which?", "A": "cat", "B": "dog", "answer": "B", "prediction": "b"}
DRAWN = "Failed to predict, thus randomly generate one. "
MATHVERSE = {"index": 12, "question": "How long?", "answer": "14", "problem_version": "Text Lite"}


def read(path: Path, line: dict[str, Any]) -> Response:
    """The one response of a file."""
    predictions.write(path, [line])
    inputs = Inputs()
    found = list(inputs.read(path))
    assert inputs.broken == []
    assert len(found) == 1
    return found[0]


@pytest.fixture(params=predictions.SUFFIXES)
def suffix(request: pytest.FixtureRequest) -> str:
    """Each format."""
    if request.param == ".xlsx":
        pytest.importorskip("openpyxl")
    return str(request.param)


def test_the_packs_datasets(tmp_path: Path, suffix: str) -> None:
    """Task, id and row are those of the column ``mmeval``; the model is in the file's name."""
    found = read(tmp_path / f"org_model_sat_real_mmeval{suffix}", OWN)
    assert (found.model, found.task, found.id) == ("org_model", "sat_real_mmeval", "real-1")
    assert (found.raw, found.text) == (SAMPLE, "Left.")


def test_result_files_of_the_pack(tmp_path: Path, suffix: str) -> None:
    """A verdict of a judge is kept, one of a rule is had again."""
    graded = {**OWN, "hit": 1, "log": "Match Log: decided by llm-judge", "status": "ok", "extraction": "left"}
    path = tmp_path / f"m_sat_real_mmeval_gpt-4o-mini_result{suffix}"
    found = read(path, {**graded, "decided_by": "llm-judge", "reason": ""})
    assert (found.model, found.replies) == ("m", NO_REPLIES)
    assert found.recorded == {"mmeval": Verdict(1.0, "left", "ok", "recorded", {"decided_by": "llm-judge"})}
    assert read(path, {**graded, "decided_by": "rule-match", "reason": ""}).recorded == {}


def test_muirbench(tmp_path: Path, suffix: str) -> None:
    """VLMEvalKit's own dataset: the columns are the row, and the file's name says which task it is."""
    found = read(tmp_path / f"m_MUIRBench{suffix}", MUIRBENCH)
    assert (found.model, found.task, found.id, found.text) == ("m", "muirbench_mmeval", "7", "b")
    message = {"role": "user", "question": "Which?", "options": {"A": "cat", "B": "dog"}}
    assert (found.raw["messages"], found.raw["answer"]) == ([message], "B")


@pytest.mark.parametrize(
    ("log", "replies"),
    [
        ("Match Log: The answer is B. ", ("The answer is B",)),
        ("Match Log: b. ", ()),
        ("Match Log: Failed in Prefetch, no GPT-based answer matching under `exact_matching` policy.. ", ()),
        (f"Match Log: {DRAWN}. ", (DRAWN,)),
    ],
)  # fmt: skip
def test_what_the_judge_said_of_choices(
    tmp_path: Path, suffix: str, log: str, replies: tuple[str, ...]
) -> None:
    """The reply that named an option is logged; the note of a lot names none, and leads to one again."""
    found = read(tmp_path / f"m_MUIRBench_gpt-4o-mini_result{suffix}", {**MUIRBENCH, "hit": 0, "log": log})
    assert found.replies == Replies(judge=replies)


@pytest.mark.parametrize(("score", "right"), [(True, 1.0), (False, 0.0)])
def test_mathverse(tmp_path: Path, suffix: str, score: bool, right: float) -> None:
    """A score file has what was extracted, and the verdict that VLMEvalKit's judge made of it."""
    line = {**MATHVERSE, "prediction": "L = 14", "extract": "14 cm", "log_extract": "Succeed"}
    path = tmp_path / f"m_MathVerse_MINI_Text_Lite_gpt-4o-mini_score{suffix}"
    found = read(path, {**line, "score": score, "log_score": "Succeed"})
    assert (found.model, found.task, found.id) == ("m", "mathverse_testmini_mmeval", "12")
    assert found.replies == Replies(extract=("14 cm",))
    verdict = Verdict(right, "14 cm", "ok", "recorded")
    assert found.recorded == {"vlmevalkit": verdict, "vlmevalkit-installed": verdict}


def test_a_damaged_column_is_left_out_and_named(tmp_path: Path) -> None:
    """The others are read."""
    path = tmp_path / "m_sat_real_mmeval.tsv"
    predictions.write(path, [{**OWN, "mmeval": "{"}, {**OWN, "mmeval": '{"id": "1"}'}, OWN])
    inputs = Inputs()
    assert [each.id for each in inputs.read(path)] == ["real-1"]
    assert inputs.broken == [
        f"{path}, row 2: not JSON: Expecting property name enclosed in double quotes (column 2)",
        f"{path}, row 3: the column mmeval lacks task or sample; expected what mmeval-pack vlmevalkit wrote",
    ]
