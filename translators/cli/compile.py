"""``mmeval-pack compile``: write the tasks."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from mmeval_pack.translators.cli._common import add_command, counted, one_line, say, tasks_dir

if TYPE_CHECKING:
    from mmeval_pack.translators.files import Change
    from mmeval_pack.translators.plan import Plan

_DESCRIPTION = """\
Write the tasks of benchmarks, each from its metadata.json and pack.json, into the tasks folder.

Everything is compiled before the first file is written, and each file is replaced in one step: after an error
the folder is as it was. Files that need no change are not touched. A file that was edited by hand is written
anew; the edited text stays beside it as FILE.orig. Files that are no longer produced are removed, unless they
were edited: those are named and left. A subset that the publisher marks as unsupported is no failure.
Exit codes: 0 written, 2 bad input (nothing is written)."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "compile",
        "write the tasks into the tasks folder",
        _DESCRIPTION,
        "mmeval-pack compile muirbench sat",
        run,
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="benchmarks, by folder or name (default: all)"
    )
    parser.add_argument(
        "--rows",
        metavar="DIR",
        type=Path,
        help="read the rows from DIR/<task>.parquet instead of the hub (not in the pack's own folder)",
    )


def run(options: argparse.Namespace) -> int:
    """Compile, then write what differs."""
    from mmeval_pack.translators import files
    from mmeval_pack.translators.cli._outputs import compiled
    from mmeval_pack.translators.plan import METADATA, plans

    root = tasks_dir(options)
    found = plans(root, options.names, options.rows)
    outputs = compiled(root, found, everything=not options.names)
    with files.locked(root):
        differing = [files.compare(root, output.folder, output.texts) for output in outputs]
        changes = [*chain.from_iterable(differing)]
        kept = files.apply(root, changes)
    odd = (f"{plan.folder}/{METADATA}: warning: {text}" for plan in found for text in plan.benchmark.warnings)
    for line in [*odd, *_about_files(changes, kept), *_about_tasks(found, changes)]:
        say(options, line)
    return 0


def _about_files(changes: Sequence[Change], kept: Mapping[str, str]) -> Iterator[str]:
    """A line for each file whose loss or stay is worth knowing."""
    for change in changes:
        if change.path in kept:
            yield f"{change.path}: was edited by hand; the edited text is now in {kept[change.path]}"
        elif change.state == "orphaned":
            yield f"{change.path}: removed, no longer produced"
        elif change.state == "orphaned and hand-edited":
            yield f"{change.path}: no longer produced, but edited by hand: left; remove or move it"


def _about_tasks(plans: Sequence[Plan], changes: Sequence[Change]) -> Iterator[str]:
    """A line a task and a line a refused subset, then the sum."""
    changed = {change.path for change in changes if change.new is not None}
    written = unchanged = 0
    for plan in plans:
        for task in plan.tasks:
            place = f"{plan.folder}/{plan.places[task.name]}/"
            if any(path.startswith(place) for path in changed):
                written += 1
                yield f"{task.name}: written"
            else:
                unchanged += 1
                yield f"{task.name}: unchanged"
        for refused in plan.refused:
            yield f"{plan.folder}, subset {refused.subset!r}: refused: {one_line(refused.reason)}"
    refusals = sum(len(plan.refused) for plan in plans)
    total = counted(written + unchanged, "task")
    yield f"{total}: {written} written, {unchanged} unchanged; {counted(refusals, 'refused subset')}"
