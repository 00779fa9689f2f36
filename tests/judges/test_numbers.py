"""Numbers."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.numbers import equal, number, number_in


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("5 %", 0.05),
        ("-.5", -0.5),
        ("1_0", 10.0),
        ("٣", 3.0),
        ("%", None),
        ("", None),
        ("3/4", None),
    ],
)
def test_number(text: Any, value: Any) -> None:
    """The whole text is the number."""
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3 cats = 5 legs", "5"),
        ("in 1999 the answer is 7%", "7%"),
        ("final answer -5", "-5"),
        ("answer -5", "5"),
        ("7 is the answer:", "7"),
        ("1.2e3 m", "1.2"),
        ("none", None),
    ],
)
def test_number_in(text: Any, found: Any) -> None:
    """Behind the last cue, else the first."""
    assert number_in(text) == found


@given(st.floats(allow_nan=False), st.floats(min_value=0, max_value=9), st.floats(min_value=0, max_value=9))
def test_equal_is_reflexive(value: Any, rel_tol: Any, abs_tol: Any) -> None:
    """No tolerance takes equality away; nan equals nothing."""
    assert equal(value, value, rel_tol, abs_tol)
    assert not equal(math.nan, value, rel_tol, abs_tol)
    assert not equal(value, math.nan, rel_tol, abs_tol)


def test_no_relative_tolerance_around_zero() -> None:
    """A share of zero is zero."""
    assert not equal(1e-9, 0.0, 0.5, 0.0)
