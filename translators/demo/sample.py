"""The bundled sample: reviewable rows and drawings in, one parquet file a task out.

``python -m mmeval_pack.translators.demo.sample [TASKS_DIR]`` rebuilds ``<benchmark>/sample/<task>.parquet``
from ``<benchmark>/sample/rows.json``. Rows have the published v3 layout.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import jsonl, recorded
from mmeval_pack.translators.demo.drawing import draw
from mmeval_pack.translators.demo.judge import Replies
from mmeval_pack.translators.plan import TASKS_DIR

Row = dict[str, Any]


class Bundled(NamedTuple):
    """The sample of one task.

    Attributes:
        task: name of the task.
        path: the parquet file.
        rows: its rows, images as PNG bytes.
        responses: the recorded responses by row id, one for each row.
        judged: the judge's recorded replies by row id, for rows that need them.
    """

    task: str
    path: Path
    rows: list[Row]
    responses: dict[str, str | None]
    judged: dict[str, Replies]


def _png(lines: Sequence[str]) -> dict[str, Any]:
    buffer = io.BytesIO()
    draw(lines).save(buffer, "PNG")
    return {"bytes": buffer.getvalue(), "path": None}


def row_of(entry: Mapping[str, Any]) -> Row:
    """One row of ``rows.json`` as it is published: drawings as PNG bytes, the message as JSON text."""
    message = {"role": "user", **entry["message"]}
    extras = {key: value for key, value in entry.items() if key not in ("id", "images", "message")}
    return {
        "id": entry["id"],
        "media": [_png(lines) for lines in entry["images"]],
        "messages": json.dumps([message], ensure_ascii=False),
        **extras,
    }


def described(path: Path) -> dict[str, list[Row]]:
    """The rows that one ``rows.json`` describes, by task.

    Raises:
        InputError: the file is no JSON, or a row lacks a key.
    """
    try:
        tasks = json.loads(path.read_text(encoding="utf-8"))
        return {task: [row_of(entry) for entry in entries] for task, entries in tasks.items()}
    except ValueError as error:
        raise InputError(f"{path}: no JSON: {error}") from None
    except KeyError as error:
        raise InputError(f"{path}: a row lacks {error}; it needs id, message and images") from None


def write(rows: Sequence[Row], path: Path) -> None:
    """Writes rows as parquet with the features that ``datasets`` decodes images by."""
    import pyarrow
    from datasets import Features, Image, List, Value
    from pyarrow import parquet

    scalar = {str: Value("string"), int: Value("int64")}
    features = {key: List(Image()) if key == "media" else scalar[type(rows[0][key])] for key in rows[0]}
    schema = Features(features).arrow_schema
    parquet.write_table(pyarrow.Table.from_pylist(list(rows), schema=schema), path)


def build(tasks_dir: Path = TASKS_DIR) -> list[Path]:
    """Rebuilds every sample below ``tasks_dir`` and returns the files written."""
    written = []
    for path in sorted(tasks_dir.glob("*/sample/rows.json")):
        for task, rows in described(path).items():
            written.append(path.parent / f"{task}.parquet")
            write(rows, written[-1])
    return written


def bundled(tasks_dir: Path) -> list[Bundled]:
    """The samples of all tasks below ``tasks_dir``, as they are committed.

    Raises:
        InputError: there is none, a file cannot be read, or a row has no response.
    """
    paths = sorted(tasks_dir.glob("*/sample/*.parquet"))
    if not paths:
        raise InputError(f"{tasks_dir}: holds no sample, expected <benchmark>/sample/<task>.parquet")
    return [_bundled(path) for path in paths]


def _bundled(path: Path) -> Bundled:
    from pyarrow import ArrowException, parquet

    answered = path.with_suffix(".responses.jsonl")
    responses = {row: text for (task, row), text in recorded.load([answered]).items() if task == path.stem}
    try:
        rows = parquet.read_table(path).to_pylist()
    except ArrowException as error:
        raise InputError(f"{path}: no parquet file: {error}") from None
    if missing := [row["id"] for row in rows if row["id"] not in responses]:
        raise InputError(f"{answered}: no response for {len(missing)} rows: id {', '.join(missing)}")
    return Bundled(path.stem, path, rows, responses, _judged(path.with_suffix(".judge.jsonl")))


def _judged(path: Path) -> dict[str, Replies]:
    """The judge's replies of one file; none where there is no file.

    Raises:
        InputError: a line is no recorded pair of replies.
    """
    replies = {}
    for number, line in jsonl.read(path) if path.is_file() else ():
        if not isinstance(line, dict) or not {"id", "extract", "score"} <= line.keys():
            raise InputError(f'{path}, line {number}: expected an object with "id", "extract" and "score"')
        replies[line["id"]] = Replies(line["extract"], line["score"])
    return replies


if __name__ == "__main__":
    build(*map(Path, sys.argv[1:2]))
