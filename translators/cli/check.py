"""``mmeval-pack check``: are the tasks what the metadata compiles to?"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from mmeval_pack.translators.cli._common import add_command, command_line, counted, say, tasks_dir
from mmeval_pack.translators.terminal import visible

_DESCRIPTION = """\
Compile in memory and compare with the tasks folder: print each file that is missing, stale (its source has
changed), hand-edited or orphaned (no longer produced), with a diff, and the command that repairs. Tasks that
were compiled with --rows are compared with what the same folder of rows gives.
Exit codes: 0 all is current, 1 something differs, 2 bad input."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "check",
        "compare the tasks folder with what compile would write",
        _DESCRIPTION,
        "mmeval-pack check muirbench",
        run,
    )
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="benchmarks, by folder or name (default: all)"
    )


def run(options: argparse.Namespace) -> int:
    """Print what differs; the messages hold the verdict and the command that repairs."""
    from mmeval_pack.translators import files
    from mmeval_pack.translators.cli._outputs import compiled
    from mmeval_pack.translators.manifest import read_manifest
    from mmeval_pack.translators.plan import plans, with_rows

    root = tasks_dir(options)
    rows = {}
    found = []
    for plan in plans(root, options.names):
        recorded = read_manifest(root / plan.folder)["rows"]
        rows[plan.folder] = None if recorded is None else root / plan.folder / recorded
        found.append(plan if recorded is None else with_rows(plan, root, root / plan.folder / recorded))
    outputs = compiled(root, found, everything=not options.names)
    changes = {output.folder: files.compare(root, output.folder, output.texts) for output in outputs}
    for change in (change for folder in changes.values() for change in folder):
        print(visible(f"{change.path}: {change.state}"))
        print(visible(change.diff()), end="")
    broken = [folder for folder, differing in changes.items() if differing]
    total = sum(len(output.texts) for output in outputs)
    if not broken:
        say(options, f"{counted(total, 'file')} of {counted(len(outputs), 'benchmark')}: all current")
        return 0
    say(options, f"{', '.join(broken)}: not current")
    for command in _repairs(options, broken, rows):
        say(options, f"repair with: {command}")
    if any(change.state == "orphaned and hand-edited" for folder in changes.values() for change in folder):
        say(options, "a file that is orphaned and hand-edited stays until you remove or move it")
    return 1


def _repairs(
    options: argparse.Namespace, broken: Iterable[str], rows: Mapping[str, Path | None]
) -> list[str]:
    """The compile commands that repair the folders, one for each source of rows."""
    sources: dict[str | None, list[str]] = {}
    for folder in broken:
        if (
            folder not in rows
        ):  # its metadata is gone: it has no name, but compiling everything removes its files
            return [command_line(options, "compile")]
        source = rows[folder]
        sources.setdefault(None if source is None else os.path.relpath(source), []).append(folder)
    return [
        command_line(options, "compile", *folders, *([] if source is None else ["--rows", source]))
        for source, folders in sources.items()
    ]
