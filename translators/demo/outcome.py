"""What a run left behind. lmms-eval's exit code tells nothing, so its files are checked for completeness."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import PackError
from mmeval_pack.translators.lmms_eval import log
from mmeval_pack.translators.task import Task

FILTER = "mm-eval"


class DemoError(PackError):
    """The run failed or is not complete (exit code 1)."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """What became of one task.

    Attributes:
        task: the task.
        metrics: metric name -> value, as lmms-eval aggregated them.
        details: one record a sample, as the pack logs it.
    """

    task: Task
    metrics: Mapping[str, Any]
    details: Sequence[Mapping[str, Any]]


def table(printed: str) -> str:
    """The table of results from what lmms-eval printed, without the rows of the breakdown.

    A breakdown is one dict of some 600 characters there, and widens its column for every row.
    """
    lines = [line.strip().strip("|").split("|") for line in printed.splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line] for line in lines if len(line) == len(lines[0])]
    rows = [row for row in rows if "breakdown" not in row and not row[0].startswith("--")]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def read(folder: Path, expected: Sequence[tuple[Task, int]]) -> tuple[Path, list[TaskRun]]:
    """The folder that lmms-eval made below ``folder``, and what it says about each task.

    Args:
        folder: lmms-eval's ``--output_path``.
        expected: the tasks, and how many samples each must have.

    Raises:
        DemoError: a results file, a metric or a sample is missing.
    """
    found = sorted(folder.rglob("*_results.json"))
    if len(found) != 1:
        raise DemoError(f"lmms-eval wrote {len(found)} results files, expected one")
    results = json.loads(found[0].read_text(encoding="utf-8"))["results"]
    home = found[0].parent
    return home, [_task_run(task, rows, results.get(task.name, {}), home) for task, rows in expected]


def _task_run(task: Task, rows: int, results: Mapping[str, Any], home: Path) -> TaskRun:
    ending = f",{FILTER}"
    metrics = {key.removesuffix(ending): value for key, value in results.items() if key.endswith(ending)}
    if missing := [
        name for name in (task.metric, "unscored", "published", "breakdown") if name not in metrics
    ]:
        raise DemoError(f"{task.name}: lmms-eval's results lack {', '.join(missing)}")
    details = [detail for path in home.glob(f"*_samples_{task.name}.jsonl") for detail in log.read(path)]
    if len(details) != rows:
        raise DemoError(f"{task.name}: lmms-eval logged {len(details)} of {rows} samples")
    return TaskRun(task, metrics, details)
