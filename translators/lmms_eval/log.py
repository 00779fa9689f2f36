"""Reads the samples files that lmms-eval 0.7.3 writes for the pack's tasks (``--log_samples``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import jsonl

REQUIRED_KEYS = ("task", "id", "sample", "response", "reasoning")


def recognises(path: Path) -> bool:
    """Whether the first line with content looks like a sample of one of the pack's tasks."""
    try:
        _, record = next(jsonl.read(path))
    except (StopIteration, InputError):
        return False
    return isinstance(record, dict) and "doc_id" in record and isinstance(record.get("detail"), dict)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The ``detail`` of each sample, in the order of the file.

    It holds the row without its media, the raw response and the verdict of the run: enough to score again
    without the dataset. Its keys are listed in docs/scoring.md.

    Raises:
        InputError: the file cannot be read; or a line is not JSON, or no sample of one of the pack's tasks.
    """
    for number, record in jsonl.read(path):
        detail = record.get("detail") if isinstance(record, dict) else None
        if not isinstance(detail, dict):
            raise InputError(
                f"{path}, line {number}: no `detail`; expected a samples file that `lmms-eval --log_samples` "
                "wrote for a task whose name ends in _mmeval"
            )
        if missing := [key for key in REQUIRED_KEYS if key not in detail]:
            raise InputError(f"{path}, line {number}: `detail` lacks {', '.join(missing)}")
        yield detail
