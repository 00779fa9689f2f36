"""Looks at every row of a task before anything is generated."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.askable import fault_of, unsupplied
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.prompt import Prompt

BATCH = 256  # rows whose text is in memory at a time


def check(task: str, prompt: Prompt, dataset: Any) -> None:
    """Stop the run when a row cannot be asked as published; warn when ids repeat, or no row has a name.

    A row is bad when its id or its messages cannot be used, when the template fails on it, or when the number
    of media tokens in its prompt is not the number of its media. All are when the template reads a name that
    none of them has and that is close to a field which they have.

    Args:
        task: name of the task.
        prompt: the task's prompt.
        dataset: a ``datasets.Dataset``; its media are counted and never decoded.

    Raises:
        SystemExit: some row is bad; the message names them all.
    """
    faults: list[str] = []
    ids: Counter[str] = Counter()
    try:
        for number, (row, media) in enumerate(undecoded(dataset)):
            ids[str(row.get("id"))] += 1
            if fault := fault_of(row, media, prompt):
                faults.append(f"  row {number}, id {row.get('id')!r}: {fault}")
    except InputError as error:
        halt(f"task {task}: {error}")
    if faults:
        lines = "\n".join(faults)
        halt(f"task {task}: {len(faults)} of {ids.total()} rows cannot be asked, so nothing is:\n{lines}")
    warnings = []
    try:
        warnings += unsupplied((row for row, _ in undecoded(dataset)), prompt)
    except InputError as error:
        halt(f"task {task}: {error}")
    if repeated := [repr(name) for name, count in ids.items() if count > 1]:
        shown = ", ".join(repeated[:5]) + (", ..." if len(repeated) > 5 else "")
        warnings.append(f"{len(repeated)} ids stand for several rows: {shown}")
    sys.stderr.writelines(f"mmeval-pack: warning: task {task}: {text}\n" for text in warnings)


def undecoded(dataset: Any) -> Iterator[tuple[dict[str, Any], int]]:
    """Each row without its media, and how many media it has."""
    for table in dataset.with_format("arrow").iter(BATCH):
        if "media" not in table.column_names:
            yield from ((row, 0) for row in table.to_pylist())
        else:
            yield from zip(table.drop_columns(["media"]).to_pylist(), lengths(table["media"]), strict=True)


def lengths(column: Any) -> list[int]:
    """The length of each list of an arrow column up to the first null in it; a null list is an empty one.

    Raises:
        InputError: the column holds no lists.
    """
    from pyarrow import ArrowException, compute, types

    if types.is_null(column.type):
        return [0] * len(column)
    try:
        sizes = [size or 0 for size in compute.list_value_length(column).to_pylist()]
        present = iter(compute.is_valid(compute.list_flatten(column)).to_pylist())
    except ArrowException:
        raise InputError(f"the column media holds {column.type}, expected lists") from None
    return [sum(takewhile(bool, [*islice(present, size)])) for size in sizes]
