"""Recorded responses: files of lines ``{"task", "id", "response"}``, joined to rows by task and row id."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import jsonl

PATTERN = "*.responses.jsonl"

Key = tuple[str, str]


def files(path: Path) -> list[Path]:
    """The response files that an argument names.

    Raises:
        InputError: nothing is there, or a folder holds no response file.
    """
    if path.is_dir():
        if found := sorted(path.rglob(PATTERN)):
            return found
        raise InputError(f"{path}: no {PATTERN} in this folder or below it")
    if not path.is_file():
        raise InputError(f"{path}: no such file or folder; expected recorded responses")
    return [path]


def load(paths: Iterable[Path]) -> dict[Key, str | None]:
    """The recorded responses by (task, row id).

    Raises:
        InputError: a file cannot be read, a line is not of the form, or two lines give one row two responses.
    """
    responses: dict[Key, str | None] = {}
    for path in paths:
        for number, line in jsonl.read(path):
            place = f"{path}, line {number}"
            key, response = _entry(line, place)
            if responses.setdefault(key, response) != response:
                raise InputError(f"{place}: a second, different response for task {key[0]}, id {key[1]!r}")
    return responses


def _entry(line: Any, place: str) -> tuple[Key, str | None]:
    if not isinstance(line, dict) or not {"task", "id", "response"} <= line.keys():
        raise InputError(f'{place}: expected an object with "task", "id" and "response"')
    if not isinstance(line["task"], str) or type(line["id"]) not in (str, int):  # True is no id
        raise InputError(f'{place}: "task" must be text and "id" text or a whole number')
    if not isinstance(line["response"], str | None):
        raise InputError(f'{place}: "response" must be text or null')
    return (line["task"], str(line["id"])), line["response"]
