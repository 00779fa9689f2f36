"""Each named reason: a sample that it holds of, and one that it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval_pack.parity.reasons import ABOUT, OTHER, REASONS, reasons_of
from mmeval_pack.parity.references.verdict import Verdict
from mmeval_pack.parity.sample import Sample

Case = dict[str, Any]

NONE = ["one", "two", "None of the choices provided"]
CRASH, HANG = Verdict(None, None, "crash", "IndexError"), Verdict(None, None, "hang", "loops_forever")
LOT = Verdict(0.25, "A", "random", "random_fallback")
ASKED = Verdict(0.0, "14", detail={"judge_calls": 1})
MATCHED = Verdict(1.0, "14", detail={"prefetch": True})
SIDES = ["left", "left and up"]
LONG = "14 " + "so " * 30
MATHS: Case = {"benchmark": "MathVerse", "answer": "14"}
SAT: Case = {"benchmark": "SAT", "answer": "left", "choices": ["left", "right"]}

CASES: dict[str, tuple[Case, Case]] = {
    "crash": ({"text": "answer:left", "official": CRASH}, {"text": "answer: left", "official": 1}),
    "hang": ({"text": "14", "official": HANG}, {"text": "14", "official": 1}),
    "generation-failed": ({"text": "[GENERATION_FAILED] 500"}, {"text": "generation failed"}),
    "reasoning-not-stripped": ({"text": "<think>(A)?</think>B"}, {"text": "I think B"}),
    "judge-any-1": (
        {"text": "10", **MATHS, "judge": ("0 (it said 10)",), "lmms_eval": 1},
        {"text": "10", **MATHS, "judge": ("1",), "lmms_eval": 1},
    ),
    "judge-reply-unread": (
        {"text": "14", **MATHS, "judge": ("Judgement: 1",), "vlmevalkit": 0},
        {"text": "14", "judge": ("Judgement: 1",), "vlmevalkit": 0},
    ),
    "truncated-tail": ({"text": LONG, **MATHS}, {"text": LONG + "14", **MATHS}),
    "judge-against-rule": (
        {"text": "14", **MATHS, "judge": ("Judgement: 0",), "mmeval": 1, "lmms_eval": ASKED},
        {"text": "14", **MATHS, "judge": ("Judgement: 0",), "mmeval": 1, "lmms_eval": 0},
    ),
    "equal-extraction": (
        {"text": "15", **MATHS, "vlmevalkit": MATCHED, "official": 0},
        {"text": "15", **MATHS, "vlmevalkit": MATCHED, "official": 1},
    ),
    "answer-is": (
        {"text": "answer is b", "vlmevalkit": 1, "vlmevalkit_installed": 0},
        {"text": "answer is B", "vlmevalkit": 1, "vlmevalkit_installed": 1},
    ),
    "none-option-lost": (
        {"text": "None of the choices", "answer": "C", "choices": NONE, "official": LOT},
        {"text": "None of the choices", "answer": "A", "choices": NONE, "official": LOT},
    ),
    "brackets-in-answer": (
        {"text": "lamp(1)", **SAT, "answer": "lamp(1)", "official": 0},
        {"text": "lamp", **SAT, "answer": "lamp", "official": 0},
    ),
    "special-case": (
        {"text": "1. left", **SAT, "official": Verdict(1.0, "left")},
        {"text": "Left ", **SAT, "official": Verdict(1.0, "left")},
    ),
    "article-A": (
        {"text": "A blue car", "official": Verdict(0.0, "A")},
        {"text": "A", "official": Verdict(0.0, "A")},
    ),
    "letter-for-text": ({"text": "A.", **SAT}, {"text": "A.", "answer": "A"}),
    "lower-case-letter": ({"text": "(b)"}, {"text": "(B)"}),
    "negated-letter": ({"text": "It isn't B"}, {"text": "It is B, not red"}),
    "boxed": ({"text": r"\boxed{B}"}, {"text": "boxed B"}),
    "bold-letter": ({"text": "It is **B**."}, {"text": "It is **blue**."}),
    "paren-letter": ({"text": "(B)"}, {"text": "B)"}),
    "paren-after-letter": ({"text": "B)"}, {"text": "(B)"}),
    "last-isolated-letter": ({"text": "A or B"}, {"text": "B"}),
    "several-letters": ({"text": "A/C"}, {"text": "ABOVE/C"}),
    "marks-around-letter": ({"text": "| B |"}, {"text": "| B or |"}),
    "other-script": ({"text": "\u7b54\u6848B"}, {"text": "\u03b1 \u2192 B"}),
    "first-word-letter": (
        {"text": "A lamp", **SAT, "lmms_eval": Verdict(1.0, "A")},
        {"text": "A", **SAT, "lmms_eval": Verdict(1.0, "A")},
    ),
    "letter-then-text": ({"text": "B. a blue car"}, {"text": "B."}),
    "answer-phrase": ({"text": "The answer is B"}, {"text": "The answer is blue"}),
    "letter-in-sentence": ({"text": "Plan B fits"}, {"text": "Big plans fit"}),
    "markup": ({"text": "<answer>B</answer>"}, {"text": "2 < 3"}),
    "trailing-mark": ({"text": "Left.", **SAT}, {"text": "Left", **SAT}),
    "nested-options": (
        {"text": "left and up", "choices": SIDES},
        {"text": "left", "choices": SIDES},
    ),
    "option-text": ({"text": "a blue car"}, {"text": "B: a blue car"}),
    "outer-white-space": ({"text": "B\n"}, {"text": "B b"}),
    "random-fallback": ({"text": "?", "official": LOT}, {"text": "?", "official": 0}),
    "whole-text-compared": (
        {"text": "So: Left!", "official": Verdict(0.0, "so: left!"), "mmeval": 1},
        {"text": "So: Left!", "official": Verdict(0.0, "right"), "mmeval": 1},
    ),
    "improved-rules": ({"text": "?", "mmeval": 0, "improved": 1}, {"text": "?", "mmeval": 1, "improved": 1}),
    "nothing-read": (
        {"text": "?", "vlmevalkit": Verdict(0.0, "Z"), "mmeval": Verdict(1.0, "B")},
        {"text": "?", "vlmevalkit": Verdict(0.0, "A"), "mmeval": Verdict(1.0, "B")},
    ),
}


def test_every_reason_has_its_cases() -> None:
    """A reason without cases is not tested; cases without a reason test nothing."""
    assert [reason.name for reason in REASONS] == list(CASES)
    assert {*ABOUT} == {*CASES, OTHER}


@pytest.mark.parametrize("name", CASES)
def test_a_reason_holds_of_one_and_not_of_the_other(sample: Callable[..., Sample], name: str) -> None:
    """The predicate alone, whatever other reasons hold."""
    holding, other = CASES[name]
    assert name in reasons_of(sample(**holding))
    assert name not in reasons_of(sample(**other))


def test_what_no_reason_explains_is_other(sample: Callable[..., Sample]) -> None:
    """A disagreement is never without a reason."""
    assert reasons_of(sample("something", official=0, mmeval=1)) == (OTHER,)


def test_the_first_reason_is_the_most_special(sample: Callable[..., Sample]) -> None:
    """Bold type is why the authors draw; that they draw comes last."""
    assert reasons_of(sample("**B**", official=LOT)) == ("bold-letter", "random-fallback")
