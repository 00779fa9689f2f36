"""The file that a command writes: whole at the end of the command, untouched until then."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mmeval_pack.judges.errors import InputError

Write = Callable[[bytes], object]


@contextmanager
def output(name: str | None) -> Iterator[Write]:
    """Something to write bytes with.

    A regular file is written beside its place and moved there when the block ends without an error. A device
    or a pipe is written as it is.

    Args:
        name: a path; ``-`` for stdout; None for nowhere.

    Raises:
        InputError: the file cannot be written.
    """
    if name is None:
        yield lambda _: None
    elif name == "-":
        if sys.__stdout__ is None:
            raise InputError("-: stdout is closed")
        yield sys.stdout.buffer.write
    else:
        file = _File(name)
        try:
            yield file.write
            file.finish()
        finally:
            file.discard()


class _File:
    """A file on its way to its place."""

    def __init__(self, name: str) -> None:
        self._name = name
        # Through a link to the file itself: a move would put the file in the link's place.
        self._path = Path(name).resolve()
        self._moves = self._path.is_file() or not self._path.exists()
        self._part = self._path.with_name(f".{self._path.name}.{os.getpid()}.part")
        with self._explained():
            self._stream = (self._part if self._moves else self._path).open("wb")

    def write(self, data: bytes) -> None:
        with self._explained():
            self._stream.write(data)

    def finish(self) -> None:
        with self._explained():
            self._stream.flush()
            if self._moves:
                os.fsync(self._stream.fileno())
                self._part.replace(self._path)

    def discard(self) -> None:
        with suppress(OSError):  # what a full disk did not take is not wanted any more
            self._stream.close()
        if self._moves:
            self._part.unlink(missing_ok=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise InputError(f"{self._name}: cannot be written: {error.strerror}") from None
