"""mmeval-pack check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def compiled(run: Callable[..., Any], tasks: Path) -> Path:
    """A tasks folder that is current."""
    run("compile", "--tasks", tasks)
    return tasks


def states(out: str) -> list[str]:
    """The lines that name a file and what is wrong with it."""
    return [line for line in out.splitlines() if line and line[0] not in "+-@ \\"]


def test_the_committed_tasks_are_current(run: Callable[..., Any]) -> None:
    """The pack's own."""
    code, out, _ = run("check")
    assert (code, out) == (0, "")


def test_a_current_folder(run: Callable[..., Any], compiled: Path, digest: Callable[..., str]) -> None:
    """Says so, and touches nothing."""
    before = digest(compiled)
    assert run("check", "--tasks", compiled) == (0, "", "12 files of 2 benchmarks: all current\n")
    assert digest(compiled) == before


def test_one_changed_character(run: Callable[..., Any], compiled: Path, digest: Callable[..., str]) -> None:
    """A diff of each file, and the command that repairs; nothing is written."""
    file = compiled / "one/metadata.json"
    file.write_text(file.read_text().replace("<image>{{ question }}", "<image>{{ question }}."))
    before = digest(compiled)
    code, out, err = run("check", "--tasks", compiled)
    assert code == 1
    assert digest(compiled) == before
    assert states(out) == [
        "one/main/one_mmeval.yaml: stale",
        "one/main/utils.py: stale",
        "one/main/vlmevalkit.py: stale",
        "one/manifest.json: stale",
    ]
    assert "--- one/main/utils.py (on disk)\n+++ one/main/utils.py (compiled)\n@@ -1,5 +1,5 @@\n" in out
    assert (
        "\n- 'prompt_template': '<image>{{ question }}',\n+ 'prompt_template': '<image>{{ question }}.',\n"
        in out
    )
    assert err == f"one: not current\nrepair with: mmeval-pack compile one --tasks {compiled}\n"
    run("compile", "one", "--tasks", compiled)
    assert run("check", "--quiet", "--tasks", compiled) == (0, "", "")


def test_the_command_for_the_packs_own_folder(
    run: Callable[..., Any], compiled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without --tasks, as it was called."""
    monkeypatch.setattr("mmeval_pack.translators.cli._common.TASKS_DIR", compiled)
    (compiled / "one/main/utils.py").unlink()
    _, _, err = run("check")
    assert err == "one: not current\nrepair with: mmeval-pack compile one\n"


def test_each_kind_of_difference(run: Callable[..., Any], compiled: Path, add: Any, subset: Any) -> None:
    """Hand-edited, missing, stale, orphaned, and an orphan with an edit, which no command removes."""
    (compiled / "one/main/utils.py").write_text("mine\n")
    (compiled / "one/main/one_mmeval.yaml").unlink()
    edited = compiled / "two/a/dev/utils.py"
    edited.write_text(edited.read_text() + "# mine\n")
    add("two", "Two", {"a": subset("test")})
    code, out, err = run("check", "--tasks", compiled)
    assert code == 1
    assert states(out) == [
        "one/main/one_mmeval.yaml: missing",
        "one/main/utils.py: hand-edited",
        "two/a/two_a_mmeval.yaml: missing",
        "two/a/utils.py: missing",
        "two/a/vlmevalkit.py: missing",
        "two/two_mmeval.yaml: orphaned",
        "two/a/dev/two_a_dev_mmeval.yaml: orphaned",
        "two/a/dev/utils.py: orphaned and hand-edited",
        "two/a/dev/vlmevalkit.py: orphaned",
        "two/a/test/two_a_test_mmeval.yaml: orphaned",
        "two/a/test/utils.py: orphaned",
        "two/a/test/vlmevalkit.py: orphaned",
        "two/manifest.json: stale",
    ]
    assert err == (
        f"one, two: not current\nrepair with: mmeval-pack compile one two --tasks {compiled}\n"
        "a file that is orphaned and hand-edited stays until you remove or move it\n"
    )


def test_only_the_named_benchmark(run: Callable[..., Any], compiled: Path) -> None:
    """What is wrong elsewhere is not asked for."""
    (compiled / "one/main/utils.py").unlink()
    code, _, err = run("check", "Two", "--tasks", compiled)
    assert (code, err) == (0, "8 files of 1 benchmark: all current\n")


def test_a_folder_with_spaces_is_quoted(run: Callable[..., Any], tasks: Path) -> None:
    """The command can be pasted into a shell."""
    moved = tasks.rename(tasks.with_name("my tasks"))
    _, _, err = run("check", "one", "--tasks", moved)
    assert err.endswith(f"repair with: mmeval-pack compile one --tasks '{moved}'\n")


def test_rows_are_part_of_the_command(
    run: Callable[..., Any], tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the repaired tasks would read the hub."""
    monkeypatch.chdir(tmp_path)
    Path("rows").mkdir()
    Path("rows/one_mmeval.parquet").write_bytes(b"PAR1")
    run("compile", "one", "--tasks", "tasks", "--rows", "rows")
    run("compile", "two", "--tasks", "tasks")
    for folder in ("one", "two"):
        (tasks / folder / "manifest.json").write_text((tasks / folder / "manifest.json").read_text() + "\n")
    _, _, err = run("check", "--tasks", "tasks")
    assert err == (
        "one, two: not current\n"
        "repair with: mmeval-pack compile one --rows rows --tasks tasks\n"
        "repair with: mmeval-pack compile two --tasks tasks\n"
    )


def test_a_benchmark_that_is_gone(run: Callable[..., Any], compiled: Path) -> None:
    """Its leftovers are orphans, and compiling everything removes them."""
    (compiled / "two/metadata.json").unlink()
    code, out, err = run("check", "--tasks", compiled)
    assert code == 1
    assert {line.rsplit(": ")[1] for line in states(out)} == {"orphaned"}
    assert err == f"two: not current\nrepair with: mmeval-pack compile --tasks {compiled}\n"


def test_bad_input_is_no_difference(run: Callable[..., Any], compiled: Path) -> None:
    """Exit code 2."""
    (compiled / "one/metadata.json").write_text("{")
    code, out, err = run("check", "--tasks", compiled)
    assert (code, out) == (2, "")
    assert err.startswith(f"mmeval-pack: {compiled}/one/metadata.json: ")
