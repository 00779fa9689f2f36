"""rule-match: what it finds in a response."""

from typing import Any

import pytest

from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc

ANIMALS = {"question": "Which one?", "options": {"A": "owl", "B": "elk", "C": "emu", "D": "snow yak"}}


def verdict(
    truth: Any, response: Any, message: Any = ANIMALS, **params: Any
) -> tuple[float | None, str | None]:
    """Score (None where the stage passes) and extraction of one response."""
    score = Pipeline.declared(["rule-match"], params).score(Doc(truth, message), response)
    return score.score or None, score.extraction


@pytest.mark.parametrize(
    ("truth", "response", "read"),
    [
        ("B", "(B)", "B"),
        ("B", "[b]", "B"),
        ("B", "<answer>It is B</answer>", "B"),
        ("B", "<answer>an elk</answer>", "B"),
        ("D", "\\boxed{dog}", "D"),
        ("A", "\\boxed{x} or rather \\boxed{\\text{A}}", "A"),
        ("C", "Answer: **C**, since the answer is clear", "C"),
        ("C", "First I took the answer is B, but the correct choice is (C)", "C"),
        ("C", "the correct answer :: C", "C"),
        ("B", "最终答案：（B）", "B"),
        ("B", "我选B", "B"),
        ("B", "I am sure that the answer is b.", "B"),
        ("C", "All things weighed, what I see here is C", "C"),
        ("A", "A dog", "A"),
        ("B", "**B: elk** is what I would say about all the animals here", "B"),
        ("D", "that is a Snow Yak", "D"),
        ("yes", "Yes, it is not far", "yes"),
        ("no", "No. 5", "no"),
        ("5", "There are 3 cats, so 3 + 2 = 5 of them", "5"),
        ("5", "final answer 5 of 7", "5"),
        ("-5", "the answer is -5 degrees", "-5"),
        ("24", "24 percent", "24"),
        ("24%", "some 24% of it", "24%"),
        (["7", "8"], "about 8", "8"),
        ("elm", "I looked at the bark. The final answer: Elm.", "elm"),
        ("elm", "The answer is \\boxed{elm}", "elm"),
    ],
)
def test_credits(truth: Any, response: Any, read: Any) -> None:
    """Answers behind cues, in tags, boxes and bold, as the only letter, as the text of an option."""
    assert verdict(truth, response) == (1.0, read)


@pytest.mark.parametrize(
    ("truth", "response", "read"),
    [
        ("B", '"B"', None),
        ("B", "$B$", None),
        ("B", "`B`", None),
        ("B", "答案是B", None),
        ("B", '{"answer": "B"}', None),
        ("A", "we saw A and later B in all of the pictures", None),
        ("yes", "yes and no", None),
        ("no", "nope", None),
        ("1234", "1,234 guests", "1"),
        ("0.5", ".5 of it", "5"),
        ("5", "no number", None),
        ("elm", "The final answer is elm", "is elm"),
        ("elm", "elm. It has such leaves", "elm. it has such leaves"),
        ("nan", "nan", None),
        ("elm", "", None),
    ],
)
def test_passes(truth: Any, response: Any, read: Any) -> None:
    """What the publisher's rules miss or misread is missed and misread here as well."""
    score, extraction = verdict(truth, response)
    assert score is None
    assert read is None or read in extraction


def test_a_wrong_letter_set_hides_the_looser_rules() -> None:
    """An option text made of option letters is read as letters."""
    message = {"choices": ["bed", "cot", "mat", "rug", "sofa"]}
    assert verdict("A", "bed", message) == (None, "B, D, E")
