"""Reads tab-separated tables so that every cell stays the text that it is."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from mmeval_pack.judges.errors import InputError


def read(path: Path) -> list[dict[str, str]]:
    """The rows by column; a row that ends early has empty texts in its last columns.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or a row has more cells than there are columns.
    """
    try:
        with _long_fields(), path.open(encoding="utf-8-sig", newline="") as stream:
            lines = csv.reader(stream, delimiter="\t", strict=True)
            return named(next(lines, []), lines, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8: {error.reason} (byte {error.start + 1})") from None
    except csv.Error as error:
        raise InputError(f"{path}: no tab-separated table: {error}") from None


def named(names: Sequence[str], lines: Iterable[Sequence[str]], path: Path) -> list[dict[str, str]]:
    """The lines by the names of their columns.

    Raises:
        InputError: a line has more cells than there are columns.
    """
    rows = []
    for number, line in enumerate(lines, start=2):
        if len(line) > len(names):
            raise InputError(f"{path}, row {number}: {len(line)} cells under {len(names)} columns")
        rows.append(dict(zip(names, [*line, *[""] * (len(names) - len(line))], strict=True)))
    return rows


@contextmanager
def _long_fields() -> Iterator[None]:
    """Lets csv read cells of any length meanwhile: an image is one."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
