"""Where the rows of a task lie when a file takes the hub's place. Stdlib only: the entry point needs it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError

ROWS_VARIABLE = "MMEVAL_ROWS"

_MAGIC = b"PAR1"  # what a parquet file begins and ends with


def local_rows(literal: Mapping[str, Any], file: str) -> Path | None:
    """The parquet file that takes the hub's place, as an absolute path; None for the hub.

    Args:
        literal: the task, as :meth:`Task.literal` gives it.
        file: a generated file; a path of rows in the literal is relative to its folder.

    Raises:
        InputError: the file or its folder is missing, or the file cannot be read or is no whole parquet file.
    """
    if folder := os.environ.get(ROWS_VARIABLE):
        rows, asked_by = Path(folder).resolve() / f"{literal['name']}.parquet", f"{ROWS_VARIABLE}={folder}"
    elif literal["rows"]:
        rows, asked_by = Path(file).parent / literal["rows"], f"task {literal['name']}"
        # The folder alone: a file that is a link has its media beside the link, not beside what it links to.
        rows = rows.parent.resolve() / rows.name
    else:
        return None
    if not rows.parent.is_dir():
        raise InputError(f"{asked_by}: {rows.parent} is not a folder; expected a folder with {rows.name}")
    if not rows.is_file():
        found = ", ".join(sorted(path.name for path in rows.parent.glob("*.parquet"))) or "no parquet file"
        raise InputError(f"{asked_by}: expected {rows}; the folder holds {found}")
    try:
        begin, end = _ends(rows)
    except OSError as error:
        raise InputError(f"{asked_by}: {rows} cannot be read: {error.strerror}") from None
    if begin != _MAGIC:
        raise InputError(f"{asked_by}: {rows} is not a parquet file")
    if end != _MAGIC:
        raise InputError(f"{asked_by}: {rows} is cut off: a parquet file ends as it begins")
    return rows


def _ends(path: Path) -> tuple[bytes, bytes]:
    """The first and the last four bytes of a file; fewer where it has fewer."""
    with path.open("rb") as stream:
        begin = stream.read(len(_MAGIC))
        stream.seek(-len(begin), os.SEEK_END)
        return begin, stream.read()


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
