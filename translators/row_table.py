"""The rows of a task as an arrow table: their fields in memory, their media when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.local_rows import local_rows

MEDIA = "media"


class RowTable:
    """Rows in their order.

    Attributes:
        folder: of the file that they are from, None for the hub.
    """

    def __init__(self, table: Any, folder: Path | None) -> None:
        """Takes a ``pyarrow.Table``."""
        self._table = table
        self.folder = folder

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Each row without its media."""
        names = [name for name in self._table.column_names if name != MEDIA]
        rows: list[dict[str, Any]] = self._table.select(names).to_pylist()
        return rows

    def media(self, number: int) -> list[Any]:
        """The media of the row of this number: ``{"bytes", "path"}`` or paths; none where it has null.

        Raises:
            InputError: the row has no list of them.
        """
        if MEDIA not in self._table.column_names:
            return []
        value = self._table[MEDIA][number].as_py()
        if value is not None and not isinstance(value, list):
            raise InputError(f"row {number}: media is {type(value).__name__}, expected a list")
        return value or []

    def count(self, number: int) -> int:
        """How many media the row of this number has; they are not read."""
        if MEDIA not in self._table.column_names:
            return 0
        value = self._table[MEDIA][number]
        if not value.is_valid:
            return 0
        try:
            return len(value)
        except TypeError:
            raise InputError(f"row {number}: media is {value.type}, expected a list") from None

    def __len__(self) -> int:
        return int(self._table.num_rows)


def of_file(path: Path) -> RowTable:
    """The rows of a parquet file.

    Raises:
        InputError: it cannot be read.
    """
    parquet = _parquet()
    try:
        return RowTable(parquet.read_table(path), path.resolve().parent)
    except (OSError, ValueError) as error:  # pyarrow's own errors are of these
        raise InputError(f"{path}: cannot be read as a parquet file: {error}") from None


def of_task(literal: Mapping[str, Any], file: str) -> RowTable:
    """The rows of a task, from where they lie.

    Args:
        literal: the task, as :meth:`Task.literal` gives it.
        file: a generated file of the task.

    Raises:
        InputError: they cannot be had.
    """
    path = local_rows(literal, file)
    return of_file(path) if path else _of_hub(literal["repo"], literal["config"], literal["split"])


def _of_hub(repo: str, config: str, split: str) -> RowTable:
    try:
        from datasets import load_dataset
    except ImportError:
        raise InputError(f"{repo}: the package datasets is not installed: pip install datasets") from None
    try:
        dataset = load_dataset(repo, config, split=split)
    except (OSError, ValueError) as error:
        raise InputError(f"{repo}, config {config}, split {split}: cannot be loaded: {error}") from None
    return RowTable(dataset.data.table, None)


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise InputError("parquet files need the package pyarrow: pip install pyarrow") from None
    return parquet
