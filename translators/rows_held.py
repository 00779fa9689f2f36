"""What the layouts share: rows held in memory, ids as text, values as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.row_table import MEDIA

Row = dict[str, Any]


class HeldRows:
    """Rows in memory.

    Attributes:
        rows: each row without its media.
        folder: of the file that they are from; None where there is none.
    """

    def __init__(self, rows: list[Row], folder: Path | None = None) -> None:
        """Takes rows with their media."""
        self.folder = folder
        self._media = [row.get(MEDIA) for row in rows]
        self.rows = [{name: value for name, value in row.items() if name != MEDIA} for row in rows]

    def media(self, number: int) -> list[Any] | None:
        """The media of the row of this number."""
        return self._media[number]


def with_text_id(row: Mapping[str, Any], place: str) -> Row:
    """The row with its id as text.

    Raises:
        InputError: the id is neither text nor a whole number.
    """
    name = row.get("id")
    if type(name) not in (str, int):
        raise InputError(f"{place}: the id is {name!r}, expected text")
    return {**row, "id": str(name)}


def to_json(value: Any, place: str) -> str:
    """The value as JSON text in ASCII, which keeps lone surrogates as well.

    Raises:
        InputError: no JSON text gives back the value.
    """
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{place}: holds what JSON cannot: {error}") from None
