"""What the commands share: options, messages and output."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.terminal import escaped, visible


def add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    summary: str,
    description: str,
    example: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add a command with the options that every command has.

    Args:
        commands: the sub-parsers of the program.
        name: the command.
        summary: one line for the list of commands.
        description: what it does, what it returns, for its own help.
        example: a command line.
        run: takes the parsed options, returns the exit code.
    """
    parser = commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example: {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--tasks", metavar="DIR", type=Path, help="a tasks folder other than the pack's own")
    parser.add_argument("--quiet", action="store_true", help="no messages on stderr but errors")
    parser.set_defaults(run=run)
    return parser


def tasks_dir(options: argparse.Namespace) -> Path:
    """The tasks folder that the options name: the pack's own unless ``--tasks`` is given."""
    return options.tasks or TASKS_DIR


def say(options: argparse.Namespace, message: str) -> None:
    """Print a message on stderr, unless ``--quiet``."""
    if not options.quiet:
        print(visible(message), file=sys.stderr)


def one_line(text: str) -> str:
    """The text with each run of spaces and line ends as one space."""
    return " ".join(text.split())


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 task``, ``2 tasks``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def print_json(value: Any) -> None:
    """Print a result as JSON: readable text where stdout can carry it, escapes where it cannot."""
    text = escaped(
        json.dumps(value, ensure_ascii=False, indent=2), lambda character: json.dumps(character)[1:-1]
    )
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=2)
    print(text)


def command_line(options: argparse.Namespace, *words: str) -> str:
    """A command for the user to copy, with the tasks folder that was in use."""
    where = [] if options.tasks is None else ["--tasks", str(options.tasks)]
    return shlex.join(["mmeval-pack", *words, *where])
