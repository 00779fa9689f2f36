"""The files that ``mmeval-pack score`` reads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.lines import Chunk, Shard, chunks, numbered
from mmeval_pack.translators.cli import _predictions

STDIN = "-"


def check(names: Sequence[str], out: str | None) -> None:
    """Find out before the work what would end it.

    Raises:
        InputError: a file is not there, or ``out`` is one of the files.
    """
    for name in names:
        path = Path(name)
        if name == STDIN:
            continue
        if path.is_dir():
            raise InputError(f"{name}: is a folder; expected a file of responses")
        if not path.exists():
            raise InputError(f"{name}: no such file")
        if out and path.is_file() and Path(out).is_file() and path.samefile(out):
            raise InputError(f"--out {out}: is {name} itself, which is read; give another file")
    if STDIN in names and sys.__stdin__ is None:
        raise InputError("-: stdin is closed")
    if names.count(STDIN) > 1:
        raise InputError("-: stdin can be read only once")


def size(names: Iterable[str]) -> int | None:
    """Bytes of all files together; None when one of them is no regular file."""
    paths = [Path(name) for name in names]
    return sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else None


def read(names: Sequence[str], shard: Shard, report: Callable[[int], object]) -> Iterator[Chunk]:
    """The lines of the files, one file after the other.

    Args:
        names: paths; ``-`` for stdin.
        shard: the lines to take of each file.
        report: is told the bytes of each line that was read.

    Raises:
        InputError: a file cannot be read.
    """
    for index, name in enumerate(names):
        try:
            with _opened(name) as stream:
                yield from chunks(index, numbered(_reported(stream, report), shard))
        except OSError as error:
            raise InputError(f"{name}: cannot be read: {error.strerror}") from None


def _opened(name: str) -> AbstractContextManager[Iterable[bytes]]:
    if name == STDIN:
        return nullcontext(sys.stdin.buffer)
    path = Path(name)
    return nullcontext(_predictions.read(path)) if _predictions.recognises(path) else path.open("rb")


def _reported(stream: Iterable[bytes], report: Callable[[int], object]) -> Iterator[bytes]:
    for line in stream:
        report(len(line))
        yield line
