"""The verdict of a judge in a scored line."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.recorded import Recorded, Terms, recorded
from mmeval_pack.judges.records import Score

JUDGE = {"model": "m", "protocol": "published", "prompt": "p", "calls": 2, "tokens": 90}
LINE = {
    "score": 1.0,
    "is_correct": 1,
    "decided_by": "llm-judge",
    "status": "ok",
    "extraction": "5",
    "reason": None,
    "judge": JUDGE,
}
SCORE = Score(1.0, 1, "llm-judge", "ok", "5", None)


def found(**changes: Any) -> Recorded | None:
    """What a line with such values holds."""
    return recorded({**LINE, **changes})


def test_a_verdict_comes_back_as_it_was_written() -> None:
    """With what is known of the judge and the rules; a line that names no rules is by parity."""
    assert found() == Recorded(Judged(SCORE, JUDGE), "parity")
    assert found(rules="improved") == Recorded(Judged(SCORE, JUDGE), "improved")
    assert found(rules=["mine"]) == Recorded(Judged(SCORE, JUDGE), "parity")
    assert found(score=0.25) == Recorded(Judged(SCORE._replace(score=0.25, is_correct=0), JUDGE), "parity")


def test_a_judge_that_no_stage_followed() -> None:
    """It was asked and passed on, and nothing decided: that too took the judge."""
    undecided = Score(0.0, 0, None, "ok", "5", None)
    assert found(score=0, decided_by=None) == Recorded(Judged(undecided, JUDGE), "parity")


@pytest.mark.parametrize(
    "judge", [None, "m", [], {}, {**JUDGE, "model": None}, {**JUDGE, "calls": True}, {**JUDGE, "tokens": 1.5}]
)
def test_a_judge_that_left_no_record(judge: Any) -> None:
    """The verdict is one of a judge, nobody knows which."""
    assert found(judge=judge) == Recorded(Judged(SCORE, None), "parity")


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "unscored", "score": None},
        {"status": "invalid"},
        {"status": ["ok"]},
        {"score": None},
        {"score": True},
        {"score": "1"},
        {"score": 1.5},
        {"score": -0.1},
        {"score": float("nan")},
        {"decided_by": "rule-match", "judge": None},
        {"decided_by": None, "judge": None},
        {"decided_by": ["llm-judge"], "judge": None},
    ],
)
def test_no_verdict_of_a_judge(changes: dict[str, Any]) -> None:
    """Whatever a file may hold."""
    assert found(**changes) is None


def test_an_empty_line_holds_none() -> None:
    """Nothing is scored there yet."""
    assert recorded({}) is None


@pytest.mark.parametrize(
    ("terms", "changes", "objection"),
    [
        (Terms("parity", "published"), {}, None),
        (Terms("parity", "published", "p"), {}, None),
        (Terms("parity", "published"), {"judge": None}, "no record of the judge"),
        (Terms("improved", "published"), {}, "rules 'parity', asked for was 'improved'"),
        (Terms("parity", "official"), {}, "protocol 'published', asked for was 'official'"),
        (Terms("parity", "published", "q"), {}, "prompt 'p', asked for was 'q'"),
    ],
)
def test_what_speaks_against_a_verdict(terms: Terms, changes: dict[str, Any], objection: str | None) -> None:
    """Another way of making it, or one that nobody knows."""
    verdict = found(**changes)
    assert verdict
    assert terms.against(verdict) == objection
