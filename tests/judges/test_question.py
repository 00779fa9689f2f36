"""Question types, candidate letters and option texts."""

from typing import Any

import pytest

from mmeval_pack.judges.options import option_texts
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import Doc


@pytest.mark.parametrize(
    ("truth", "kind"),
    [
        *[(truth, "mcq") for truth in ("B", " (z). ", "I", "B/C", "a & b", "A, B and D", "", "[ ]", "ı")],
        *[(truth, "yes_no") for truth in ("Yes", "no.", '"YES"', ["no", "B"])],
        *[(truth, "numeric") for truth in (7, 2.5, "1e5", "1_000", "5 %", "1,2,3", "nan", "-inf", ["3"])],
        *[(truth, "open") for truth in ("AC", "A, A", "A, J", "and", "elm", "№ 5", True, ["A"], {"a": 1})],
    ],
)
def test_type_by_shape_of_the_truth(truth: Any, kind: Any) -> None:
    """Letters, yes or no, a number, else free text."""
    assert Question(Doc(truth, {})).type == kind


@pytest.mark.parametrize(
    ("declared", "kind"), [(" MCQ ", "mcq"), ("open", "open"), ("multi-choice", "numeric"), (3, "numeric")]
)
def test_declared_type(declared: Any, kind: Any) -> None:
    """A known name wins, any other is ignored."""
    assert Question(Doc("42", {}, declared)).type == kind


@pytest.mark.parametrize(
    ("message", "truth", "letters"),
    [
        ({"options": {"a": "x", " b ": "y"}}, "B", "AB"),
        ({"options": {"1": "x", "2": "y"}}, "C", "ABC"),
        ({"options": {}, "choices": ["a", "C", "d"]}, "D", "ACD"),
        ({"options": ["x"], "choices": ["owl", "elk"]}, "A", "AB"),
        ({"A": "owl", "B": "elk", "C": " ", "D": "emu"}, "A", "AB"),
        ({"question": "Which? (A) owl (B) elk D. emu"}, "A", "AB"),
        ({"question": "A. owl B: elk\nC) emu"}, "A", "ABC"),
        ({"question": "", "prompt": "Which? (A) owl"}, "A", "A"),
        ({"question": "Is XA. a letter?"}, "B", "ABCDEF"),
        ({"question": "Which?"}, "H", "ABCDEFGH"),
        ({"choices": ["an x"] * 40}, "A", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ],
)
def test_candidate_letters(message: Any, truth: Any, letters: Any) -> None:
    """From the first source that has some, stretched to hold the truth."""
    assert Question(Doc(truth, message)).letters() == frozenset(letters)


@pytest.mark.parametrize(
    ("message", "texts"),
    [
        ({"options": {"a": "owl", "B": None}}, {"A": "owl", "B": "None"}),
        (
            {"choices": ["A. owl", "A) elk", "c : emu", "D:\nyak"]},
            {"A": "owl", "B": "A) elk", "C": "c : emu", "D": "D:\nyak"},
        ),
        ({"choices": ["A", "B"], "A": "owl", "B": 5}, {"A": "owl", "B": "5"}),
        ({"question": "(A) owl (B) elk"}, {}),
    ],
)
def test_option_texts(message: Any, texts: Any) -> None:
    """A label of the option's own letter goes; texts inside the question are not read."""
    assert option_texts(message, "AB") == texts
