"""Rows of a task between layouts: parquet as published, JSONL, and the TSV of VLMEvalKit.

Nothing is lost on the way there and back: images keep their bytes, texts their characters, values their
types, and ids are text. What a layout cannot hold is refused, never changed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import row_table, rows_jsonl, rows_parquet, rows_tsv

Row = dict[str, Any]


class Rows(Protocol):
    """Rows in their order; :class:`row_table.RowTable` is one kind."""

    @property
    def rows(self) -> list[Row]:
        """Each row without its media."""

    @property
    def folder(self) -> Path | None:
        """The folder that paths of media are relative to; None for the hub."""

    def media(self, number: int) -> list[Any] | None:
        """The media of the row of this number: ``{"bytes", "path"}`` or paths."""


_READERS: Final[Mapping[str, Callable[[Path], Rows]]] = {
    "tsv": rows_tsv.read,
    "parquet": row_table.of_file,
    "jsonl": rows_jsonl.read,
}
_WRITERS: Final[Mapping[str, Callable[[Rows, str, Path], list[str]]]] = {
    "tsv": rows_tsv.write,
    "parquet": rows_parquet.write,
    "jsonl": rows_jsonl.write,
}
FORMATS: Final = tuple(_WRITERS)


def read(path: Path) -> Rows:
    """The rows of a file, in the layout that its name ends in.

    Raises:
        InputError: no layout is called so, or the file cannot be read.
    """
    reader = _READERS.get(path.suffix.removeprefix("."))
    if reader is None:
        raise InputError(f"{path}: of no known layout; expected a name that ends in .{', .'.join(_READERS)}")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    return reader(path)


def write(rows: Rows, task: str, path: Path) -> list[str]:
    """Write rows in the layout that the name of the file ends in; it takes its place whole.

    Args:
        rows: the rows.
        task: name of the task that they are of.
        path: the file.

    Returns:
        What to warn of.

    Raises:
        InputError: the layout cannot hold the rows, or the file cannot be written.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        warnings = _WRITERS[path.suffix.removeprefix(".")](rows, task, part)
        part.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        part.unlink(missing_ok=True)
    return warnings
