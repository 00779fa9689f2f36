"""ANLS: the arithmetic of the published scorers, at a bounded cost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.anls import anls, references_of, similarity
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.records import Doc, Reading

TEXTS = st.text(alphabet="abAB ß\tİ1.é", max_size=12)


def plain_distance(left: str, right: str) -> int:
    """Levenshtein distance by the textbook's table."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for j, b in enumerate(right, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (a != b))
    return row[-1]


def plain_similarity(prediction: str, references: list[str], threshold: float) -> float:
    """The definition, without any bound on the distance."""
    ratios = []
    for reference in references:
        distance = plain_distance(*(" ".join(text.lower().split()) for text in (reference, prediction)))
        length = max(len(reference.upper()), len(prediction.upper()))
        ratios.append(distance / length if length else 0.0)
    score = 1 - min(ratios)
    return score if score >= threshold else 0.0


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=4), st.sampled_from([0.01, 0.3, 0.5, 0.8, 0.95, 1.0]))
def test_the_bound_changes_no_score(prediction: str, references: list[str], threshold: float) -> None:
    """Stopping early gives the very number that the whole distance gives."""
    assert similarity(prediction, references, threshold) == plain_similarity(
        prediction, references, threshold
    )


@pytest.mark.parametrize(
    ("prediction", "references", "threshold", "score"),
    [
        ("acme", ["ACME"], 0.5, 1.0),
        ("  Acme \n Corp ", ["acme corp"], 0.5, 1.0),
        ("acne", ["acme"], 0.5, 0.75),
        ("abcdx", ["abcde"], 0.8, 0.8),
        ("abcxy", ["abcde"], 0.8, 0.0),  # though 1 - 0.8 is less than 1/5
        ("ac", ["acme"], 0.5, 0.5),  # at the threshold
        ("a", ["acme"], 0.5, 0.0),  # below it
        ("a", ["acme"], 0.25, 0.25),
        ("acne", ["nothing like it", "acme"], 0.5, 0.75),
        ("", [""], 0.5, 1.0),
        ("", ["acme"], 0.5, 0.0),
        ("strase", ["straße"], 0.5, 1 - 1 / 7),  # upper-cased, the sharp s counts twice
        ("a    b", ["a c"], 0.5, 1 - 1 / 6),  # the length is that of the text as given
    ],
)
def test_similarity(prediction: str, references: list[str], threshold: float, score: float) -> None:
    """One row for each rule of the arithmetic."""
    assert similarity(prediction, references, threshold) == score


def test_no_reference_is_an_error() -> None:
    """Similarity to nothing has no value."""
    with pytest.raises(ValueError, match="similarity needs at least one reference"):
        similarity("a", [], 0.5)


@pytest.mark.parametrize(
    ("truth", "references"),
    [
        ("acme", ["acme"]),
        (["acme", 5, None, ["B"]], ["acme", "5", "None", "['B']"]),
        ([""], [""]),
        ([], []),
        (" ", []),
        (0, []),
        (None, []),
        ({"a": 1}, []),
    ],
)
def test_references_of(truth: object, references: list[str]) -> None:
    """A list gives its items as text, a text itself, anything else nothing."""
    assert references_of(truth) == references


@pytest.mark.parametrize(
    ("truth", "response", "reading"),
    [
        (["acme", "x"], "acne", Reading(0.75, "acne", None)),
        ("acme", "zzz", Reading(0.0, "zzz", None)),
        ([], "acme", Reading(None, None, "needs_references")),
        (0, "acme", Reading(None, None, "needs_references")),
        ("acme", ["acme"], Reading(None, None, "missing_response")),
        ("acme", 5.0, Reading(None, None, "missing_response")),
    ],
)
def test_stage(truth: object, response: object, reading: Reading) -> None:
    """The stage always decides, or says what is missing."""
    assert anls(Doc(truth, {}), response, Params()) == reading


@pytest.mark.parametrize(
    "text", ["a" * 10**6, "ab " * 333_333, " " * 10**6, "Σ'" * 500_000, "x" * 10**6 + "acme"]
)
def test_a_million_characters_are_graded_at_once(text: str) -> None:
    """The reference's own table would take minutes here."""
    start = time.process_time()
    similarity(text, ["acme", "forty-two dogs"], 0.5)
    assert time.process_time() - start < 0.6
