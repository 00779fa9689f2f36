"""Agreement and McNemar's test."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmeval_pack.parity.statistics import kappa, mcnemar, share

LABELS = st.lists(st.sampled_from("rwx"), min_size=1, max_size=30)


def test_kappa_of_a_textbook_table() -> None:
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: kappa is 0.4."""
    one = ["y"] * 25 + ["n"] * 25
    other = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert share(one, other) == 0.7
    assert kappa(one, other) == pytest.approx(0.4)


def test_no_figure_without_anything_to_compare() -> None:
    """No places; and one label throughout, where chance alone agrees."""
    assert share([], []) is None
    assert kappa([], []) is None
    assert kappa(["y", "y"], ["y", "y"]) is None


@given(LABELS)
def test_kappa_of_equal_lists_is_one(labels: list[str]) -> None:
    """Unless there is but one label."""
    found = kappa(labels, labels)
    assert found == (None if len(set(labels)) == 1 else pytest.approx(1))


@pytest.mark.parametrize(("b", "c", "p"), [(0, 0, 1), (1, 0, 1), (5, 0, 0.0625), (10, 2, 0.03857421875)])
def test_mcnemar(b: int, c: int, p: float) -> None:
    """Twice the smaller tail of a fair binomial, at most 1."""
    assert mcnemar(b, c) == mcnemar(c, b) == p


@given(st.integers(0, 2000), st.integers(0, 2000))
@example(10, 1065)
def test_mcnemar_is_scipys_binomial_test(b: int, c: int) -> None:
    """The reference implementation, where it is installed."""
    stats = pytest.importorskip("scipy.stats")
    if b + c:
        exact = min(
            Fraction(1), Fraction(2 * sum(comb(b + c, k) for k in range(min(b, c) + 1)), 2 ** (b + c))
        )
        assert mcnemar(b, c) == pytest.approx(float(exact), rel=1e-12, abs=0)
        if reference := stats.binomtest(b, b + c).pvalue:  # it is 0 where a part of its sum is too small
            assert mcnemar(b, c) == pytest.approx(reference, rel=1e-9, abs=1e-300)


def test_mcnemar_of_many_pairs() -> None:
    """No overflow and no rounding to more than 1."""
    assert mcnemar(5000, 5000) == 1
    assert 0 < mcnemar(4800, 5200) < 1e-4
