"""The reference scorers: one module each, one line each in `NAMES`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Final, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.parity.references import (
    lmms_eval,
    mmeval,
    official_mathverse,
    official_muirbench,
    official_sat,
    vlmevalkit,
)
from mmeval_pack.parity.references.verdict import MissingError, Reference
from mmeval_pack.translators.task import Task

_OFFICIAL: Final[dict[str, Callable[[], Reference]]] = {
    "MuirBench": official_muirbench.reference,
    "SAT": official_sat.reference,
    "MathVerse": official_mathverse.reference,
}


def _official(benchmark: str) -> Reference:
    if benchmark not in _OFFICIAL:
        raise MissingError(f"no algorithm of the authors of {benchmark} is implemented here")
    return _OFFICIAL[benchmark]()


NAMES: Final[dict[str, Callable[[Task], Reference]]] = {
    "mmeval": mmeval.reference,
    "improved": lambda task: mmeval.reference(task, "improved"),
    "official": lambda task: _official(task.benchmark),
    "lmms-eval": lambda task: lmms_eval.reference(task.benchmark),
    "vlmevalkit": lambda task: vlmevalkit.reference(task.benchmark, later=True),
    "vlmevalkit-installed": lambda task: vlmevalkit.reference(task.benchmark, later=False),
}


class Skipped(NamedTuple):
    """A reference that cannot be had for a task, and why or how to get it."""

    name: str
    why: str


class Loaded(NamedTuple):
    """The references of a task."""

    used: tuple[Reference, ...]
    skipped: tuple[Skipped, ...]


def load(task: Task, names: Sequence[str] = tuple(NAMES)) -> Loaded:
    """The references of a task, in the order of their names; frameworks are imported here.

    Raises:
        InputError: a name that no reference has.
    """
    for name in names:
        if name not in NAMES:
            near = get_close_matches(name, NAMES, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(NAMES)}"
            raise InputError(f"no reference is called {name!r}; {hint}")
    used, skipped = [], []
    for name in dict.fromkeys(names):
        try:
            used.append(NAMES[name](task))
        except MissingError as missing:
            skipped.append(Skipped(name, str(missing)))
    return Loaded(tuple(used), tuple(skipped))
