"""Rows as the references read them."""

from __future__ import annotations

import pytest

from mmeval_pack.parity.references.row import Row, split


@pytest.mark.parametrize("label", ["{}. ", "({}) ", "{}: ", "{}) "])
def test_options_are_read_from_the_question(label: str) -> None:
    """Every way in which frameworks letter the options of a question."""
    lines = ["Which picture?", *(label.format(letter) + letter * 2 for letter in "ABC"), "Answer briefly."]
    assert split("\n".join(lines)) == ("Which picture?", {"A": "AA", "B": "BB", "C": "CC"})


@pytest.mark.parametrize("text", ["no options", "A. alone", "B. starts\nC. late", ""])
def test_a_text_without_a_run_of_letters_has_no_options(text: str) -> None:
    """One letter alone, or a run that does not start at A, is no list of options."""
    assert split(text) == (text, {})


def test_only_the_last_run_counts() -> None:
    """A question may name things by letters before it lists its options."""
    assert split("A. intro\nB. more\nso?\nA. x\nB. y") == ("A. intro\nB. more\nso?", {"A": "x", "B": "y"})


def test_choices_stay_as_they_are() -> None:
    """Choices that are letters themselves are texts, lettered by their place."""
    row = Row.of({"id": 1, "messages": [{"question": "q", "choices": ["B", "A"]}], "answer": "A"})
    assert row.options == {"A": "B", "B": "A"}


def test_the_letter_of_an_answer() -> None:
    """The answer's own letter, with or without brackets, else the letter of its text, else none."""

    def letter(answer: str) -> str | None:
        return Row.of(
            {"id": 1, "messages": [{"question": "q", "choices": ["cat", "dog"]}], "answer": answer}
        ).letter

    assert [letter(answer) for answer in ("B", "(B)", "dog", "fox")] == ["B", "B", "B", None]


def test_a_column_lies_in_the_row_or_in_its_message() -> None:
    """Older layouts keep all columns in the first message."""
    row = Row.of({"id": 1, "task": "Counting", "messages": [{"question": "q", "subject": "maths"}]})
    assert (row.column("task"), row.column("subject"), row.column("nowhere")) == ("Counting", "maths", "")
