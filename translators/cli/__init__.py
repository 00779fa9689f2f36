"""The command line ``mmeval-pack``: one module a command, found by its name in this folder.

Importing a command module puts its name into this one, ``list`` and ``compile`` among them: the builtins of
these names are out of reach here.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mmeval_pack.judges.errors import PackError
from mmeval_pack.translators._version import VERSION
from mmeval_pack.translators.terminal import visible

# What a shell reports for a process that these signals ended: 128 + SIGINT, 128 + SIGPIPE.
_INTERRUPTED = 130
_PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: the arguments after the program's name; None takes the process's own.

    Returns:
        0 fine; 1 differs, or a gate is not met; 2 bad input or usage; 3 some sample could not be judged.
    """
    _replace_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A file's odd bytes or a terminal without Unicode must not end a command half-way.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run(sys.argv[1:] if argv is None else argv)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return _PIPE_CLOSED
    except OSError as error:  # a full disk, most likely: commands know what else can happen to their files
        with contextlib.suppress(OSError):
            print(f"mmeval-pack: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        _drop_output()
        return 2
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        parser = _parser(arguments[:1])
        options, others = parser.parse_known_args(arguments)
        if others and not hasattr(options, "others"):
            parser.error(f"unrecognized arguments: {' '.join(others)}")
        options.others = others
        code: int = options.run(options)
    except PackError as error:
        print(f"mmeval-pack: {visible(str(error))}", file=sys.stderr)
        return error.exit_code
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _replace_closed_streams() -> None:
    """Put the null device in the place of streams that were closed (``>&-``), which Python leaves out."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115 - it lasts as long as the process


def _drop_output() -> None:
    """Let the interpreter's own flush at its end go nowhere: it would fail again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
            continue
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _parser(first: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all commands, or, to start fast, of the one that comes first."""
    parser = argparse.ArgumentParser(
        prog="mmeval-pack",
        description="Compile mm-eval benchmarks into tasks of evaluation frameworks, and score responses.",
        epilog="example: mmeval-pack list",
    )
    parser.add_argument("--version", action="version", version=f"mmeval-pack {VERSION}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command", required=True)
    names = sorted(file.stem for file in Path(__file__).parent.glob("[!_]*.py"))
    for name in [name for name in names if name in first] or names:
        importlib.import_module(f"{__name__}.{name}").add_parser(commands)
    return parser
