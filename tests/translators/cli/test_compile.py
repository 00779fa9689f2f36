"""mmeval-pack compile."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.naming import TASKS_DIR

FIRST = """\
one_mmeval: written
two_a_dev_mmeval: written
two_a_test_mmeval: written
two, subset 'b': refused: caption-metrics: needs CIDEr
3 tasks: 3 written, 0 unchanged; 1 refused subset
"""


def test_every_task_has_a_line(run: Callable[..., Any], tasks: Path) -> None:
    """Messages on stderr, nothing on stdout; a refused subset is no failure."""
    assert run("compile", "--tasks", tasks) == (0, "", FIRST)
    assert sorted(path.relative_to(tasks).as_posix() for path in tasks.rglob("*.*")) == [
        "one/main/one_mmeval.yaml",
        "one/main/utils.py",
        "one/main/vlmevalkit.py",
        "one/manifest.json",
        "one/metadata.json",
        "two/a/dev/two_a_dev_mmeval.yaml",
        "two/a/dev/utils.py",
        "two/a/dev/vlmevalkit.py",
        "two/a/test/two_a_test_mmeval.yaml",
        "two/a/test/utils.py",
        "two/a/test/vlmevalkit.py",
        "two/manifest.json",
        "two/metadata.json",
        "two/two_mmeval.yaml",
    ]


def test_a_second_run_changes_nothing(
    run: Callable[..., Any], tasks: Path, digest: Callable[..., str]
) -> None:
    """Neither a byte nor a time, and quietly so."""
    run("compile", "--tasks", tasks)
    before = digest(tasks)
    _, _, messages = run("compile", "--tasks", tasks)
    assert messages == FIRST.replace(": written", ": unchanged").replace("3 written, 0 un", "0 written, 3 un")
    assert run("compile", "--tasks", tasks, "--quiet") == (0, "", "")
    assert digest(tasks) == before


def test_only_the_named_benchmark(run: Callable[..., Any], tasks: Path) -> None:
    """By folder or by name."""
    _, _, messages = run("compile", "Two", "--tasks", tasks)
    assert "one_mmeval" not in messages
    assert not (tasks / "one/manifest.json").exists()


def test_no_clock_and_no_place(run: Callable[..., Any], tasks: Path, tmp_path: Path) -> None:
    """The same files from another folder, at another time, under another hash seed."""
    run("compile", "--tasks", tasks)
    other = tmp_path / "elsewhere/tasks"
    for folder in ("one", "two"):
        (other / folder).mkdir(parents=True)
        (other / folder / "metadata.json").write_bytes((tasks / folder / "metadata.json").read_bytes())
    code = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "compile", "--quiet", "--tasks", "tasks"]
    environment = {**os.environ, "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}
    subprocess.run(command, cwd=other.parent, env=environment, check=True)
    files = [path.relative_to(tasks) for path in tasks.rglob("*.*")]
    assert [file for file in files if (tasks / file).read_bytes() != (other / file).read_bytes()] == []
    assert [file for file in files if str(tmp_path) in (tasks / file).read_text()] == []


def test_the_committed_tasks_are_what_compile_writes(run: Callable[..., Any], tmp_path: Path) -> None:
    """From the publisher's files alone, byte for byte."""
    for folder in ("mathverse", "muirbench", "sat"):
        (tmp_path / folder).mkdir()
        for name in ("metadata.json", "pack.json"):
            (tmp_path / folder / name).write_bytes((TASKS_DIR / folder / name).read_bytes())
    assert run("compile", "--tasks", tmp_path, "--quiet") == (0, "", "")
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.*")]
    assert len(files) == 26
    assert [file for file in files if (tmp_path / file).read_bytes() != (TASKS_DIR / file).read_bytes()] == []


BROKEN = {
    "no JSON": b"{",
    "empty": b"",
    "no UTF-8": b'{"name": "\xff"}',
    "a list": b"[]",
    "no subsets": b'{"name": "X", "release_date": null, "subsets": {}}',
    "no keys": b"{}",
    "not a number": b'{"name": NaN}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=[*BROKEN])
def test_broken_metadata_changes_nothing(
    run: Callable[..., Any], tasks: Path, digest: Callable[..., str], content: bytes
) -> None:
    """Exit code 2 and one message that begins with the file; no other benchmark is written either."""
    (tasks / "two/metadata.json").write_bytes(content)
    before = digest(tasks)
    code, out, err = run("compile", "--tasks", tasks)
    assert (code, out) == (2, "")
    assert err.startswith(f"mmeval-pack: {tasks}/two/metadata.json: ")
    assert err.count("mmeval-pack: ") == 1
    assert digest(tasks) == before


CHANGES: dict[str, dict[str, Any]] = {
    "pipeline": {"score_pipeline": ["exact-mach"]},
    "grader": {"score_pipeline": ["anls", "exact-match"]},
    "score_type": {"score_type": "exact"},
    "template": {"prompt_template": "{% for x in %}"},
    "modality": {"modalities": ["smell"]},
    "parameter": {"score_params": {"string_match": "fuzzy"}},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=[*CHANGES])
def test_a_broken_subset_changes_nothing(
    run: Callable[..., Any], tasks: Path, add: Any, subset: Any, digest: Any, change: dict[str, Any]
) -> None:
    """The message names the subset."""
    file = add("two", "Two", {"a": subset(), "broken": subset(**change)})
    before = digest(tasks)
    code, out, err = run("compile", "--tasks", tasks)
    assert (code, out) == (2, "")
    assert err.startswith(f"mmeval-pack: {file}: ")
    assert "subsets.broken." in err
    assert digest(tasks) == before


@pytest.mark.parametrize(
    "name", ["a/b", "../../x", "x\nimport os", "é", "x'", "${HOME}", "\U0001f600", "a" * 300]
)
def test_hostile_subset_names(run: Callable[..., Any], tasks: Path, add: Any, subset: Any, name: str) -> None:
    """Refused before they could be a path."""
    add("two", "Two", {"a": subset(), name: subset()})
    code, _, err = run("compile", "--tasks", tasks)
    assert code == 2
    assert err.startswith(f"mmeval-pack: {tasks}/two/metadata.json: ")
    assert [*tasks.rglob("*.yaml")] == []


def test_what_is_odd_is_said(run: Callable[..., Any], tasks: Path, add: Any, subset: Any) -> None:
    """A warning, and the tasks all the same: publishers add names of their own."""
    add("two", "Two", {"a": subset(task_type="riddle")})
    code, _, err = run("compile", "two", "--tasks", tasks)
    assert code == 0
    assert err.startswith("two/metadata.json: warning: subsets.a.task_type: ")
    assert "two_a_mmeval: written\n" in err


def test_an_unknown_benchmark(run: Callable[..., Any], tasks: Path) -> None:
    """The nearest one is offered."""
    assert run("compile", "tow", "--tasks", tasks) == (
        2,
        "",
        f"mmeval-pack: {tasks}: no benchmark is called 'tow'; did you mean two?\n",
    )


def test_edits_and_orphans_are_reported(run: Callable[..., Any], tasks: Path, add: Any, subset: Any) -> None:
    """Nothing that somebody wrote is lost."""
    run("compile", "--tasks", tasks)
    (tasks / "one/main/utils.py").write_text("mine")
    (tasks / "two/a/dev/utils.py").write_text("# Generated by mmeval-pack, then mine")
    add("two", "Two", {"a": subset("test")})
    assert run("compile", "--tasks", tasks) == (
        0,
        "",
        "one/main/utils.py: was edited by hand; the edited text is now in one/main/utils.py.orig\n"
        "two/two_mmeval.yaml: removed, no longer produced\n"
        "two/a/dev/two_a_dev_mmeval.yaml: removed, no longer produced\n"
        "two/a/dev/utils.py: no longer produced, but edited by hand: left; remove or move it\n"
        "two/a/dev/vlmevalkit.py: removed, no longer produced\n"
        "two/a/test/two_a_test_mmeval.yaml: removed, no longer produced\n"
        "two/a/test/utils.py: removed, no longer produced\n"
        "two/a/test/vlmevalkit.py: removed, no longer produced\n"
        "one_mmeval: written\n"
        "two_a_mmeval: written\n"
        "2 tasks: 2 written, 0 unchanged; 0 refused subsets\n",
    )
    assert (tasks / "one/main/utils.py.orig").read_text() == "mine"
    assert (tasks / "two/a/dev/utils.py").read_text() == "# Generated by mmeval-pack, then mine"


def test_a_benchmark_that_is_gone(run: Callable[..., Any], tasks: Path) -> None:
    """Without its metadata.json its tasks go, when everything is compiled; nobody else's file does."""
    run("compile", "--tasks", tasks)
    (tasks / "two/metadata.json").unlink()
    (tasks / "two/notes.md").write_text("mine")
    run("compile", "one", "--tasks", tasks)
    assert (tasks / "two/manifest.json").exists()
    run("compile", "--tasks", tasks)
    assert [path.name for path in (tasks / "two").rglob("*")] == ["notes.md"]


def test_local_rows(run: Callable[..., Any], tasks: Path, tmp_path: Path) -> None:
    """A relative path in the files, and the check knows where the rows were."""
    for name in ("one_mmeval", "two_a_dev_mmeval", "two_a_test_mmeval"):
        (tmp_path / f"{name}.parquet").write_bytes(b"PAR1")
    assert run("compile", "--tasks", tasks, "--rows", tmp_path, "--quiet") == (0, "", "")
    utils = runpy.run_path(str(tasks / "one/main/utils.py"))
    assert utils["TASK"]["rows"] == "../../../one_mmeval.parquet"
    assert utils["dataset_kwargs"]["data_files"] == {"test": str(tmp_path / "one_mmeval.parquet")}
    assert json.loads((tasks / "two/manifest.json").read_text())["rows"] == "../.."
    assert run("check", "--tasks", tasks, "--quiet") == (0, "", "")


def test_two_compiles_at_once(tasks: Path, run: Callable[..., Any]) -> None:
    """They wait for each other; both succeed and nothing is left behind."""
    code = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "compile", "--quiet", "--tasks", str(tasks)]
    running = [subprocess.Popen(command) for _ in range(3)]
    assert [process.wait() for process in running] == [0, 0, 0]
    assert run("check", "--quiet", "--tasks", tasks) == (0, "", "")
