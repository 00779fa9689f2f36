"""What has to be said beside an accuracy while samples lack a judge's verdict."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.asking import ASKING, caveat
from mmeval_pack.judges.records import UNJUDGED


def test_the_stages_that_ask() -> None:
    """Those that no function stands for."""
    assert {"llm-match", "llm-judge"} == ASKING


@pytest.mark.parametrize("reason", UNJUDGED)
def test_rules_alone(reason: str) -> None:
    """Whatever kept the judge from the others."""
    assert caveat({"rule-match": 3, "undecided": 7}, {reason: 7, "missing_answer": 1}, 11) == (
        "likely too high: it holds only for what rules settled (rules credit, they never decide a miss); "
        "7 of 11 samples lack a judge's verdict"
    )


def test_rules_and_some_verdicts() -> None:
    """It is not the rules alone then."""
    assert caveat({"exact-match": 3, "llm-judge": 2, "undecided": 1}, {"judge_budget": 1}, 6) == (
        "likely too high: it holds only for what rules and the judge settled (rules credit, they never "
        "decide a miss); 1 of 6 samples lacks a judge's verdict"
    )


@pytest.mark.parametrize(
    ("stages", "reasons"),
    [
        ({"rule-match": 3, "undecided": 7}, {}),
        ({"rule-match": 3, "undecided": 7}, {"generation_failed": 7}),
        ({"llm-judge": 3, "undecided": 7}, {"judge_failed": 7}),
        ({"undecided": 7}, {"no_judge": 7}),
        ({}, {}),
    ],
)
def test_nothing_has_to_be_said(stages: dict[str, int], reasons: dict[str, int]) -> None:
    """No sample lacks a verdict, or no rule took the easy ones out."""
    assert caveat(stages, reasons, 10) is None
