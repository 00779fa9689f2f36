"""Figures of samples whose verdicts are known."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval_pack.parity.compare import accuracy, agreement, compared, groups, reasons
from mmeval_pack.parity.references.verdict import Verdict, unscored
from mmeval_pack.parity.sample import Sample

LOT = Verdict(0.25, "A", "random")
CRASH = Verdict(None, None, "crash")


def test_accuracy_counts_a_lot_with_its_expected_value() -> None:
    """And says how many there are, and what is left without them."""
    verdicts = [Verdict(1.0, "B"), Verdict(0.0, "A"), LOT, LOT, CRASH, unscored("no_judge")]
    found = accuracy(verdicts)
    assert (found["n"], found["accuracy"], found["without_lot"]) == (4, 0.375, 0.25)
    assert {name: found[name] for name in ("random", "crash", "hang", "unscored")} == {
        "random": 2,
        "crash": 1,
        "hang": 0,
        "unscored": 1,
    }
    assert 0 <= found["low"] < 0.375 < found["high"] <= 1


def test_accuracy_of_nothing_is_no_figure() -> None:
    """A reference that judged no sample has no accuracy, rather than 0."""
    found = accuracy([unscored("no_judge")])
    assert (found["n"], found["accuracy"], found["low"], found["without_lot"]) == (0, None, None, None)


def test_agreement_takes_a_lot_for_an_outcome_of_its_own(sample: Callable[..., Sample]) -> None:
    """Samples that one of the two has no verdict on are left out; McNemar's test sees right and wrong."""
    samples = [
        sample("x", mmeval=1, official=1),
        sample("x", mmeval=1, official=0),
        sample("x", mmeval=1, official=LOT),
        sample("x", mmeval=0, official=unscored("no_judge")),
    ]
    found = agreement(samples, "mmeval", "official")
    assert (found["n"], found["share"], found["only_a"], found["only_b"], found["p"]) == (
        3,
        pytest.approx(1 / 3),
        1,
        0,
        1.0,
    )


def test_disagreements_are_counted_under_their_first_reason(sample: Callable[..., Sample]) -> None:
    """Agreements have no reason; other reasons that hold are counted apart."""
    samples = [
        sample("**B**", id="1", mmeval=1, official=LOT),
        sample("**B**", id="2", mmeval=1, official=LOT),
        sample("?", id="3", mmeval=0, official=LOT),
        sample("**B**", id="4", mmeval=1, official=1),
    ]
    found = [(entry["name"], entry["count"], entry["holds"], entry["examples"]) for entry in reasons(samples)]
    assert found == [("bold-letter", 2, 2, ["1", "2"]), ("random-fallback", 1, 3, ["3"])]


def test_groups_have_the_accuracy_of_each_reference(sample: Callable[..., Sample]) -> None:
    """By the benchmark's own groups."""
    samples = [
        sample("x", mmeval=1, official=1, groups={"task": "Counting"}),
        sample("x", mmeval=0, official=CRASH, groups={"task": "Counting"}),
        sample("x", mmeval=0, official=0, groups={"task": "Action"}),
    ]
    assert groups(samples, ["mmeval", "official"]) == {
        "task": {
            "Action": {"mmeval": {"n": 1, "accuracy": 0}, "official": {"n": 1, "accuracy": 0}},
            "Counting": {"mmeval": {"n": 2, "accuracy": 0.5}, "official": {"n": 1, "accuracy": 1}},
        }
    }


def test_a_comparison_holds_each_pair_once(sample: Callable[..., Sample]) -> None:
    """In the order of the references."""
    found = compared([sample("x", mmeval=1, official=1, improved=0)], ["mmeval", "improved", "official"])
    pairs = [("mmeval", "improved"), ("mmeval", "official"), ("improved", "official")]
    assert [(entry["a"], entry["b"]) for entry in found["agreement"]] == pairs
    assert (found["n"], found["disputed"]) == (1, 1)
