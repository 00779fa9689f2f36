"""Where the rows of a task come from: the hub, a file named at compile time, or a folder named at run time.

Stdlib only: the entry point imports this module in every lmms-eval process.
"""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.local_rows import local_rows, media_path

AUTOLOAD_VARIABLE = "MMEVAL_AUTOLOAD"

# Folders of the local rows by task name. The functions of one utils.py do not share their module (lmms-eval
# executes it once a reference), so what source() learns from its __file__ can reach doc_to_visual only here.
_folders: dict[str, Path] = {}


# Questions that rows only show in an image, by task name and row id, for the same reason.
_questions: dict[str, dict[Any, str]] = {}


class Source(NamedTuple):
    """What ``datasets.load_dataset`` is called with.

    Attributes:
        path: repository on the hub, or the name of a builder.
        name: configuration of the repository, None for local rows.
        kwargs: further arguments.
    """

    path: str
    name: str | None
    kwargs: dict[str, Any]


def autoload() -> bool:
    """Whether the entry point may add anything to lmms-eval."""
    return os.environ.get(AUTOLOAD_VARIABLE) != "0"


def rank() -> int:
    """The number of this process among those that share one run, from 0."""
    number = os.environ.get("RANK", "")
    return int(number) if number.isdecimal() else 0


def remember_questions(task: str, questions: dict[Any, str]) -> None:
    """Keep the questions, by row id, that a task's rows only show in an image."""
    _questions[task] = questions


def with_question(task: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row, with what it asks as ``question_for_eval`` where it only shows that in an image."""
    question = _questions.get(task, {}).get(row.get("id"))
    return row if question is None else {**row, "question_for_eval": question}


def source(literal: Mapping[str, Any], file: str) -> Source:
    """Find the rows of a task.

    Args:
        literal: the task, as :meth:`Task.literal` gives it.
        file: the generated ``utils.py``; a path of rows in the literal is relative to its folder.

    Raises:
        SystemExit: local rows are asked for and are not there, or are no parquet file.
    """
    task = literal["name"]
    try:
        rows = local_rows(literal, file)
    except InputError as error:
        halt(str(error))
    if rows is None:
        return Source(literal["repo"], literal["config"], {})
    if "::" in str(rows):
        halt(f"{rows}: datasets cannot read a path that holds '::'; rename or move the folder")
    _folders[task] = rows.parent
    # datasets keeps what it built from a file under the file's path and mtime. The description is part of
    # that key too, so with the digest in it a file that was replaced in place is read anew.
    # And it takes the path for a pattern.
    data_files = {literal["split"]: glob.escape(str(rows))}
    kwargs = {"data_files": data_files, "description": f"sha256:{digest(rows)}"}
    return Source("parquet", None, kwargs)


def digest(path: Path) -> str:
    """The sha256 of a file, computed once a process for each state (path, size, mtime) of it."""
    state = path.stat()
    return _digest(path, state.st_size, state.st_mtime_ns)


@cache
def _digest(path: Path, size: int, mtime: int) -> str:  # noqa: ARG001 - the key of the cache
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def media_file(task: str, repo: str, path: str) -> str:
    """The absolute path of a media file that a row names relative to its dataset.

    Args:
        task: name of the task.
        repo: the dataset's repository on the hub, from which the file is fetched unless the rows are local.
        path: the path in the row; an absolute path or a URL stays as it is.
    """
    return media_path(repo, _folders.get(task), path)
