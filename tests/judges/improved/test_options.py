"""Where the options of a row come from."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.options import options_of, texts_in
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import Doc


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which?\nA. red\nB. dark red\nReply with a letter.", {"A": "red", "B": "dark red"}),
        ("Which?\n(A) red\n(B) blue", {"A": "red", "B": "blue"}),
        ("Which? (A) red (B) blue", {"A": "red", "B": "blue"}),
        ("Which?\nA: red\nB: blue", {"A": "red", "B": "blue"}),
        ("A. is a label. Which?\nA. red\nB. blue", {"A": "red", "B": "blue"}),
        ("Which?", {}),
        ("A. only one", {}),
    ],
)
def test_texts_are_parsed_from_the_question(question: str, texts: dict[str, str]) -> None:
    """The last unbroken run of labels from A on, each text to the end of its line."""
    assert texts_in(question) == texts


def test_options_of_a_lettered_question() -> None:
    """The letters are those of the question; the words asked are kept."""
    doc = Doc.from_row({"messages": [{"question": "Which cup?\nA. red\nB. <image>"}], "answer": "A"})
    options = options_of(doc, Question(doc))
    assert options.texts == {"A": "red", "B": "<image>"}
    assert options.letters == frozenset("AB")
    assert "cup" in options.asked


def test_choices_of_a_truth_in_words_carry_no_letters() -> None:
    """Their places are the keys."""
    doc = Doc.from_row({"messages": [{"question": "Which?", "choices": ["up", "down"]}], "answer": "up"})
    options = options_of(doc, Question(doc))
    assert options.texts == {"0": "up", "1": "down"}
    assert options.letters == frozenset()
