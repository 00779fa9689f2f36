"""The installed VLMEvalKit's own verdicts: a version that changes one fails here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval_pack.parity.references.verdict import Replies, Verdict

CHOICES = ["a red bus", "a blue car", "two bicycles", "None of the choices provided"]


@pytest.mark.vlmevalkit
@pytest.mark.parametrize(
    ("response", "later", "installed"),
    [
        ("B", "B", "B"),
        ("**B**", "B", "B"),
        ("a blue car", "B", "B"),
        ("b", None, None),
        ("A or B", None, None),
        ("B, not A", None, None),
        ("Cannot determine the answer", "Z", "Z"),
        ("the answer is b", "B", None),
        ("The answer is definitely the blue one", "D", None),
    ],
)
def test_muirbench(
    ask: Callable[..., Verdict], response: str, later: str | None, installed: str | None
) -> None:
    """The heuristics without an LLM; the later commit reads what follows ``answer is`` as a letter."""
    for name, found in (("vlmevalkit", later), ("vlmevalkit-installed", installed)):
        verdict = ask(name, "MuirBench", response, "B", CHOICES)
        assert (verdict.score, verdict.prediction) == (float(found == "B"), found or "Z")
        assert verdict.detail["prefetch"] == (found or False)


@pytest.mark.vlmevalkit
def test_a_judge_that_names_no_option_is_followed_by_a_lot(ask: Callable[..., Verdict]) -> None:
    """The framework then draws from the letters and Z, without a seed."""
    verdict = ask("vlmevalkit", "MuirBench", "b", "B", CHOICES, Replies(judge=("who knows",)))
    detail = {"prefetch": False, "judge_calls": 3}
    assert verdict == (0.2, None, "random", "random_after_judge", detail)


@pytest.mark.vlmevalkit
@pytest.mark.parametrize(("name", "letter"), [("vlmevalkit", "B"), ("vlmevalkit-installed", None)])
def test_a_judges_reply_is_read_by_the_same_rules(
    ask: Callable[..., Verdict], name: str, letter: str | None
) -> None:
    """The later commit's rule holds for it too, and not in the installed version beside it."""
    replies = Replies(judge=("Surely the answer is b",))
    verdict = ask(name, "MuirBench", "?", "B", CHOICES, replies)
    assert (verdict.prediction, verdict.status) == (letter, "ok" if letter else "random")
    assert verdict.detail["judge_calls"] == (1 if letter else 3)


@pytest.mark.vlmevalkit
@pytest.mark.parametrize(
    ("replies", "score", "calls"), [(("1",), 1, 1), (("Judgement: 1",), 0, 5), (("", "", "1"), 1, 3)]
)
def test_mathverse_wants_a_digit_alone(
    ask: Callable[..., Verdict], replies: tuple[str, ...], score: int, calls: int
) -> None:
    """Five tries for exactly 0 or 1, then wrong."""
    verdict = ask("vlmevalkit", "MathVerse", "L = 14", "14", replies=Replies(judge=replies))
    assert verdict == (score, "L = 14", "ok", None, {"prefetch": False, "judge_calls": calls})


@pytest.mark.vlmevalkit
def test_mathverse_takes_an_equal_extraction_without_asking(ask: Callable[..., Verdict]) -> None:
    """And asks again for an extraction only when the API failed."""
    replies = Replies(extract=("Failed to obtain answer via API.", "C"))
    verdict = ask("vlmevalkit", "MathVerse", "So it is C.", "C", replies=replies)
    assert verdict == (1, "C", "ok", None, {"extract_calls": 2, "prefetch": True, "judge_calls": 0})
    assert ask("vlmevalkit", "MathVerse", "L = 14", "14").reason == "no_judge"
