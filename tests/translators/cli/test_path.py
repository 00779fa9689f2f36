"""mmeval-pack path."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.naming import TASKS_DIR


def test_the_packs_own_folder(run: Callable[..., Any]) -> None:
    """One line, absolute, and there is a benchmark in it."""
    assert run("path") == (0, f"{TASKS_DIR}\n", "")
    assert (TASKS_DIR / "muirbench/metadata.json").is_file()


def test_another_folder(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made absolute, since it is for other programs."""
    monkeypatch.chdir(tmp_path)
    assert run("path", "--tasks", "mine") == (0, f"{tmp_path}/mine\n", "")
