"""The question as a judge is shown it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from mmeval_pack.judges.judge_question import (
    fill_missing_questions,
    question_for_judge,
    question_with_options,
    without_media,
)
from mmeval_pack.judges.records import Doc

DIRECT = "Please directly answer the question and provide the correct option letter, e.g., A, B, C, D."
VALUE = "Please directly answer the question and provide the final value, e.g., 1, 2.5, 300."
REASONED = (
    "Please first conduct reasoning, and then answer the question and provide the correct option letter, "
    "e.g., A, B, C, D, at the end."
)
SEEN = (
    "According to the question shown in the image, please directly answer the question and provide the "
    "correct option letter, e.g., A, B, C, D."
)
SEEN_REASONED = SEEN.replace("directly answer", "first conduct reasoning, and then answer")
ASKED = "How long is AB?\nChoices:\nA:2\nB:3"


def row(question: str | None = None, **fields: Any) -> dict[str, Any]:
    """A row with one message."""
    return {
        "id": "1",
        "messages": json.dumps([{"role": "user", "question": question}]),
        "answer": "A",
        **fields,
    }


@pytest.mark.parametrize("head", [DIRECT, VALUE, REASONED])
def test_the_format_sentence_is_left_out(head: str) -> None:
    """Whether it asks for a letter or a value, directly or after reasoning."""
    assert question_for_judge(Doc.from_row(row(f"{head}\nQuestion: {ASKED}"))) == ASKED
    assert question_for_judge(Doc.from_row(row(f"{head}\n{ASKED}"))) == ASKED
    assert question_for_judge(Doc.from_row(row(f"{head} Question: {ASKED}"))) == ASKED


@pytest.mark.parametrize(
    "text", [SEEN, SEEN_REASONED, f"<image>{SEEN}\n", f"{SEEN}\nQuestion:", "<image>", " ", None]
)
def test_a_question_in_the_image_alone_is_none(text: str | None) -> None:
    """Nothing is left but the sentence on the format."""
    assert question_for_judge(Doc.from_row(row(text))) is None


@pytest.mark.parametrize(
    "text", [ASKED, f"Answer: {DIRECT}", "Question: why?", "Please answer the question."]
)
def test_other_questions_stay_as_they_are(text: str) -> None:
    """Only the known sentences at the very start are taken off."""
    assert question_for_judge(Doc.from_row(row(text))) == text


def test_question_for_eval_goes_first() -> None:
    """In the message or in the row, as it stands; a blank one counts for nothing."""
    assert (
        question_for_judge(Doc.from_row(row(SEEN, question_for_eval="Find x. A. 3 B. 5 ")))
        == "Find x. A. 3 B. 5"
    )
    message = {"question": SEEN, "question_for_eval": "Find x."}
    assert question_for_judge(Doc.from_row({"messages": [message], "question_for_eval": "y"})) == "Find x."
    assert question_for_judge(Doc.from_row(row(ASKED, question_for_eval=" "))) == ASKED
    assert question_for_judge(Doc.from_row(row(ASKED, question_for_eval=7))) == ASKED


def test_the_prompt_stands_in_for_a_question() -> None:
    """Where the message has no question of its own."""
    assert question_for_judge(Doc.from_row({"messages": [{"question": "", "prompt": ASKED}]})) == ASKED
    assert question_for_judge(Doc.from_row({"messages": []})) is None


def test_options_of_a_choice_question_are_listed() -> None:
    """Those that the row holds apart; of other questions no letters are made up."""
    choices = {"question": "Which one?", "choices": ["cat", "dog"]}
    assert (
        question_with_options(Doc.from_row({"messages": [choices], "answer": "B"}))
        == "Which one?\nA. cat\nB. dog"
    )
    assert question_with_options(Doc.from_row({"messages": [choices], "answer": "dog"})) == "Which one?"
    assert question_with_options(Doc.from_row(row(ASKED))) == ASKED
    assert question_with_options(Doc.from_row(row(SEEN))) == "(shown in the image only)"


def test_media_tokens_are_blanked() -> None:
    """They stand for nothing that the judge sees."""
    assert without_media("<image>What <video>is it? <img>") == "What  is it? <img>"


def test_missing_questions_come_from_other_versions() -> None:
    """The longest question of the same problem, whatever the order of the rows."""
    rows = [
        row(SEEN, id="5", problem_index="1"),
        row(f"{DIRECT}\nQuestion: Find x, with AB = 3.", id="1", problem_index="1"),
        row(f"{DIRECT}\nQuestion: Find x.", id="2", problem_index="1"),
        row(SEEN, id="10", problem_index=2),
        row("", id="7", question_for_eval="Find y.", problem_index="2"),
        row(SEEN, id="11", problem_index="3"),
        row(SEEN, id="12"),
    ]
    found = {"5": "Find x, with AB = 3.", "10": "Find y."}
    assert fill_missing_questions(rows) == found
    assert fill_missing_questions(reversed(rows)) == found
    assert fill_missing_questions([]) == {}


def test_the_index_may_stand_in_the_message() -> None:
    """As in rows of the older layouts."""
    rows = [
        {"id": 1, "messages": [{"question": SEEN, "problem_index": 4}]},
        {"id": 2, "messages": [{"question": "Find z.", "problem_index": 4}]},
    ]
    assert fill_missing_questions(rows) == {1: "Find z."}


def test_hostile_questions_cost_little() -> None:
    """Runs of blanks and unfinished sentences are read in linear time."""
    started = time.perf_counter()
    for text in (f"{DIRECT}{' ' * 200_000}x", f"{DIRECT}{chr(10) * 200_000}x", "Please directly " * 50_000):
        question_for_judge(Doc.from_row(row(text)))
    assert time.perf_counter() - started < 1
