"""The authors' algorithms, as they are implemented here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval_pack.parity.references.official_mathverse import tail
from mmeval_pack.parity.references.verdict import Replies, Verdict

CHOICES = ["a red bus", "a blue car", "two bicycles", "None of the choices provided"]


@pytest.mark.parametrize(
    ("response", "prediction"),
    [
        ("B", "B"),
        ("B.", "B"),
        ("(B)", "B"),
        ("The answer is B", "B"),
        ("(A) no, hence (B)", "B"),
        ("B, not A", "A"),
        ("A car, as in picture B ", "B"),
        ("It is certainly a blue car", "B"),
        ("There is a red bus, not a blue car, no, a red bus", "A"),
    ],
)
def test_muirbench_takes_the_last_of_the_first_kind_that_is_there(
    ask: Callable[..., Verdict], response: str, prediction: str
) -> None:
    """Letters in brackets, else letters between blanks, else texts of options in six words or more."""
    verdict = ask("official", "MuirBench", response, "B", CHOICES)
    assert verdict == (float(prediction == "B"), prediction, "ok", None, {})


@pytest.mark.parametrize("response", ["b", "**B**", "B)", "B\n", "a blue car", ""])
def test_muirbench_shows_a_draw_as_such(ask: Callable[..., Verdict], response: str) -> None:
    """A draw has its own status, the share of draws that are right, and the seed's first letter."""
    assert ask("official", "MuirBench", response, "B", CHOICES) == (
        0.25,
        "A",
        "random",
        "random_fallback",
        {},
    )


def test_muirbench_needs_options(ask: Callable[..., Verdict]) -> None:
    """Without options there is nothing to look for."""
    assert ask("official", "MuirBench", "B", "B") == (None, None, "unscored", "no_options", {})


@pytest.mark.parametrize(
    ("response", "answer", "score"),
    [
        ("Left", "left", 1),
        ("left.", "left", 0),
        ("left ### and more", "left", 1),
        ("1. left", "left", 1),
        ("Answer: left", "left", 1),
        ("ight", "Right", 1),
        ("It is located left", "left", 1),
        ("It is located to the left", "left", 0),
        ("chair(near mark 1)", "chair(near mark 1)", 0),
    ],
)
def test_sat_compares_texts(ask: Callable[..., Verdict], response: str, answer: str, score: int) -> None:
    """Equality after special cases; brackets are taken out of the right answer alone."""
    assert ask("official", "SAT", response, answer, ["left", "right"]).score == score


def test_sat_crashes_are_a_status(ask: Callable[..., Verdict]) -> None:
    """Two special cases take a part that may not be there."""
    crash = (None, None, "crash", "IndexError", {})
    question = "Is the camera moving left or right?"
    assert ask("official", "SAT", "answer:left", "left") == crash
    assert ask("official", "SAT", "It is not moving", "Left", question=question) == crash
    assert ask("official", "SAT", "It is moving clockwise", "Left", question=question).score == 1


def test_mathverse_without_a_judge_has_no_verdict(ask: Callable[..., Verdict]) -> None:
    """Both stages ask; what they would be shown is reported."""
    verdict = ask("official", "MathVerse", "14", "14")
    assert verdict == (None, "14", "unscored", "no_judge", {"quick_match": 1})


@pytest.mark.parametrize(
    ("replies", "score", "status"),
    [
        (("1",), 1, "ok"),
        (("Judgement: 0",), 0, "ok"),
        (("1.", "1"), 1, "ok"),
        (("1.",), None, "hang"),
        (("",), None, "hang"),
    ],
)
def test_mathverse_asks_until_the_reply_is_a_digit(
    ask: Callable[..., Verdict], replies: tuple[str, ...], score: int | None, status: str
) -> None:
    """A judge that never says 0 or 1 alone is asked for ever."""
    verdict = ask("official", "MathVerse", "L = 14", "14", replies=Replies(judge=replies))
    assert (verdict.score, verdict.status) == (score, status)


def test_mathverse_keeps_the_last_thirty_words() -> None:
    """What comes before is never shown to the judge."""
    assert tail("5 " + " ".join(["so"] * 30)) == " ".join(["so"] * 30)
