"""Where tasks lie, what they are called, and what the hub calls their rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from mmeval_pack.judges.errors import InputError

TASKS_DIR = Path(__file__).resolve().parents[1] / "tasks"
SUFFIX = "mmeval"
# A task's name is also a file's name, with `.responses.jsonl` or a framework's time stamp beside it.
LONGEST_NAME = 150


def slug(text: str) -> str:
    """The text as a part of a task's name: ``MMT-Bench`` becomes ``mmt_bench``.

    Raises:
        InputError: the text holds a character that no task name may hold, or nothing at all.
    """
    name = re.sub(r"[-. ]", "_", text)
    bad = sorted(set(re.sub(r"[A-Za-z0-9_]", "", name)))
    if bad or not text:
        fault = f"the character(s) {' '.join(map(ascii, bad))}" if bad else "no character"
        raise InputError(
            f"the name {text!r} holds {fault}; a task's name is made of the letters a to z, digits, "
            "`_`, `-`, `.` and space"
        )
    return name.lower()


def task_name(parts: Sequence[str]) -> str:
    """The framework's name of a task or group: the parts as slugs, then the pack's mark.

    Args:
        parts: names of the benchmark and, where they are needed, of the subset and the split.

    Raises:
        InputError: as :func:`slug`; or the name is too long to be a file's.
    """
    name = "_".join([*map(slug, parts), SUFFIX])
    if len(name) > LONGEST_NAME:
        raise InputError(
            f"the task name {name[:60]}... has {len(name)} characters; at most {LONGEST_NAME} fit"
        )
    return name


def hub_config(subset: str, split: str) -> str:
    """The hub's configuration, guessed: only the hub can tell which of its two layouts a repository has.

    A repository has a configuration for each subset, or one called ``default`` whose splits carry the
    subset's name in front (``real_test``). pack.json overrides the guess.
    """
    return "default" if split.startswith(f"{subset}_") else subset


def is_split(name: str) -> bool:
    """Whether a dataset on the hub can have a split of that name: words and dots, but not ``all``."""
    return bool(re.fullmatch(r"\w+(\.\w+)*", name)) and name != "all"
