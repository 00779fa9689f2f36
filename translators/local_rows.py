"""Where the rows of a task lie when a file takes the hub's place. Stdlib only: the entry point needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError

ROWS_VARIABLE = "MMEVAL_ROWS"


def local_rows(literal: Mapping[str, Any], file: str) -> Path | None:
    """The parquet file that takes the hub's place, as an absolute path; None for the hub.

    Args:
        literal: the task, as :meth:`Task.literal` gives it.
        file: a generated file; a path of rows in the literal is relative to its folder.

    Raises:
        InputError: the file or its folder is missing, or the file is no parquet file.
    """
    if folder := os.environ.get(ROWS_VARIABLE):
        rows, asked_by = Path(folder).resolve() / f"{literal['name']}.parquet", f"{ROWS_VARIABLE}={folder}"
    elif literal["rows"]:
        rows, asked_by = (Path(file).parent / literal["rows"]).resolve(), f"task {literal['name']}"
    else:
        return None
    if not rows.parent.is_dir():
        raise InputError(f"{asked_by}: {rows.parent} is not a folder; expected a folder with {rows.name}")
    if not rows.is_file():
        found = ", ".join(sorted(path.name for path in rows.parent.glob("*.parquet"))) or "no parquet file"
        raise InputError(f"{asked_by}: expected {rows}; the folder holds {found}")
    with rows.open("rb") as stream:
        if stream.read(4) != b"PAR1":
            raise InputError(f"{asked_by}: {rows} is not a parquet file")
    return rows


def media_path(repo: str, folder: Path | None, path: str) -> str:
    """The absolute path of a media file that a row names relative to its dataset.

    Args:
        repo: the dataset's repository on the hub, from which the file is fetched unless the rows are local.
        folder: the folder of the local rows; None for the hub.
        path: the path in the row; an absolute path or a URL stays as it is.
    """
    if Path(path).is_absolute() or "://" in path:
        return path
    if folder is not None:
        return str(folder / path)
    from huggingface_hub import hf_hub_download

    return str(hf_hub_download(repo, path, repo_type="dataset"))
