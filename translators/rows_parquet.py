"""Rows as parquet, as they are published, so that lmms-eval and the hub's library decode their images."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.row_table import MEDIA
from mmeval_pack.translators.rows_held import to_json, with_text_id

if TYPE_CHECKING:
    from mmeval_pack.translators.rows import Rows

_GROUP: Final = 100  # rows whose images are in memory at a time


def write(rows: Rows, task: str, path: Path) -> list[str]:  # noqa: ARG001 - as all writers are called
    """Write the rows; a field that some rows lack is null there. There is nothing to warn of.

    Raises:
        InputError: a column has values of several types, or the packages pyarrow and datasets are missing.
    """
    try:
        import pyarrow
        from datasets import Features, Image, List, Value
        from pyarrow import parquet
    except ImportError as error:
        raise InputError(f"parquet files need the packages pyarrow and datasets: {error}") from None
    made = [with_text_id(row, f"row {number}") for number, row in enumerate(rows.rows)]
    for row in made:
        if isinstance(row.get("messages"), list):
            row["messages"] = json.dumps(row["messages"], ensure_ascii=False)
    names = [*dict.fromkeys(name for row in made for name in row)]
    columns = {name: _column(name, [row.get(name) for row in made]) for name in names}
    media = Image() if _has_images(rows, len(made)) else Value("string")
    features = Features.from_arrow_schema(pyarrow.schema([(name, columns[name].type) for name in names]))
    schema = Features({"id": features["id"], MEDIA: List(media), **features}).arrow_schema
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, len(made), _GROUP):
            group = range(start, min(start + _GROUP, len(made)))
            part = {name: column.slice(start, len(group)) for name, column in columns.items()}
            part[MEDIA] = pyarrow.array([rows.media(number) for number in group], schema.field(MEDIA).type)
            writer.write_table(pyarrow.table([part[field.name] for field in schema], schema))
    return []


def _has_images(rows: Rows, count: int) -> bool:
    """Whether the media are images and not paths.

    Raises:
        InputError: they are of both kinds.
    """
    kinds = {isinstance(each, str) for number in range(count) for each in rows.media(number) or ()}
    if len(kinds) > 1:
        raise InputError("media are images in some rows and paths in others; parquet holds one kind")
    return kinds != {True}


def _column(name: str, values: Sequence[Any]) -> Any:
    """The values as an arrow array that gives back the same values.

    Raises:
        InputError: there is none.
    """
    import pyarrow

    try:
        array = pyarrow.array(values)
        same = [to_json(value, name) for value in array.to_pylist()] == [to_json(v, name) for v in values]
    except (pyarrow.ArrowException, UnicodeEncodeError) as error:
        raise InputError(f"column {name}: parquet cannot hold its values: {error}") from None
    if not same:
        raise InputError(f"column {name}: parquet cannot hold its values as they are: they differ in type")
    return array
