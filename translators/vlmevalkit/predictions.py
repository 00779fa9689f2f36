"""Prediction files of VLMEvalKit (tsv, xlsx, json), read and written so that every text stays what it was.

VLMEvalKit itself reads them with the defaults of pandas, which make nothing of ``None`` and ``n/a``, and
numbers of ``1.0`` and ``007``.
"""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import tsv

Row = dict[str, Any]

CELL: Final = 32_767  # characters that a cell of xlsx holds
# Stands for a response that is recorded as missing: VLMEvalKit would make the word None of a null.
NO_RESPONSE: Final = "Failed to obtain answer: none is recorded"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
_ESCAPED = re.compile("_x00([01][0-9A-F])_")


def read(path: Path) -> list[Row]:
    """The rows of a prediction file, by column. What is empty is an empty text.

    Raises:
        InputError: it cannot be read, or has no columns ``index`` and ``prediction``.
    """
    if path.suffix not in _READERS:
        raise InputError(f"{path}: is no prediction file; expected a name that ends in {', '.join(_READERS)}")
    try:
        rows: list[Row] = _READERS[path.suffix](path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if rows and (missing := [name for name in ("index", "prediction") if name not in rows[0]]):
        raise InputError(
            f"{path}: lacks the column {' and '.join(missing)}; expected a prediction file of VLMEvalKit"
        )
    return rows


def response(prediction: Any) -> str | None:
    """The response that a cell of the column ``prediction`` stands for; None when there is none."""
    if prediction is None or prediction == NO_RESPONSE:
        return None
    return prediction if isinstance(prediction, str) else str(prediction)


def _xlsx(path: Path) -> list[Row]:
    from zipfile import BadZipFile

    from openpyxl import load_workbook
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles, which nobody reads
            book = load_workbook(path, read_only=True)  # formulas stay text: =1+1 is what a model wrote
    except (BadZipFile, InvalidFileException, KeyError, ValueError) as error:
        raise InputError(f"{path}: no xlsx file: {error}") from None
    try:
        lines = ([_cell(value) for value in line] for line in book.worksheets[0].iter_rows(values_only=True))
        return tsv.named(next(lines, []), lines, path)
    finally:
        book.close()


def _cell(value: Any) -> str:
    """The text of a cell."""
    value = getattr(value, "text", value)  # of an array formula, which a text such as {=1} becomes
    text = "" if value is None else str(value)
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _json(path: Path) -> list[Row]:
    try:
        value = json.loads(path.read_bytes())
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}") from None
    if isinstance(value, dict) and {"columns", "data"} <= value.keys():
        value = [dict(zip(value["columns"], line, strict=True)) for line in value["data"]]
    elif isinstance(value, dict) and value and all(isinstance(column, list) for column in value.values()):
        value = [dict(zip(value, line, strict=True)) for line in zip(*value.values(), strict=True)]
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{path}: expected a list of objects, one a row")
    return value


_READERS: Final[Mapping[str, Callable[[Path], list[Any]]]] = {
    ".tsv": tsv.read,
    ".xlsx": _xlsx,
    ".json": _json,
}
SUFFIXES: Final = tuple(_READERS)


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows in the format that the path names; None is an empty cell, null in JSON.

    Text that is longer than a cell of xlsx is cut there.
    """
    names = [*dict.fromkeys(name for row in rows for name in row)]
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, indent=4, ensure_ascii=False), encoding="utf-8", errors="replace")
    elif path.suffix == ".xlsx":
        _write_xlsx(path, names, rows)
    else:
        delimiter = "," if path.suffix == ".csv" else "\t"
        with path.open("w", encoding="utf-8", errors="replace", newline="") as stream:
            lines = csv.writer(stream, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
            lines.writerow(names)
            lines.writerows([row.get(name) for name in names] for row in rows)


def _write_xlsx(path: Path, names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet = book.create_sheet()

    def cell(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        text = _CONTROL.sub(lambda found: f"_x{ord(found[0]):04X}_", value)[:CELL]
        made = WriteOnlyCell(sheet, value="")
        made._value, made.data_type = text.encode("utf-8", "replace").decode(), "s"  # else =1+1 is a formula
        return made

    for line in (names, *([row.get(name) for name in names] for row in rows)):
        sheet.append([cell(value) for value in line])
    book.save(path)
