"""Where rows come from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmeval_pack.translators import local_rows
from mmeval_pack.translators.lmms_eval import source as rows
from mmeval_pack.translators.lmms_eval.source import Source, source

LITERAL = {"name": "toy_mmeval", "repo": "mm-eval/Toy", "config": "main", "split": "test", "rows": None}


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the user's reaches a test, and no test leaves its folders behind."""
    monkeypatch.delenv("MMEVAL_ROWS", raising=False)
    monkeypatch.setattr(rows, "_folders", {})


def write(path: Path, ids: list[str]) -> Path:
    """A parquet file of rows with these ids."""
    pq.write_table(pa.table({"id": ids}), path)
    return path


def stopped(capsys: pytest.CaptureFixture[str], literal: dict[str, Any], file: str) -> str:
    """The message with which source() ends the run, with exit code 2."""
    with pytest.raises(SystemExit) as error:
        source(literal, file)
    assert error.value.code == 2
    return capsys.readouterr().err


def test_rows_come_from_the_hub_by_default() -> None:
    """Repository and configuration of the task, and no further argument."""
    assert source(LITERAL, "/pack/utils.py") == Source("mm-eval/Toy", "main", {})


def test_an_empty_variable_is_no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """MMEVAL_ROWS= leaves the hub in place."""
    monkeypatch.setenv("MMEVAL_ROWS", "")
    assert source(LITERAL, "/pack/utils.py").path == "mm-eval/Toy"


def test_compiled_rows_are_relative_to_the_generated_file(tmp_path: Path) -> None:
    """The path in the literal starts at the folder of utils.py, not at the working directory."""
    write(tmp_path / "toy_mmeval.parquet", ["a"])
    (tmp_path / "toy" / "main").mkdir(parents=True)
    found = source(
        {**LITERAL, "rows": "../../toy_mmeval.parquet"}, str(tmp_path / "toy" / "main" / "utils.py")
    )
    assert (found.path, found.name) == ("parquet", None)
    assert found.kwargs["data_files"] == {"test": str(tmp_path / "toy_mmeval.parquet")}


def test_the_variable_wins_over_compiled_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MMEVAL_ROWS replaces the path in the literal; a relative folder becomes absolute."""
    (tmp_path / "mine").mkdir()
    write(tmp_path / "mine" / "toy_mmeval.parquet", ["a"])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MMEVAL_ROWS", "mine")
    found = source({**LITERAL, "rows": "other.parquet"}, str(tmp_path / "utils.py"))
    assert found.kwargs["data_files"] == {"test": str(tmp_path / "mine" / "toy_mmeval.parquet")}


def test_a_file_replaced_in_place_gives_its_new_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, datasets would hand out the old rows: same path, same size, same mtime."""
    datasets = pytest.importorskip("datasets")
    file = write(tmp_path / "toy_mmeval.parquet", ["old"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    stamp = file.stat().st_mtime_ns

    def load(**kwargs: Any) -> list[str]:
        loaded = datasets.load_dataset("parquet", cache_dir=str(tmp_path / "cache"), **kwargs)
        return list(loaded["test"]["id"])

    plain = {"data_files": {"test": str(file)}}
    assert load(**source(LITERAL, "utils.py").kwargs) == load(**plain) == ["old"]
    write(file, ["new"])
    os.utime(file, ns=(stamp, stamp))
    rows._digest.cache_clear()  # as in another process
    assert load(**plain) == ["old"]
    assert load(**source(LITERAL, "utils.py").kwargs) == ["new"]


def test_a_file_is_hashed_once_for_each_state_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """lmms-eval executes a utils.py some fifteen times; a changed file is hashed again."""
    file = write(tmp_path / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    rows._digest.cache_clear()
    first = [source(LITERAL, "utils.py") for _ in range(5)]
    assert rows._digest.cache_info().misses == 1
    write(file, ["a", "b"])
    assert source(LITERAL, "utils.py") != first[0]
    assert rows._digest.cache_info().misses == 2


def test_a_missing_file_is_named_with_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line: the variable, the file expected, the parquet files found."""
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    expected = (
        f"mmeval-pack: MMEVAL_ROWS={tmp_path}: expected {tmp_path}/toy_mmeval.parquet; the folder holds "
    )
    assert stopped(capsys, LITERAL, "utils.py") == expected + "no parquet file\n"
    write(tmp_path / "toy.parquet", ["a"])
    assert stopped(capsys, LITERAL, "utils.py") == expected + "toy.parquet\n"


def test_a_variable_that_names_no_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file, or a folder that is not there."""
    file = write(tmp_path / "toy_mmeval.parquet", ["a"])
    for wrong in (file, tmp_path / "nowhere"):
        monkeypatch.setenv("MMEVAL_ROWS", str(wrong))
        assert stopped(capsys, LITERAL, "utils.py") == (
            f"mmeval-pack: MMEVAL_ROWS={wrong}: {wrong} is not a folder; "
            "expected a folder with toy_mmeval.parquet\n"
        )


def test_compiled_rows_that_are_gone_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The task is named, since no variable is to blame."""
    assert stopped(capsys, {**LITERAL, "rows": "toy.parquet"}, str(tmp_path / "utils.py")) == (
        f"mmeval-pack: task toy_mmeval: expected {tmp_path}/toy.parquet; the folder holds no parquet file\n"
    )


def test_a_file_that_is_no_parquet_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else datasets would try it five times and end in a traceback."""
    (tmp_path / "toy_mmeval.parquet").write_text("version https://git-lfs.github.com/spec/v1\n")
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    assert stopped(capsys, LITERAL, "utils.py") == (
        f"mmeval-pack: MMEVAL_ROWS={tmp_path}: {tmp_path}/toy_mmeval.parquet is not a parquet file\n"
    )


def test_a_file_that_was_cut_off_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an interrupted copy leaves behind: the beginning is right, the end is missing."""
    file = write(tmp_path / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    whole = file.read_bytes()
    message = f"mmeval-pack: MMEVAL_ROWS={tmp_path}: {file} "
    for size in (len(whole) - 1, len(whole) // 2, 5):
        file.write_bytes(whole[:size])
        assert stopped(capsys, LITERAL, "utils.py") == (
            f"{message}is cut off: a parquet file ends as it begins\n"
        )
    for size in (3, 0):
        file.write_bytes(whole[:size])
        assert stopped(capsys, LITERAL, "utils.py") == f"{message}is not a parquet file\n"


def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An exception would be retried five times and end with exit code 0."""
    file = write(tmp_path / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))

    def refuse(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(local_rows, "_ends", refuse)
    assert stopped(capsys, LITERAL, "utils.py") == (
        f"mmeval-pack: MMEVAL_ROWS={tmp_path}: {file} cannot be read: Permission denied\n"
    )


@pytest.mark.parametrize("name", ["a[1]", "b*", "c?", "**", "p%20q #z", "{x,y}", "é\u3000", "https:"])
def test_any_name_of_a_folder_is_a_name(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, datasets would take some of them for patterns and find nothing."""
    datasets = pytest.importorskip("datasets")
    (tmp_path / name).mkdir()
    write(tmp_path / name / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path / name))
    found = source(LITERAL, "utils.py")
    loaded = datasets.load_dataset(found.path, cache_dir=str(tmp_path / "cache"), **found.kwargs)
    assert list(loaded["test"]["id"]) == ["a"]


def test_a_folder_that_datasets_cannot_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It takes what stands before ``::`` for a protocol."""
    (tmp_path / "a::b").mkdir()
    write(tmp_path / "a::b" / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path / "a::b"))
    assert stopped(capsys, LITERAL, "utils.py") == (
        f"mmeval-pack: {tmp_path}/a::b/toy_mmeval.parquet: datasets cannot read a path that holds '::'; "
        "rename or move the folder\n"
    )


@pytest.mark.parametrize("variable", [True, False])
def test_media_lie_beside_a_linked_file(
    variable: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the hub's own cache, where every file is a link into a folder of blobs."""
    (tmp_path / "blobs").mkdir()
    (tmp_path / "rows").mkdir()
    write(tmp_path / "blobs" / "0a1b", ["a"])
    (tmp_path / "rows" / "toy_mmeval.parquet").symlink_to("../blobs/0a1b")
    if variable:
        monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path / "rows"))
    source({**LITERAL, "rows": "rows/toy_mmeval.parquet"}, str(tmp_path / "utils.py"))
    assert rows.media_file("toy_mmeval", "mm-eval/Toy", "1.mp4") == str(tmp_path / "rows" / "1.mp4")


def test_media_lie_beside_local_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is relative to the rows' folder; absolute paths and URLs stay."""
    write(tmp_path / "toy_mmeval.parquet", ["a"])
    monkeypatch.setenv("MMEVAL_ROWS", str(tmp_path))
    source(LITERAL, "utils.py")
    assert rows.media_file("toy_mmeval", "mm-eval/Toy", "videos/1.mp4") == str(tmp_path / "videos" / "1.mp4")
    for same in ("/data/1.mp4", "https://host.example/1.mp4"):
        assert rows.media_file("toy_mmeval", "mm-eval/Toy", same) == same


def test_media_of_hub_rows_are_fetched_from_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dataset repository's file, when it is asked for and not before."""
    hub = pytest.importorskip("huggingface_hub")
    monkeypatch.setattr(hub, "hf_hub_download", lambda *args, **kwargs: f"/cache{args}{kwargs}")
    assert rows.media_file("toy_mmeval", "mm-eval/Toy", "videos/1.mp4") == (
        "/cache('mm-eval/Toy', 'videos/1.mp4'){'repo_type': 'dataset'}"
    )


@pytest.mark.parametrize(("value", "wanted"), [(None, True), ("1", True), ("", True), ("0", False)])
def test_autoload_is_off_for_0_alone(
    value: str | None, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Anything but 0 leaves it on."""
    monkeypatch.delenv("MMEVAL_AUTOLOAD", raising=False)
    if value is not None:
        monkeypatch.setenv("MMEVAL_AUTOLOAD", value)
    assert rows.autoload() is wanted
