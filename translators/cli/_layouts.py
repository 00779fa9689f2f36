"""Records of other programs that ``mmeval-pack score`` reads as lines of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Record = dict[str, Any]


def _is_lmms_eval_sample(record: Mapping[str, Any]) -> bool:
    return "doc_id" in record and isinstance(record.get("detail"), dict)


def _detail(record: Record) -> Record:
    detail: Record = record["detail"]
    return detail


# Recognising a record and finding the line in it. Each record is looked at: files get cut and joined.
LAYOUTS: tuple[tuple[Callable[[Mapping[str, Any]], bool], Callable[[Record], Record]], ...] = (
    (_is_lmms_eval_sample, _detail),
)


def unwrap(record: Record) -> Record:
    """The line of a record: what a known layout holds, else the record itself."""
    if "sample" in record:
        return record
    for recognises, line in LAYOUTS:
        if recognises(record):
            return line(record)
    return record
