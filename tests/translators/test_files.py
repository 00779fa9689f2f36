"""Writing into a tasks folder: what is detected and kept, and that failures leave everything as it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import files
from mmeval_pack.translators.manifest import MANIFEST, MARK, with_manifest

TEXTS = {"main/utils.py": f"{MARK} 1\nTASK = 1\n", "main/x_mmeval.yaml": f"{MARK} 1\ntask: x_mmeval\n"}


def outputs(texts: dict[str, str]) -> dict[str, str]:
    """The texts with their manifest."""
    return with_manifest(texts, "metadata.json", "0" * 64, None)


def compile_into(root: Path, texts: dict[str, str]) -> dict[str, str]:
    """Compare and write in one go."""
    return files.apply(root, files.compare(root, "x", outputs(texts)))


def states(root: Path, texts: dict[str, str]) -> dict[str, str]:
    """Path -> state of all that differs."""
    return {change.path: change.state for change in files.compare(root, "x", outputs(texts))}


def content(root: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found = (path for path in root.rglob("*") if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tasks folder with one compiled benchmark."""
    (tmp_path / "tasks/x").mkdir(parents=True)
    compile_into(tmp_path / "tasks", TEXTS)
    return tmp_path / "tasks"


def test_a_written_folder_is_current(root: Path) -> None:
    """What was written is what is compared with."""
    assert states(root, TEXTS) == {}
    assert set(content(root)) == {"x/main/utils.py", "x/main/x_mmeval.yaml", "x/manifest.json"}


def test_unchanged_files_keep_their_time(root: Path) -> None:
    """A second compile touches only what differs."""
    for file in root.rglob("*.*"):
        os.utime(file, (1, 1))
    compile_into(root, {**TEXTS, "main/utils.py": f"{MARK} 1\nTASK = 2\n"})
    times = {path.name: path.stat().st_mtime == 1 for path in root.rglob("*.*")}
    assert times == {"utils.py": False, "x_mmeval.yaml": True, MANIFEST: False}


def test_states_are_told_apart(root: Path) -> None:
    """Stale, hand-edited and missing files, and the manifest at the end."""
    (root / "x/main/x_mmeval.yaml").write_text(f"{MARK} 1\ntask: mine\n")
    texts = {**TEXTS, "main/utils.py": f"{MARK} 1\nTASK = 2\n", "more/utils.py": "TASK = 3\n"}
    assert [*states(root, texts).items()] == [
        ("x/main/utils.py", "stale"),
        ("x/main/x_mmeval.yaml", "hand-edited"),
        ("x/more/utils.py", "missing"),
        ("x/manifest.json", "stale"),
    ]


def test_an_edited_file_is_written_and_the_edit_kept(root: Path) -> None:
    """Each edit gets a name of its own; the folder is current afterwards."""
    for edit in ("first", "second"):
        (root / "x/main/utils.py").write_text(edit)
        compile_into(root, TEXTS)
    assert (root / "x/main/utils.py.orig").read_text() == "first"
    assert (root / "x/main/utils.py.orig1").read_text() == "second"
    assert states(root, TEXTS) == {}


def test_without_a_manifest_a_differing_file_counts_as_edited(root: Path) -> None:
    """Nothing proves that it is the compiler's."""
    (root / "x/manifest.json").write_text("no JSON")
    assert states(root, {**TEXTS, "main/utils.py": "new\n"}) == {
        "x/main/utils.py": "hand-edited",
        "x/manifest.json": "stale",
    }


def test_orphans_go_and_edited_ones_stay(root: Path) -> None:
    """A removed task's files are removed, with their folder, unless one was edited."""
    compile_into(root, {**TEXTS, "old/utils.py": f"{MARK}\n", "gone/utils.py": f"{MARK}\n"})
    (root / "x/old/utils.py").write_text(f"{MARK}\nmine\n")
    assert states(root, TEXTS) == {
        "x/gone/utils.py": "orphaned",
        "x/old/utils.py": "orphaned and hand-edited",
        "x/manifest.json": "stale",
    }
    compile_into(root, TEXTS)
    assert (root / "x/old/utils.py").read_text() == f"{MARK}\nmine\n"
    assert not (root / "x/gone").exists()
    assert states(root, TEXTS) == {"x/old/utils.py": "orphaned and hand-edited"}


def test_a_benchmark_that_is_gone_leaves_nothing(root: Path) -> None:
    """No texts at all: the files, the manifest and the folder go."""
    files.apply(root, files.compare(root, "x", {}))
    assert [*root.iterdir()] == []


def test_files_of_others_are_no_orphans(root: Path) -> None:
    """Neither a user's own files nor whatever a doctored manifest names."""
    (root / "x/metadata.json").write_text("{}")
    (root / "x/main/own.py").write_text("mine")
    (root / "outside.py").write_text("mine")
    digest = files.digest_of(b"{}"), files.digest_of(b"mine")
    (root / "x/manifest.json").write_text(
        f'{{"files": {{"metadata.json": "{digest[0]}", "../outside.py": "{digest[1]}"}}}}'
    )
    assert states(root, TEXTS) == {"x/manifest.json": "stale"}


def test_what_an_interrupted_compile_left_is_removed(root: Path) -> None:
    """Temporary files never stay for good."""
    (root / "x/main/.utils.py.1.mmeval-tmp").write_text("half")
    assert states(root, TEXTS) == {"x/main/.utils.py.1.mmeval-tmp": "orphaned"}
    compile_into(root, TEXTS)
    assert states(root, TEXTS) == {}


def test_the_diff_goes_from_disk_to_compiled(root: Path) -> None:
    """A whole diff, with the end of file made visible."""
    (root / "x/main/utils.py").write_text(f"{MARK} 1\nTASK = 9")
    (change,) = files.compare(root, "x", outputs(TEXTS))
    assert change.diff() == (
        "--- x/main/utils.py (on disk)\n"
        "+++ x/main/utils.py (compiled)\n"
        "@@ -1,2 +1,2 @@\n"
        " # Generated by mmeval-pack 1\n"
        "-TASK = 9\n"
        "\\ No newline at end of file\n"
        "+TASK = 1\n"
    )


def test_bytes_that_are_no_text_are_shown(root: Path) -> None:
    """A file of any bytes can be compared."""
    (root / "x/main/utils.py").write_bytes(b"\xff\n")
    (change,) = files.compare(root, "x", outputs(TEXTS))
    assert "-\\xff\n" in change.diff()


def test_a_linked_folder_is_refused(root: Path, tmp_path: Path) -> None:
    """A link could lead out of the tasks folder; nothing is written through it."""
    (tmp_path / "elsewhere").mkdir()
    (root / "x/more").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError) as caught:
        files.compare(root, "x", outputs({"more/utils.py": "TASK = 1\n"}))
    assert str(caught.value) == (
        f"{root}/x/more: is a symbolic link to a folder, which compile does not follow and lmms-eval "
        "does not search; put a folder in its place"
    )


@pytest.mark.parametrize("exists", [True, False])
def test_a_linked_file_is_replaced_and_its_target_left(root: Path, tmp_path: Path, exists: bool) -> None:
    """The link goes, what it pointed at stays as it was."""
    target = tmp_path / "target.py"
    if exists:
        target.write_text("theirs")
    (root / "x/main/utils.py").unlink()
    (root / "x/main/utils.py").symlink_to(target)
    compile_into(root, TEXTS)
    assert not (root / "x/main/utils.py").is_symlink()
    assert (target.read_text() == "theirs") if exists else not target.exists()
    assert states(root, TEXTS) == {}


def test_a_folder_in_a_files_place_is_refused(root: Path) -> None:
    """The comparison already says so, before anything is written."""
    (root / "x/more/utils.py").mkdir(parents=True)
    with pytest.raises(InputError, match=r"x/more/utils\.py: cannot be read: Is a directory"):
        files.compare(root, "x", outputs({"more/utils.py": "TASK = 1\n"}))


def test_a_file_in_a_folders_place_changes_nothing(root: Path) -> None:
    """The one new file that could be staged is taken back."""
    (root / "x/more").write_text("a file")
    before = content(root)
    with pytest.raises(InputError, match=r"cannot be (read|written): Not a directory"):
        compile_into(root, {"a/utils.py": "TASK = 1\n", "more/utils.py": "TASK = 1\n"})
    assert content(root) == before
    assert not (root / "x/a").exists()


def test_a_full_disk_changes_nothing(root: Path) -> None:
    """A write that fails half-way (here: a limit on the size of files) leaves the folder as it was."""
    before = content(root)
    code = f"""
import resource
from pathlib import Path
from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import files
from mmeval_pack.translators.manifest import with_manifest
texts = with_manifest({{"a/utils.py": "short", "b/utils.py": "long" * 9999}}, "metadata.json", "0", None)
changes = files.compare(Path({str(root)!r}), "x", texts)
resource.setrlimit(resource.RLIMIT_FSIZE, (9999, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
try:
    files.apply(Path({str(root)!r}), changes)
except InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{root}/x/b/utils.py: cannot be written: File too large; nothing was changed\n"
    assert content(root) == before
    assert sorted(path.name for path in (root / "x").iterdir()) == ["main", "manifest.json"]


def test_a_folder_that_cannot_be_written_to_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear error; the permission is simulated, since tests may run as root."""

    def refuse(self: Path, _mode: str) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    changes = files.compare(root, "x", outputs({"main/utils.py": "new\n"}))
    before = content(root)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError) as caught:
        files.apply(root, changes)
    monkeypatch.undo()
    place = f"{root}/x/main/utils.py"
    assert str(caught.value) == f"{place}: cannot be written: Permission denied; nothing was changed"
    assert content(root) == before


def test_generated_files_have_the_usual_mode(root: Path) -> None:
    """Others can read them as far as the umask lets them."""
    (root / "plain").write_text("")
    assert (root / "x/main/utils.py").stat().st_mode == (root / "plain").stat().st_mode


def test_the_lock_can_be_taken_again(root: Path) -> None:
    """It ends with its block."""
    for _ in range(2):
        with files.locked(root):
            assert states(root, TEXTS) == {}


def test_a_kill_between_two_files_is_repaired(root: Path) -> None:
    """A real process, killed after the first replacement: files are whole, the next one mends the rest."""
    texts = {"main/utils.py": f"{MARK} 1\nTASK = 2\n", "main/x_mmeval.yaml": f"{MARK} 1\ntask: y_mmeval\n"}
    code = f"""
import os, signal
from pathlib import Path
from mmeval_pack.translators import files
replace = Path.replace
def replace_and_die(self, target):
    replace(self, target)
    os.kill(os.getpid(), signal.SIGKILL)
Path.replace = replace_and_die
files.apply(Path({str(root)!r}), files.compare(Path({str(root)!r}), "x", {outputs(texts)!r}))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    assert (root / "x/main/utils.py").read_text() == texts["main/utils.py"]
    assert (root / "x/main/x_mmeval.yaml").read_text() == TEXTS["main/x_mmeval.yaml"]
    assert states(root, texts)["x/manifest.json"] == "stale"
    compile_into(root, texts)
    assert states(root, texts) == {}
    assert len(content(root)) == 3
