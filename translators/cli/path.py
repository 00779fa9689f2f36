"""``mmeval-pack path``: where the tasks are."""

from __future__ import annotations

import argparse

from mmeval_pack.translators.cli._common import add_command, tasks_dir


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    add_command(
        commands,
        "path",
        "print the tasks folder",
        "Print the tasks folder, for frameworks that ask for one.",
        'lmms-eval --include_path "$(mmeval-pack path)" --tasks muirbench_mmeval --model ...',
        run,
    )


def run(options: argparse.Namespace) -> int:
    """Print the folder's absolute path."""
    print(tasks_dir(options).absolute())
    return 0
