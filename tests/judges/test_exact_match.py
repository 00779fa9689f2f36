"""exact-match: what it credits, what it passes on."""

from typing import Any

import pytest

from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc

ANIMALS = {"question": "Which one?", "options": {"A": "owl", "B": "elk", "C": "emu", "D": "yak"}}


def verdict(
    truth: Any, response: Any, message: Any = ANIMALS, **params: Any
) -> tuple[float | None, str | None]:
    """Score (None where the stage passes) and extraction of one response."""
    score = Pipeline.declared(["exact-match"], params).score(Doc(truth, message), response)
    return score.score or None, score.extraction


@pytest.mark.parametrize(
    ("truth", "response", "read"),
    [
        ("B", "B", "B"),
        ("B", "b.", "B"),
        ("B", " B。 ", "B"),
        ("B", "Ｂ", "B"),
        ("B", "B) elk", "B"),
        ("B", "Option B, as its antlers show", "B"),
        ("B", "It has antlers. The answer is B.", "B"),
        ("B", "<think>A or C?</think><answer>B</answer>", "B"),
        ("B", "\\boxed{B}", "B"),
        ("B", "\\boxed{B} rather than \\boxed{A}", "B"),
        ("B", "<answer>B", "B"),
        ("A, C", "C and A", "A, C"),
        ("A, C", "ac", "A, C"),
        ("A, C", "Answers are C; A", "A, C"),
        ("A", "The answer is A because of X. Final answer: B, I think", "A"),
        ("B", "B. elk, no: it is C", "B"),
        ("B", "The incorrect answer is B.", "B"),
        ("yes", '"Yes."', "yes"),
        ("1,234", "1234", "1234"),
        ("24%", "0.24", "0.24"),
        ("-5", "−5", "-5"),
        ("a tall tree", "`A Tall  Tree`", "a tall tree"),
        (["oak", "elm"], "Elm", "elm"),
        (3.5, "3.50", "3.50"),
        ("paris", ["Paris", "Rome"], "paris"),
    ],
)
def test_credits(truth: Any, response: Any, read: Any) -> None:
    """Answers in every form that stands for the truth, and oddities that the publisher credits too."""
    assert verdict(truth, response) == (1.0, read)


@pytest.mark.parametrize(
    ("truth", "response", "read"),
    [
        ("B", "C", "C"),
        ("B", "(B)", None),
        ("B", "The answer is B? or so", None),
        ("B", "B\u200b", None),
        ("B", "", None),
        ("A, C", "(A) and (C)", None),
        ("A, C", "The answers are: A, C", None),
        ("A, C", "A", "A"),
        ("yes", "yes it is", None),
        ("no", "yes", "yes"),
        ("24", "24%", "24%"),
        ("24%", "24 percent", None),
        ("1234", "1,234 guests", None),
        ("nan", "nan", "nan"),
        ([], "anything", None),
        ("elm", '"elm".', 'elm"'),
    ],
)
def test_passes(truth: Any, response: Any, read: Any) -> None:
    """What is no clear answer, or not the right one, is left to the next stage."""
    assert verdict(truth, response) == (None, read)


def test_compact_letters_need_named_options() -> None:
    """A declared choice question without options takes ``AC`` for one item, and nothing equals that."""
    bare = Doc("AC", {"question": "Which two?"}, "mcq")
    named = Doc("AC", ANIMALS, "mcq")
    pipeline = Pipeline.declared(["exact-match"])
    assert pipeline.score(bare, "A, C").score == 0.0
    assert pipeline.score(named, "A, C").score == 1.0


@pytest.mark.parametrize(
    ("params", "score"),
    [
        ({}, None),
        ({"numeric_rel_tol": 0.1}, 1.0),
        ({"numeric_abs_tol": 4}, None),
        ({"numeric_abs_tol": 5}, 1.0),
    ],
)
def test_tolerances(params: Any, score: Any) -> None:
    """A tolerance is a share of the truth, or a distance."""
    assert verdict("50", "55", {}, **params)[0] == score


@pytest.mark.parametrize(
    ("truth", "response", "mode", "score"),
    [
        ("elm", "an elm tree", "contains", 1.0),
        ("elm", "oak", "contains", None),
        ("12", "about 120", "contains", 1.0),
        ("platform", "platforn", "anls", 1.0),
        ("platform", "nothing like it", "anls", None),
        ("?!", "?!", "anls", 1.0),
        ("<think>", "<think>", "anls", 1.0),
        ("\ufdfa", "\ufdfa", "anls", 1.0),
        ("\ufdfa", "صلى الله عليه وسلم", "anls", None),
        ([""], "", "anls", 1.0),
        ([""], "", "contains", None),
        ([""], "", "exact", None),
        (["", None], "elm", "contains", None),
        ([None], "elm", "anls", None),
    ],
)
def test_string_modes(truth: Any, response: Any, mode: Any, score: Any) -> None:
    """The fuzzy modes compare free text, and numbers as text."""
    assert verdict(truth, response, {}, string_match=mode)[0] == score
