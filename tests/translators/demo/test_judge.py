"""The judge of the demo: recorded replies, found by what is asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.mathverse_prompts import mathverse_prompts
from mmeval_pack.translators.demo.endpoint import Json, Request, completion, failure
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge, Replies
from mmeval_pack.translators.demo.sample import bundled

PACK = Path(__file__).resolve().parents[3] / "tasks"
PROMPTS = mathverse_prompts()
ROW = {"id": "1", "messages": json.dumps([{"role": "user", "question": "How many?"}]), "answer": "5"}
SCORE = {"question": "How many?", "reference": "5", "answer": "five"}


def asked(stage: str, text: str) -> Request:
    """A request as the client sends it."""
    return Request({"x-mmeval-stage": stage}, {"messages": [{"role": "user", "content": text}]})


def taught(*replies: Replies, row: dict[str, Any] = ROW) -> RecordedJudge:
    """A judge that knows one row and a response with reasoning."""
    judge = RecordedJudge()
    for each in replies:
        judge.learn(row, "<think>4?</think>five", each)
    return judge


def test_both_questions_are_found_by_their_text() -> None:
    """In any order, and also with a reminder behind them; the row's reasoning is not part of it."""
    judge = taught(Replies("five", "1"))
    score, extract = PROMPTS.score.filled(**SCORE), PROMPTS.extract.filled(response="five")
    assert judge(asked("score", score)) == completion("1", MODEL)
    assert judge(asked("score", f"{score}\n\n(Try 2 of 4. Reply.)")) == completion("1", MODEL)
    assert judge(asked("extract", extract)) == completion("five", MODEL)
    assert judge.unknown == []


def test_another_question_has_the_reply_that_is_wanted() -> None:
    """Where one is; it counts as unknown all the same."""
    judge = RecordedJudge("1")
    assert judge(asked("score", "What?")) == completion("1", MODEL)
    assert judge.unknown == ["What?"]


def test_a_recorded_failure_fails() -> None:
    """With a status that is worth another try."""
    judge = taught(Replies("five", None))
    assert judge(asked("score", PROMPTS.score.filled(**SCORE))) == failure(500, "no reply is recorded")
    assert judge.unknown == []


def test_a_question_about_no_row_is_kept() -> None:
    """So that the demo can say that it was asked."""
    judge = taught(Replies("five", "1"))
    answer = judge(asked("extract", PROMPTS.extract.filled(response="six")))
    assert isinstance(answer, Json)
    assert answer.status == 500
    assert judge.unknown == [PROMPTS.extract.filled(response="six")]


def test_the_probe_is_answered() -> None:
    """Whatever it says."""
    assert taught()(asked("judge", "Anyone there?")) == completion("1", MODEL)


def test_two_replies_to_one_question_are_refused() -> None:
    """None of them could be found by its text."""
    with pytest.raises(InputError, match="row '1': the judge's reply to the same question differs"):
        taught(Replies("five", "1"), Replies("five", "0"))


def test_a_judge_without_replies_is_none() -> None:
    """The demo then runs without."""
    assert not taught()
    assert taught(Replies("five", "1"))


def test_corrupted_replies_are_named(tmp_path: Path) -> None:
    """The file, the line and what would be right."""
    shutil.copytree(PACK / "mathverse", tmp_path / "mathverse")
    file = tmp_path / "mathverse" / "sample" / "mathverse_testmini_mmeval.judge.jsonl"
    file.write_text('{"id": "5", "extract": "70"}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        bundled(tmp_path)
    assert str(caught.value) == f'{file}, line 1: expected an object with "id", "extract" and "score"'
