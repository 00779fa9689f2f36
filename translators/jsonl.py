"""Reads files of one JSON value a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError


def read(path: Path) -> Iterator[tuple[int, Any]]:
    """Each line's number, from 1, and its value; blank lines are left out.

    Raises:
        InputError: the file cannot be read; or a line is not UTF-8, or not JSON.
    """
    try:
        stream = path.open("rb")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    with stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield number, _value(line, f"{path}, line {number}")


def _value(line: bytes, place: str) -> Any:
    try:
        return json.loads(line.strip())
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place}: not JSON: {error}") from None
