"""A version of a framework that changes a verdict fails here.

``verdicts.jsonl`` holds what lmms-eval 0.7.3 and ms-vlmeval 0.0.20 said when they were imported whole and
their functions were called directly; a line is reference, benchmark, response, prediction and score.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from mmeval_pack.parity.references.verdict import Verdict

CHOICES = ["a green kite", "a brown dog", "left", "None of the choices provided"]
ANSWERS = {"MuirBench": "B", "SAT": CHOICES[1]}
RECORDED = [
    json.loads(line) for line in Path(__file__).with_name("verdicts.jsonl").read_text("utf-8").splitlines()
]


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        pytest.param("lmms-eval", "MuirBench", marks=pytest.mark.harness),
        pytest.param("lmms-eval", "SAT", marks=pytest.mark.harness),
        pytest.param("vlmevalkit-installed", "MuirBench", marks=pytest.mark.vlmevalkit),
    ],
)
def test_the_verdicts_are_those_of_the_pinned_version(
    ask: Callable[..., Verdict], name: str, benchmark: str
) -> None:
    """Each prediction and score, to the letter."""
    recorded = {
        response: (prediction, score)
        for reference, of, response, prediction, score in RECORDED
        if (reference, of) == (name, benchmark)
    }
    found = {
        response: (verdict.prediction, verdict.score)
        for response in recorded
        for verdict in [ask(name, benchmark, response, ANSWERS[benchmark], CHOICES)]
    }
    assert len(recorded) > 80
    assert {response: found[response] for response in recorded if found[response] != recorded[response]} == {}


@pytest.mark.vlmevalkit
def test_the_later_commit_differs_where_its_rule_applies_and_nowhere_else(
    ask: Callable[..., Verdict],
) -> None:
    """``answer is`` and a letter, where the installed heuristics find none."""
    differing = {}
    for name, _, response, prediction, _ in RECORDED:
        if name == "vlmevalkit-installed":
            later = ask("vlmevalkit", "MuirBench", response, "B", CHOICES).prediction
            if later != prediction:
                differing[response] = (prediction, later)
    assert differing == {
        "The answer is B, for it barks and runs": ("Z", "B"),
        "The answer is B, for it barks and runs about": ("Z", "B"),
    }
