"""A map over processes."""

from __future__ import annotations

import os

import pytest

from mmeval_pack.judges.errors import PackError
from mmeval_pack.judges.workers import ordered


@pytest.mark.parametrize("jobs", [1, 3])
def test_results_keep_the_order(jobs: int) -> None:
    """However many processes there are."""
    assert list(ordered(abs, range(-50, 0), jobs)) == [*range(50, 0, -1)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_items_are_taken_as_they_are_needed(jobs: int) -> None:
    """So that a file of any length fits."""
    items = iter(range(1, 1000))
    results = ordered(abs, items, jobs)
    assert [next(results) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert next(items) <= 6 + 2 * jobs
    results.close()


def test_a_dead_worker_is_an_error() -> None:
    """And no wait for a result that never comes."""
    with pytest.raises(PackError) as error:
        list(ordered(os._exit, [7] * 20, 2))
    assert str(error.value) == "a worker process died; it was killed, or the machine ran out of memory"


def test_an_error_of_the_function_comes_through() -> None:
    """As without processes."""
    with pytest.raises(ZeroDivisionError):
        list(ordered((1).__truediv__, [1, 0, 1], 2))
