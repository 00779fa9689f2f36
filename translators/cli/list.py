"""``mmeval-pack list``: the tasks of a tasks folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from mmeval_pack.translators.cli._common import (
    add_command,
    counted,
    one_line,
    print_json,
    say,
    tasks_dir,
)
from mmeval_pack.translators.terminal import visible

if TYPE_CHECKING:
    from mmeval_pack.translators.plan import Plan

_COLUMNS = ("task", "benchmark", "subset", "pipeline", "protocol", "official_protocol", "version")
_DESCRIPTION = """\
Print the tasks that the metadata compiles to, and the subsets that become no task, with the reason.

official_protocol: true when the publisher declares the pipeline, false when the publisher says that no
official protocol exists, null (in the table: -) when nothing is declared."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(commands, "list", "print the tasks", _DESCRIPTION, "mmeval-pack list --json", run)
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects")


def run(options: argparse.Namespace) -> int:
    """Print a table, or JSON."""
    from mmeval_pack.translators.plan import plans

    entries = [entry for plan in plans(tasks_dir(options)) for entry in _entries(plan)]
    if options.json:
        print_json(entries)
        return 0
    for line in _table([_COLUMNS, *(_cells(entry) for entry in entries if entry["task"])]):
        print(line)
    for entry in entries:
        if not entry["task"]:
            reason = visible(one_line(entry["refused"]))
            print(f"{entry['benchmark']}, subset {entry['subset']!r}: refused: {reason}")
    tasks = sum(bool(entry["task"]) for entry in entries)
    say(options, f"{counted(tasks, 'task')}, {counted(len(entries) - tasks, 'refused subset')}")
    return 0


def _entries(plan: Plan) -> Iterator[dict[str, Any]]:
    for task in plan.tasks:
        yield {
            "task": task.name,
            "benchmark": task.benchmark,
            "subset": task.subset,
            "pipeline": [*task.pipeline],
            "judge": task.judge,
            "protocol": task.protocol,
            "official_protocol": task.official_protocol,
            "version": task.version,
        }
    for refused in plan.refused:
        empty = dict.fromkeys(("pipeline", "judge", "protocol", "official_protocol"))
        names = {"task": None, "benchmark": plan.benchmark.name, "subset": refused.subset}
        yield {**names, **empty, "version": plan.version, "refused": refused.reason}


def _cells(entry: dict[str, Any]) -> tuple[str, ...]:
    official = {True: "true", False: "false", None: "-"}[entry["official_protocol"]]
    shown = {**entry, "pipeline": " > ".join(entry["pipeline"]), "official_protocol": official}
    return tuple(shown[column] for column in _COLUMNS)


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
