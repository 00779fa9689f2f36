"""``mmeval-pack rows``: rows of a task between layouts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.cli._common import add_command, counted, say, tasks_dir

if TYPE_CHECKING:
    from mmeval_pack.translators.rows import Rows

_DESCRIPTION = """\
Write the rows of a task as DIR/TASK.tsv, DIR/TASK.parquet or DIR/TASK.jsonl.

parquet is the published layout: a folder of such files serves as MMEVAL_ROWS. tsv is VLMEvalKit's, with
images in base64, for $LMUData; its last column holds the whole row, and is what is read back. jsonl has a
row a line. Each can be made of each other without a loss: images keep their bytes, texts their characters,
ids are text. Images that a row names by path, absolute or relative to the file of the rows, must be there to
be written into a tsv; videos have no column in it.

Without --from the rows come from where the task has them: MMEVAL_ROWS, else the hub. A tsv of VLMEvalKit's
own can be read as well; all its values are text then.
Exit codes: 0 written (the path is on stdout), 2 bad input (nothing is written)."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    example = "mmeval-pack rows muirbench_mmeval --to tsv LMUData"
    parser = add_command(commands, "rows", "rows of a task between layouts", _DESCRIPTION, example, run)
    parser.add_argument("task", metavar="TASK", help="name of a task")
    parser.add_argument("--to", choices=("tsv", "parquet", "jsonl"), required=True, help="layout to write")
    parser.add_argument("folder", metavar="DIR", type=Path, help="folder for the file; made when missing")
    parser.add_argument(
        "--from", dest="source", metavar="FILE", type=Path, help="a tsv, parquet or jsonl file to read"
    )


def run(options: argparse.Namespace) -> int:
    """Read and write."""
    from mmeval_pack.translators import rows

    path = options.folder / f"{options.task}.{options.to}"
    found = _found(options)
    if options.source and path.exists() and path.samefile(options.source):
        raise InputError(f"{path}: is the file that is read; give another folder")
    warnings = rows.write(found, options.task, path)
    print(path)
    for text in warnings:
        say(options, f"{options.task}: warning: {text}")
    say(options, f"{options.task}: {counted(len(found.rows), 'row')}")
    return 0


def _found(options: argparse.Namespace) -> Rows:
    """The rows to write."""
    from mmeval_pack.translators import row_table, rows
    from mmeval_pack.translators.manifest import read_manifest
    from mmeval_pack.translators.plan import find_task, plans, with_rows

    root = tasks_dir(options)
    task = find_task(root, options.task)
    if options.source:
        return rows.read(options.source)
    plan = next(plan for plan in plans(root) if task.name in plan.places)
    home = root / plan.folder
    recorded = read_manifest(home)["rows"]
    if recorded is not None:
        plan = with_rows(plan, root, home / recorded)
    (task,) = (each for each in plan.tasks if each.name == task.name)
    return row_table.of_task(task.literal(), str(home / plan.places[task.name] / "utils.py"))
