"""How a line of recorded responses is scored: by what it declares itself, or by the task that it names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.asking import ASKING
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.judging import METHODS, Judge, entry, stamp
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import Pipeline

_WAYS: Final = 256  # kept at a time
_KEY: Final = 4096  # characters of a declaration that is worth keeping
_NAME: Final = 255  # characters of a task's name: it is the name of a file


class Declared(NamedTuple):
    """How a task is scored, as it was declared.

    Attributes:
        stages: of the pipeline.
        params: of the pipeline.
        method: what the stage ``llm-judge`` does, one of `judges.judging.METHODS`.
        groups: fields of the rows whose values (taken together) name the groups of a breakdown.
        task: the task's name, None for what a line declares of its own.
    """

    stages: object
    params: object
    method: str = METHODS[0]
    groups: tuple[tuple[str, ...], ...] = ()
    task: str | None = None


class Way(NamedTuple):
    """How a line is scored.

    Attributes:
        pipeline: the stages that are run.
        method: what the stage ``llm-judge`` does.
        protocol: the name that a judge's verdicts are stamped with.
        kind: the same text for lines whose scores can be averaged: one pipeline, method and protocol.
        task: see `Declared`, as for the groups.
        groups: see there.
    """

    pipeline: Pipeline
    method: str
    protocol: str
    kind: str
    task: str | None
    groups: tuple[tuple[str, ...], ...]


class Ways:
    """Finds each way once, for all lines that declare the same."""

    def __init__(
        self, resolve: Callable[[str], Declared], rules: str, protocol: str, judge: Judge | None
    ) -> None:
        """Nothing is found yet.

        Args:
            resolve: gives what a task's name stands for; raises InputError for an unknown one.
            rules: name of a rule set.
            protocol: of the method ``mathverse``.
            judge: what it cannot judge is refused; None judges nothing.
        """
        self._resolve = resolve
        self._rules = rules
        self._protocol = protocol
        self._judge = judge
        self._found: dict[str, Way | str] = {}

    def of(self, line: Mapping[str, Any]) -> Way:
        """How a line is scored.

        A pipeline of the line's own stands in place of the task's pipeline and params, and the task's name
        may then be one that nobody knows. Params of the line's own replace the task's.

        Raises:
            InputError: what it declares cannot be used.
        """
        declared = line.get("task"), line.get("pipeline"), line.get("params")
        key = repr(declared)
        found = self._found.get(key)
        if found is None:
            found = self._made(*declared)
            if len(self._found) == _WAYS:
                self._found.clear()
            if len(key) <= _KEY:
                self._found[key] = found
        if isinstance(found, str):
            raise InputError(found)
        return found

    def _made(self, task: object, stages: object, params: object) -> Way | str:
        """The way, or what is wrong with it: that too is worth finding out only once."""
        try:
            declared = self._declared(task, stages, params)
            pipeline = Pipeline.declared(declared.stages, declared.params, self._rules)
            if self._judge is not None:
                self._judge.check(pipeline, declared.method)
        except InputError as error:
            return str(error)
        protocol = stamp(self._protocol, declared.method)
        asks = ASKING.intersection(pipeline.stages)
        kind = repr((pipeline.stages, declared.method, protocol) if asks else pipeline.stages)
        return Way(
            entry(pipeline, declared.method, self._protocol),
            declared.method,
            protocol,
            kind,
            declared.task,
            declared.groups,
        )

    def _declared(self, task: object, stages: object, params: object) -> Declared:
        """What a line and its task declare together.

        Raises:
            InputError: the task is unknown, and the line has no pipeline of its own.
        """
        if task is None:
            return Declared(stages, params)
        try:
            if not isinstance(task, str) or len(task) > _NAME:
                raise InputError(f"task is {shown(task)}, expected a task's name")
            known = self._resolve(task)
        except InputError:
            if stages is None:
                raise
            return Declared(stages, params)
        if stages is not None:
            return known._replace(stages=stages, params=params, task=None)
        return known if params is None else known._replace(params=params)
