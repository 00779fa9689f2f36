"""A small tasks folder, and the command line called in this process."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval_pack.translators.cli import main


class Done(NamedTuple):
    """What a command returned and printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run ``mmeval-pack`` with these arguments."""

    def call(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def subset() -> Callable[..., dict[str, Any]]:
    """Make a subset of a metadata.json."""

    def make(*splits: str, **changes: Any) -> dict[str, Any]:
        url = dict.fromkeys(splits or ("test",), "https://example.org/data")
        return {
            "language": ["en"],
            "modalities": ["single_image_start"],
            "task_type": "multiple_choice_qa",
            "score_pipeline": ["exact-match", "rule-match"],
            "prompt_template": "<image>{{ question }}",
            "mapping_from_source": {"source": {"format": "huggingface", "url": url}},
            **changes,
        }

    return make


@pytest.fixture
def add(tmp_path: Path) -> Callable[[str, str, dict[str, Any]], Path]:
    """Write the metadata.json of a benchmark into the tasks folder."""

    def write(folder: str, name: str, subsets: dict[str, Any]) -> Path:
        file = tmp_path / "tasks" / folder / "metadata.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"name": name, "release_date": None, "subsets": subsets}, indent=1))
        return file

    return write


@pytest.fixture
def tasks(
    add: Callable[[str, str, dict[str, Any]], Path], subset: Callable[..., dict[str, Any]], tmp_path: Path
) -> Path:
    """A tasks folder with two benchmarks, not yet compiled."""
    unsupported = {"unsupported": "caption-metrics", "reason": "needs CIDEr"}
    add("one", "One", {"main": subset()})
    add("two", "Two", {"a": subset("dev", "test"), "b": subset(score_pipeline=unsupported)})
    return tmp_path / "tasks"


@pytest.fixture
def digest() -> Callable[[Path], str]:
    """One figure for the names, contents and times of all files below a folder."""

    def compute(folder: Path) -> str:
        whole = hashlib.sha256()
        for file in sorted(folder.rglob("*")):
            content = file.read_bytes() if file.is_file() else b""
            whole.update(repr((str(file), file.lstat().st_mtime_ns, content)).encode())
        return whole.hexdigest()

    return compute
