"""The figures of scored lines, by group and of several tasks together."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.figures import Figures, group_values, merged
from mmeval_pack.judges.records import Doc, Score

SCORES = st.sampled_from(
    [
        Score(1.0, 1, "rule-match", "ok", None, None),
        Score(0.5, 0, "anls", "ok", None, None),
        Score(0.0, 0, None, "ok", None, None),
        Score(None, None, None, "unscored", None, "no_judge"),
    ]
)
SAMPLES = st.lists(st.tuples(SCORES, st.sampled_from("abc"), st.sampled_from("xyz")), max_size=12)
RIGHT = Score(1.0, 1, "rule-match", "ok", None, None)


def of(*samples: tuple[Score, str, str]) -> Figures:
    """The figures of samples, each with its kind and its value in one group."""
    figures = Figures()
    for score, kind, value in samples:
        figures.add(score, kind, {"topic": value})
    return figures


def test_values_of_groups() -> None:
    """The first message goes before the top level, fields taken together are joined, null is blank."""
    row: dict[str, Any] = {
        "messages": [{"level": 3, "topic": None}],
        "level": "of the row",
        "topic": "of the row",
        "art": "map",
    }
    groups = (("level",), ("art", "level"), ("topic",), ("nowhere",))
    assert group_values(Doc.from_row(row), groups) == {
        "level": "3",
        "art/level": "map/3",
        "topic": "",
        "nowhere": "",
    }
    assert group_values(Doc.from_row(row), ()) == {}


def test_samples_of_several_kinds_are_not_comparable() -> None:
    """Two kinds, however often each comes and wherever."""
    assert Figures().comparable
    assert of(*[(RIGHT, "a", "x")] * 3).comparable
    assert not of((RIGHT, "a", "x"), (RIGHT, "b", "x"), (RIGHT, "a", "x")).comparable
    assert not merged([of((RIGHT, "a", "x")), Figures(), of((RIGHT, "b", "x"))]).comparable
    assert merged([of((RIGHT, "a", "x")), Figures(), of((RIGHT, "a", "y"))]).comparable


@given(SAMPLES, st.integers(1, 4))
def test_parts_merge_to_the_whole(samples: list[tuple[Score, str, str]], parts: int) -> None:
    """In any order and through a pickle, as the processes of a run send them."""
    pieces = [of(*samples[part::parts]) for part in range(parts)]
    assert merged(pickle.loads(pickle.dumps(pieces[::-1]))) == of(*samples)


def test_the_mean_of_a_value_is_exact() -> None:
    """Over what is graded, whatever the order; None where nothing is."""
    tenth = RIGHT._replace(score=0.1, is_correct=0)
    unscored = Score(None, None, None, "unscored", None, "no_judge")
    invalid = Score(0.0, 0, None, "invalid", None, "missing_answer")
    scores = [tenth, tenth, tenth, RIGHT, invalid, unscored]
    for order in (scores, scores[::-1]):
        share = of(*[(score, "a", "x") for score in order]).groups["topic", "x"]
        assert (share.samples, share.graded, share.mean) == (6, 4, 0.325)
    assert of((unscored, "a", "x")).groups["topic", "x"].mean is None


def test_kept_and_dropped_verdicts_add_up() -> None:
    """By their stamps and by what speaks against them."""
    one, other = Figures(), Figures()
    for figures in (one, other):
        figures.kept["m", "published", "p"] += 2
        figures.dropped["no record of the judge"] += 1
    whole = merged([one, other])
    assert (whole.kept, whole.dropped) == ({("m", "published", "p"): 4}, {"no record of the judge": 2})
