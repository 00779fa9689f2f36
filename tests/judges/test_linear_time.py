"""Hostile responses cost time in proportion to their length."""

import time
from typing import Any

import pytest

from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc

LENGTH = 20_000
DOCS = [Doc("B", {"choices": ["owl", "elk", "emu"]}), Doc("yes", {}), Doc("42", {}), Doc("elm", {})]
RESPONSES = {
    "unclosed answer tags": lambda n: "<answer>" * (n // 8),
    "an unclosed answer tag and blanks": lambda n: "<answer>" + " " * n,
    "an unclosed think tag and blanks": lambda n: "<think" + " " * n,
    "dots": lambda n: "x" + "." * n + "x",
    "a box and blanks": lambda n: "\\boxed{" + " " * n + "x",
    "an open box of braces": lambda n: "\\boxed{" + "{" * n,
    "stars": lambda n: "** " * (n // 3),
    "a bold letter and blanks": lambda n: "**A" + " " * n,
    "a cue and blanks": lambda n: "the answer" + " " * n + "is",
    "a cue, a letter and blanks": lambda n: "answer is B" + " " * n + "x",
    "cues": lambda n: "correct answer: " * (n // 16),
    "alternating marks": lambda n: "a" + "\u0301\u0316" * (n // 2),
    "marks in one character": lambda n: "\u0f73" * n,
    "expanding characters": lambda n: "\ufdfa" * n,
    "digits": lambda n: "1" * n,
    "commas": lambda n: "1," * (n // 2),
    "letters": lambda n: "A and " * (n // 6),
}


def seconds(response: Any) -> float:
    """The best of three: the machine may be busy."""
    best = 9.0
    for _ in range(3):
        start = time.process_time()
        for doc in DOCS:
            Pipeline.declared().score(doc, response)
        best = min(best, time.process_time() - start)
    return best


@pytest.mark.parametrize("kind", RESPONSES)
def test_eight_times_the_length_takes_no_more_than_sixteen_times_as_long(kind: Any) -> None:
    """Quadratic work would take 64 times as long; a millisecond of grace covers the clock."""
    short, long = RESPONSES[kind](LENGTH // 4), RESPONSES[kind](2 * LENGTH)
    assert seconds(long) < 16 * seconds(short) + 0.02
