"""Rows as the TSV of VLMEvalKit.

The columns that VLMEvalKit knows are made of the row; the last one, ``mmeval``, holds the row itself as JSON,
since no other cell can tell the number 1.0 from the text. Tables without it, VLMEvalKit's own, are read by
their columns.

Images that a row names by path are read: VLMEvalKit leaves out a row whose cell ``image`` is empty, and does
not say so.
"""

from __future__ import annotations

import ast
import base64
import binascii
import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.records import first_message
from mmeval_pack.translators import tsv
from mmeval_pack.translators.indices import indices
from mmeval_pack.translators.row_table import MEDIA
from mmeval_pack.translators.rows_held import HeldRows, Row, to_json, with_text_id

if TYPE_CHECKING:
    from mmeval_pack.translators.rows import Rows

ROW: Final = "mmeval"
_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_REFERENCE: Final = 64  # characters: VLMEvalKit takes a shorter image for the index of another row


_VIDEOS: Final = frozenset((".avi", ".m4v", ".mkv", ".mov", ".mp4", ".mpeg", ".mpg", ".webm"))


def write(rows: Rows, task: str, path: Path) -> list[str]:
    """Write the rows; what to warn of are videos, for which the table has no cell.

    Raises:
        InputError: an image is not there.
    """
    made = [with_text_id(row, f"row {number}, id {row.get('id')!r}") for number, row in enumerate(rows.rows)]
    columns = [_columns(row) for row in made]
    names = [*dict.fromkeys(name for line in columns for name in line)]
    videos: list[str] = []
    # Unpaired surrogates are kept in the last column; no other can hold them.
    with path.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        lines = csv.writer(stream, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n")
        lines.writerow(["index", "image", *names, ROW])
        for number, index in enumerate(indices([row["id"] for row in made])):
            place = f"row {number}, id {made[number]['id']!r}"
            media = rows.media(number)
            images, skeleton = _taken_apart(media, rows.folder, place)
            if len(images) < len(media or ()):
                videos.append(place)
            row = {**made[number], MEDIA: skeleton}
            cell = to_json({"task": task, "id": row["id"], "sample": row}, place)
            shown = json.dumps(images) if images else ""
            lines.writerow([index, shown, *(columns[number].get(name, "") for name in names), cell])
    if not videos:
        return []
    return [
        f"the column image holds no videos, which {len(videos)} of {len(made)} rows have; first {videos[0]}"
    ]


def _columns(row: Mapping[str, Any]) -> dict[str, str]:
    """What VLMEvalKit's own classes read, and every further field under its name."""
    message = first_message(row)
    options = message.get("options")
    lettered = options if isinstance(options, dict) and {*options} <= _LETTERS else {}
    fields = {"question": message.get("question"), "hint": message.get("hint"), **lettered, **row}
    hidden = {"id", "messages", "index", "image", ROW}
    return {name: _text(value) for name, value in fields.items() if name not in hidden and value is not None}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _taken_apart(
    media: Sequence[Any] | None, folder: Path | None, place: str
) -> tuple[list[str], list[Any] | None]:
    """The images in base64, and the media with the number of its image in place of an image's bytes."""
    images: list[str] = []
    if media is None:
        return images, None
    skeleton = []
    for each in media:
        data = each.get("bytes") if isinstance(each, dict) else None
        skeleton.append(each if data is None else {**each, "bytes": len(images)})
        if data is None:
            data = _of_file(each, folder, place)
        if data is not None:
            images.append(base64.b64encode(data).decode())
    return images, skeleton


def _of_file(medium: Any, folder: Path | None, place: str) -> bytes | None:
    """The bytes of an image that a row names by its path; None for a video.

    Raises:
        InputError: there is no such file.
    """
    name = medium.get("path") if isinstance(medium, dict) else medium
    if not isinstance(name, str):
        raise InputError(f"{place}: a medium is {name!r}, expected an image or a path")
    path = Path(name)
    if path.suffix.lower() in _VIDEOS:
        return None
    if folder is None and not path.is_absolute():
        raise InputError(
            f"{place}: the image {name!r} is a file of its own on the hub; "
            "download the dataset, and give its rows with --from FILE"
        )
    file = path if folder is None else folder / path
    try:
        return file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(
            f"{place}: the image {name!r} cannot be read from {file}: {why}; "
            "VLMEvalKit would leave the row out"
        ) from None


def read(path: Path) -> HeldRows:
    """The rows of a table.

    Raises:
        InputError: it cannot be read, or a row of it.
    """
    lines = tsv.read(path)
    if lines and ROW not in lines[0] and not {"index", "question"} <= lines[0].keys():
        raise InputError(f"{path}: lacks the columns index and question; expected a table of VLMEvalKit")
    shared = {line["index"]: line.get("image", "") for line in lines if "index" in line}
    rows = []
    for number, line in enumerate(lines, start=2):
        place = f"{path}, row {number}"
        rows.append(_own(line, place) if ROW in line else _foreign(line, shared, place))
    return HeldRows(rows, path.resolve().parent)


def _own(line: Mapping[str, str], place: str) -> Row:
    images = _images(line.get("image", ""), place)
    try:
        row = json.loads(line[ROW])["sample"]
        if row[MEDIA] is not None:
            row[MEDIA] = [_put_back(each, images) for each in row[MEDIA]]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise InputError(f"{place}: the cell {ROW} holds no row with the images of the cell image") from None
    return with_text_id(row, place)


def _put_back(media: Any, images: Sequence[bytes]) -> Any:
    if isinstance(media, dict) and media.get("bytes") is not None:
        return {**media, "bytes": images[media["bytes"]]}
    return media


def _foreign(line: Mapping[str, str], shared: Mapping[str, str], place: str) -> Row:
    """A row of a table of VLMEvalKit's own; all its values are text."""
    image = line.get("image", "")
    if 0 < len(image) <= _REFERENCE:
        image = shared.get(image, image)
    media = [{"bytes": data, "path": None} for data in _images(image, place)]
    return {**row_of_columns(line), MEDIA: media}


def row_of_columns(line: Mapping[str, str]) -> Row:
    """The row, without media, that the columns of VLMEvalKit describe."""
    options = {name: text for name, text in line.items() if name in _LETTERS and text}
    message: dict[str, Any] = {"role": "user", "question": line.get("question", "")}
    message |= {"options": options} if options else {}
    message |= {"hint": line["hint"]} if line.get("hint") else {}
    used = {"index", "image", "question", "hint", *_LETTERS}
    return {
        "id": line["index"],
        "messages": json.dumps([message], ensure_ascii=False),
        **{name: text for name, text in line.items() if name not in used},
    }


def _images(cell: str, place: str) -> list[bytes]:
    """The images of a cell: nothing, one in base64, or a list of them as JSON or Python write it."""
    try:
        listed = ast.literal_eval(cell) if cell.startswith("[") else [cell] if cell else []
        return [base64.b64decode(each, validate=True) for each in listed]
    except (ValueError, SyntaxError, TypeError, binascii.Error, MemoryError, RecursionError):
        raise InputError(f"{place}: the cell image holds no image in base64, and no list of such") from None
