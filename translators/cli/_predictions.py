"""Prediction files of VLMEvalKit as lines of ``mmeval-pack score``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mmeval_pack.judges import lines
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.translators.rows_tsv import ROW, row_of_columns
from mmeval_pack.translators.vlmevalkit import predictions


def recognises(path: Path) -> bool:
    """Whether the file is one by its name; a ``.json`` file must be a list, since it may also hold lines."""
    if path.suffix != ".json":
        return path.suffix in (".tsv", ".xlsx")
    with path.open("rb") as stream:
        return stream.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")


def read(path: Path) -> Iterator[bytes]:
    """A line for each prediction, in their order.

    Raises:
        InputError: the file cannot be read.
    """
    for number, row in enumerate(predictions.read(path), start=1):
        yield lines.write(_line(row, f"{path}, prediction {number}"))


def _line(row: Mapping[str, Any], place: str) -> dict[str, Any]:
    """Its task and row stand in a cell of the pack's own datasets; else the row is made of the columns."""
    response = predictions.response(row["prediction"])
    known = _own(row[ROW], place) if row.get(ROW) else {"id": str(row["index"]), "sample": _sample(row)}
    # As in the pack's logs of lmms-eval, where this key says that a framework had a part in the response.
    reasoning = "none" if response is None else separate(response).reasoning
    return {**known, "index": row["index"], "response": response, "reasoning": reasoning}


def _own(cell: Any, place: str) -> dict[str, Any]:
    try:
        known = json.loads(cell)
    except (ValueError, TypeError, RecursionError):
        known = None
    if not isinstance(known, dict) or not {"task", "id", "sample"} <= known.keys():
        cut = "; xlsx cuts it at 32,767 characters, tsv does not (PRED_FORMAT=tsv)"
        raise InputError(
            f"{place}: the cell {ROW} holds no row{cut if len(str(cell)) >= predictions.CELL else ''}"
        )
    return {name: known[name] for name in ("task", "id", "sample")}


def _sample(row: Mapping[str, Any]) -> dict[str, Any]:
    texts = {name: value for name, value in row.items() if name != "prediction"}
    return row_of_columns({name: "" if value is None else str(value) for name, value in texts.items()})
