"""Option matching: when a judge is asked, what it is shown, how its reply is read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.llm_match import read_one, read_several
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.judges.reply import JudgeFailure

ABCD = frozenset("ABCD")
ANIMALS = ["cat", "dog", "rabbit", "parrot", "horse"]
WRONG = Score(0.0, 0, None, "ok", None, None)


def row(
    answer: Any = "B", choices: list[str] = ANIMALS, question: str = "<image>Which animal?"
) -> dict[str, Any]:
    """A row with options of its own."""
    return {"messages": [{"question": question, "choices": choices}], "answer": answer}


def verdict(asks: Any, response: object, sample: dict[str, Any] | None = None) -> Judged:
    """The verdict on a response, without the rules that come first in most pipelines."""
    doc = Doc.from_row(sample or row())
    return asyncio.run(judged(Pipeline(("llm-match",)), doc, response, Judge(asks)))


@pytest.mark.parametrize(
    ("response", "letter"), [("B", "B"), ("I say C", "C"), ("it is the dog", "B"), ("a parrot.", "D")]
)
def test_a_letter_that_rules_read_is_believed(scripted: Any, response: str, letter: str) -> None:
    """Right or wrong, no call is spent."""
    asks = scripted()
    score, judge = verdict(asks, response)
    assert (score.score, score.extraction, score.decided_by) == (
        (1.0, "B", "llm-match") if letter == "B" else (0.0, letter, None)
    )
    assert judge is None
    assert asks.asked == []


def test_the_judge_names_the_option(scripted: Any) -> None:
    """It is shown the question with all options and letters, and no media tokens."""
    asks = scripted(match="B")
    score, judge = verdict(asks, "man's best friend")
    assert score == Score(1.0, 1, "llm-match", "ok", "B", None)
    assert asks.asked[0].text.rpartition("\n\n")[2] == (
        "⟦question⟧Which animal?\nA. cat\nB. dog\nC. rabbit\nD. parrot\nE. horse⟦/question⟧\n"
        "⟦response⟧man's best friend⟦/response⟧\nLetters offered: A, B, C, D, E; none: Z\nLetter:\n"
    )
    assert judge is not None
    assert (judge["calls"], judge["protocol"]) == (1, "published")


@pytest.mark.parametrize(("reply", "extraction"), [("C", "C"), ("Z", None)])
def test_another_option_passes(scripted: Any, reply: str, extraction: str | None) -> None:
    """As the last stage that leaves the response wrong and undecided."""
    score, judge = verdict(scripted(match=reply), "hm")
    assert score == WRONG._replace(extraction=extraction)
    assert judge is not None


def test_options_in_the_question_are_shown(scripted: Any) -> None:
    """The whole question is."""
    asks = scripted(match="B")
    sample = {"messages": [{"question": "Which?\nA. cat\nB. dog\nC. hen"}], "answer": "B"}
    assert verdict(asks, "man's best friend", sample).score.score == 1
    assert "⟦question⟧Which?\nA. cat\nB. dog\nC. hen⟦/question⟧" in asks.asked[0].text
    assert "Letters offered: A, B, C; none: Z" in asks.asked[0].text


@pytest.mark.parametrize(("response", "calls"), [("A, C", 0), ("the purring one and the hopping one", 1)])
def test_several_letters(scripted: Any, response: str, calls: int) -> None:
    """The sets must be equal; a list that rules read is not asked about."""
    asks = scripted(match="C, A")
    assert verdict(asks, response, row("A, C")).score == Score(1.0, 1, "llm-match", "ok", "A, C", None)
    assert len(asks.asked) == calls
    assert verdict(scripted(match="A, B"), "hm, all of them", row("A, C")).score.score == 0


@pytest.mark.parametrize("sample", [row("dog"), row("yes"), row("3")])
def test_other_questions_pass(scripted: Any, sample: dict[str, Any]) -> None:
    """Without a call."""
    asks = scripted()
    assert verdict(asks, "man's best friend", sample) == Judged(WRONG, None)
    assert asks.asked == []


@pytest.mark.parametrize("reply", ["F", "no idea", "A or B", ""])
def test_a_reply_that_names_nothing_on_offer_is_unscored(scripted: Any, reply: str) -> None:
    """After the re-asks, which name the letters."""
    asks = scripted(match=reply)
    score, _ = verdict(asks, "man's best friend")
    assert score == Score(None, None, None, "unscored", None, "judge_unparseable")
    assert len(asks.asked) == 4
    assert asks.asked[1].text.endswith("\n\n(Try 2 of 4. Reply with one of A, B, C, D, E or Z alone.)")


def test_a_failing_judge_is_no_pass(scripted: Any) -> None:
    """The sample is unscored, even where stages follow."""
    asks = scripted(match=JudgeFailure("judge_failed", "HTTP 500"), judge="1")
    pipeline = Pipeline(("llm-match", "llm-judge"))
    score, judge = asyncio.run(judged(pipeline, Doc.from_row(row()), "man's best friend", Judge(asks)))
    assert score == Score(None, None, None, "unscored", None, "judge_failed")
    assert judge is None


def test_26_options_leave_another_sign_for_none(scripted: Any) -> None:
    """Z is an option there."""
    asks = scripted(match="0")
    assert verdict(asks, "hm, hm", row("Z", [f"thing {number}." for number in range(26)])).score == WRONG
    assert "X, Y, Z; none: 0" in asks.asked[0].text


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("B", ("B",)),
        ("b", ("B",)),
        ("**B**", ("B",)),
        ("(B).", ("B",)),
        ("B. a dog", ("B",)),
        ("It is a dog, so B", ("B",)),
        ("the letter is b", ("B",)),
        ("Letter: B\nB", ("B",)),
        ("<think>A? No.</think>B", ("B",)),
        ("Z", ()),
        ("z", ()),
        ("A or B", None),
        ("B, not Z", None),
        ("a b", None),
        ("E", None),
        ("Bad", None),
        ("<think>B", None),
        ("", None),
    ],
)
def test_reading_one_letter(reply: str, letters: tuple[str, ...] | None) -> None:
    """Nothing is guessed where several are named."""
    assert read_one(reply, ABCD, "Z") == letters


@pytest.mark.parametrize(
    ("reply", "letters"),
    [
        ("A, C", ("A", "C")),
        ("C,A", ("A", "C")),
        ("a and c", ("A", "C")),
        ("**A, C**", ("A", "C")),
        ("[A, C]", ("A", "C")),
        ("B", ("B",)),
        ("The answers are A, C.", ("A", "C")),
        ("<think>B</think>A, C", ("A", "C")),
        ("Z", ()),
        ("A, Z", None),
        ("A, E", None),
        ("none", None),
        ("", None),
    ],
)
def test_reading_several_letters(reply: str, letters: tuple[str, ...] | None) -> None:
    """Only a list of letters on offer is one."""
    assert read_several(reply, ABCD, "Z") == letters


@given(st.text(alphabet="ABCDEZabcz ,.*()\n<>/think", max_size=40))
def test_only_letters_on_offer_are_read(reply: str) -> None:
    """Whatever the judge writes."""
    for read in (read_one, read_several):
        letters = read(reply, ABCD, "Z")
        assert letters is None or ABCD.issuperset(letters)
