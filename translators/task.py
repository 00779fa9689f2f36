"""What happens to one row: the value that a generated ``utils.py`` holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

FRACTIONAL_STAGES = frozenset({"vqa-accuracy", "anls"})


@dataclass(frozen=True, slots=True)
class Task:
    """One compiled task: where its rows come from, how they are asked and how they are scored.

    Attributes:
        name: the framework's task name, such as ``muirbench_mmeval``.
        benchmark: the publisher's name, such as ``MuirBench``.
        subset: the publisher's name of the subset.
        version: ``N.X``, from pack.json.
        repo: dataset repository on the hub.
        config: the repository's configuration that holds the subset.
        split: name of the split, as published.
        rows: a parquet file that takes the hub's place, relative to the folder of the generated files.
        prompt_template: Jinja source, rendered by translators.prompt.
        pipeline: stage names in order, never empty.
        params: score parameters as published.
        judge: what the stage ``llm-judge`` does, a name of ``judges.judging.METHODS``; None is the general
            judge.
        protocol: name of the scoring protocol.
        official_protocol: True when the publisher declares the pipeline, False when the publisher says that
            none exists, None when nothing is declared.
        groups: fields whose values (joined) name the groups of a breakdown.
    """

    name: str
    benchmark: str
    subset: str
    version: str
    repo: str
    config: str
    split: str
    rows: str | None
    prompt_template: str
    pipeline: tuple[str, ...]
    params: Mapping[str, Any]
    judge: str | None
    protocol: str
    official_protocol: bool | None
    groups: tuple[tuple[str, ...], ...]

    @property
    def metric(self) -> str:
        """The headline metric: ``mean_score`` where the last stage gives fractions, else ``accuracy``."""
        return "mean_score" if self.pipeline[-1] in FRACTIONAL_STAGES else "accuracy"

    def literal(self) -> dict[str, Any]:
        """The task as a dict of plain Python values whose ``repr`` is valid source."""
        return asdict(self)

    @classmethod
    def from_literal(cls, literal: Mapping[str, Any]) -> Task:
        """The inverse of :meth:`literal`."""
        return cls(**literal)
