"""Hostile responses cost time in proportion to their length.

The kinds, and the figures that are asked for, are those of bench/hostile.py, which prints them. The limits
here leave room for a slow and busy machine, and none for quadratic work, which takes four times as long for
twice the length.
"""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

PATH = Path(__file__).parents[2] / "bench" / "hostile.py"
LENGTH, MOST_SECONDS, MOST_GROWTH = 80_000, 3.0, 3.0
WAYS = (
    "letter, exact, parity",
    "yes or no, exact, parity",
    "number, exact, parity",
    "text, contains, parity",
    "text, exact, improved",
    "letter, exact, improved",
    "anls",
    "vqa-accuracy",
)


def loaded() -> Any:
    """The bench as a module."""
    spec = importlib.util.spec_from_file_location("hostile", PATH)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


hostile = loaded()
GRADINGS = dict(hostile.gradings())


def all_ways(text: str) -> None:
    """One grading after the other."""
    for way in WAYS:
        GRADINGS[way](text)


@pytest.fixture(scope="module", autouse=True)
def _warm() -> None:
    """Tables and patterns are built once, and not timed."""
    all_ways("é" * 2000)


@pytest.mark.parametrize("kind", hostile.RESPONSES)
def test_twice_the_length_takes_less_than_three_times_as_long(kind: str) -> None:
    """All question types, both graders and both rule sets together."""
    figures = hostile.measured(all_ways, kind, LENGTH, MOST_SECONDS, MOST_GROWTH)
    assert figures.growth < MOST_GROWTH
    assert figures.seconds < MOST_SECONDS


@pytest.mark.parametrize("way", ["letter, exact, parity", "text, exact, parity", "text, anls, parity"])
@pytest.mark.parametrize(
    "kind",
    ["answer tags, never closed", "dots", "blanks", "alternating marks", "all marks", "expanding characters"],
)
def test_a_million_characters_take_a_moment(kind: str, way: str) -> None:
    """The figure that is asked for is a fifth of this, on a machine of its own."""
    assert hostile.seconds(GRADINGS[way], hostile.response(kind, hostile.LENGTH)) < MOST_SECONDS
