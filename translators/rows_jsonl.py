"""Rows as JSONL: one object a line, images in base64."""

from __future__ import annotations

import base64
import binascii
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import jsonl
from mmeval_pack.translators.row_table import MEDIA
from mmeval_pack.translators.rows_held import HeldRows, Row, to_json, with_text_id

if TYPE_CHECKING:
    from mmeval_pack.translators.rows import Rows


def write(rows: Rows, task: str, path: Path) -> list[str]:  # noqa: ARG001 - as all writers are called
    """Write the rows; there is nothing to warn of."""
    with path.open("w", encoding="ascii", newline="\n") as stream:
        for number, row in enumerate(rows.rows):
            place = f"row {number}, id {row.get('id')!r}"
            media = rows.media(number)
            held = None if media is None else [_encoded(each) for each in media]
            stream.write(to_json({**with_text_id(row, place), MEDIA: held}, place) + "\n")
    return []


def _encoded(media: Any) -> Any:
    if not isinstance(media, dict) or media.get("bytes") is None:
        return media
    return {**media, "bytes": base64.b64encode(media["bytes"]).decode()}


def read(path: Path) -> HeldRows:
    """The rows of a file.

    Raises:
        InputError: it cannot be read, or a line is no row.
    """
    rows = []
    for number, row in jsonl.read(path):
        place = f"{path}, line {number}"
        if not isinstance(row, dict):
            raise InputError(f"{place}: a JSON {type(row).__name__}, expected a row, an object")
        rows.append(_row(with_text_id(row, place), place))
    return HeldRows(rows, path.resolve().parent)


def _row(row: Row, place: str) -> Row:
    media = row.get(MEDIA)
    if media is None:
        return row
    if not isinstance(media, list):
        raise InputError(f"{place}: media is {type(media).__name__}, expected a list")
    return {**row, MEDIA: [_decoded(each, place) for each in media]}


def _decoded(media: Any, place: str) -> Any:
    if not isinstance(media, dict) or not isinstance(media.get("bytes"), str):
        return media
    try:
        return {**media, "bytes": base64.b64decode(media["bytes"], validate=True)}
    except binascii.Error as error:
        raise InputError(f"{place}: an image that is no base64: {error}") from None
