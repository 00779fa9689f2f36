"""Responses -> the whole report as one JSON value; docs/parity.md describes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from mmeval_pack.parity.claims import examined
from mmeval_pack.parity.compare import Figures, compared
from mmeval_pack.parity.published import comparability, reproduced
from mmeval_pack.parity.references import NAMES, Loaded, load
from mmeval_pack.parity.sample import Response, Sample, judged
from mmeval_pack.translators._version import VERSION
from mmeval_pack.translators.task import Task

FORMAT: Final = "mmeval-pack parity 1"


class Side:
    """The references of each task, and the samples that they judged.

    Args:
        resolve: gives the task of a name; raises InputError for an unknown one.
        names: the references wanted.
    """

    def __init__(self, resolve: Callable[[str], Task], names: Sequence[str] = tuple(NAMES)) -> None:
        self._resolve = resolve
        self._names = names
        self.tasks: dict[str, Task] = {}
        self.loaded: dict[str, Loaded] = {}
        self.samples: list[Sample] = []

    def add(self, responses: Iterable[Response]) -> None:
        """Judge responses by every reference of their task.

        Raises:
            InputError: a task or a reference is unknown, or a row cannot be read.
        """
        for response in responses:
            name = response.task
            if name not in self.tasks:
                task = self._resolve(name)
                self.loaded[name] = load(task, self._names)
                self.tasks[name] = task
            self.samples.append(judged(response, self.loaded[name].used, self.tasks[name]))

    def report(self) -> Figures:
        """Everything that the report holds, except for the samples."""
        benchmarks = {task.benchmark: self.loaded[name] for name, task in self.tasks.items()}
        parts: dict[tuple[str, str], list[Sample]] = {}
        for sample in self.samples:
            parts.setdefault((sample.response.task, sample.response.model), []).append(sample)
        return {
            "format": FORMAT,
            "generator": f"mmeval-pack {VERSION}",
            "references": {name: _references(loaded) for name, loaded in self.loaded.items()},
            "comparisons": [
                {
                    "task": task,
                    "benchmark": self.tasks[task].benchmark,
                    "model": model,
                    **compared(samples, [reference.name for reference in self.loaded[task].used]),
                }
                for (task, model), samples in parts.items()
            ],
            "claims": [line for name in benchmarks for line in examined(name, benchmarks[name])],
            "comparability": [line for name in benchmarks for line in comparability(name)],
            "aggregation": [*reproduced()] if "MuirBench" in benchmarks else [],
        }


def _references(loaded: Loaded) -> list[Figures]:
    used = [
        {"name": one.name, "version": one.version, "source": one.source, "llm": one.llm}
        for one in loaded.used
    ]
    return used + [{"name": one.name, "skipped": one.why} for one in loaded.skipped]


def skipped(report: Figures) -> Iterator[str]:
    """Why references are skipped: a line for each reason, with the tasks unless it holds on all."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for task, references in report["references"].items():
        for one in references:
            if why := one.get("skipped"):
                tasks.setdefault((one["name"], why), []).append(task)
    names: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (name, why), where in tasks.items():
        names.setdefault((why, tuple(where)), []).append(name)
    for (why, places), alike in names.items():
        on = "" if len(places) == len(report["references"]) else f" on {', '.join(places)}"
        yield f"{', '.join(alike)} skipped{on}: {why}"


def written(report: Figures, samples: Iterable[Sample]) -> Iterator[bytes]:
    """The report as JSON text, a line a sample: with many samples the whole value would take much memory."""
    yield f'{json.dumps(report)[:-1]}, "samples": ['.encode()
    for number, sample in enumerate(samples):
        yield f"{',' if number else ''}\n{json.dumps(_sample(sample))}".encode()
    yield b"\n]}\n"


def _sample(sample: Sample) -> Figures:
    verdicts: dict[str, Any] = {name: verdict._asdict() for name, verdict in sample.verdicts.items()}
    return {
        "task": sample.response.task,
        "model": sample.response.model,
        "id": sample.response.id,
        "answer": sample.row.answer,
        "response": sample.response.text,
        "groups": dict(sample.groups),
        "verdicts": verdicts,
        "disputed": sample.disputed,
        "reasons": list(sample.reasons),
    }


def least_agreement(report: Figures) -> tuple[float, str] | None:
    """The lowest share of agreement of any two references, and where; None where nothing was compared."""
    shares = [
        (pair["share"], f"{pair['a']} and {pair['b']} on {part['task']}, {part['model']}")
        for part in report["comparisons"]
        for pair in part["agreement"]
        if pair["share"] is not None
    ]
    return min(shares, default=None)
