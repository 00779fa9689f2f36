"""mmeval-pack rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.naming import TASKS_DIR

TASK = "muirbench_mmeval"
SAMPLE = TASKS_DIR / "muirbench" / "sample"


@pytest.fixture(autouse=True)
def bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the bundled sample."""
    monkeypatch.setenv("MMEVAL_ROWS", str(SAMPLE))


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a parquet file."""
    parquet = pytest.importorskip("pyarrow.parquet")
    rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    return rows


def test_each_layout_and_back(run: Callable[..., Any], tmp_path: Path) -> None:
    """The same rows, columns and features as in the beginning."""
    pytest.importorskip("datasets")
    parquet = pytest.importorskip("pyarrow.parquet")
    before = parquet.read_table(SAMPLE / f"{TASK}.parquet")
    for layout in ("tsv", "jsonl", "parquet"):
        made = tmp_path / layout / f"{TASK}.{layout}"
        assert run("rows", TASK, "--to", layout, made.parent) == (0, f"{made}\n", f"{TASK}: 16 rows\n")
        back = tmp_path / f"from-{layout}"
        done = run("rows", TASK, "--to", "parquet", back, "--from", made, "--quiet")
        assert done == (0, f"{back / TASK}.parquet\n", "")
        after = parquet.read_table(back / f"{TASK}.parquet")
        assert after.to_pylist() == before.to_pylist()
        assert after.schema.equals(before.schema, check_metadata=True)


def test_a_line_of_jsonl(run: Callable[..., Any], tmp_path: Path) -> None:
    """A row as it is published."""
    pytest.importorskip("pyarrow")
    run("rows", TASK, tmp_path, "--to", "jsonl")
    first = json.loads((tmp_path / f"{TASK}.jsonl").read_text().splitlines()[0])
    assert [*first] == ["id", "messages", "answer", "task", "media"]
    assert first["id"] == "mb-01"


def test_rows_that_the_task_was_compiled_with(
    run: Callable[..., Any], tasks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found through the manifest, as the frameworks find them through the generated files."""
    pytest.importorskip("datasets")
    monkeypatch.delenv("MMEVAL_ROWS")
    (tmp_path / "in.jsonl").write_text('{"id": "1", "media": [], "messages": [], "answer": "x"}\n')
    made = run("rows", "one_mmeval", "--to", "parquet", tmp_path / "rows", "--from", tmp_path / "in.jsonl",
               "--tasks", tasks)  # fmt: skip
    assert made.code == 0
    assert run("compile", "One", "--rows", tmp_path / "rows", "--tasks", tasks).code == 0
    assert run("rows", "one_mmeval", "--to", "jsonl", tmp_path / "out", "--tasks", tasks).code == 0
    assert json.loads((tmp_path / "out" / "one_mmeval.jsonl").read_text())["messages"] == "[]"


def test_media_by_path(run: Callable[..., Any], tmp_path: Path) -> None:
    """An image that is not there is one error, and nothing is written; a video is a warning."""
    file, out = tmp_path / "rows.jsonl", tmp_path / "out"
    line = {"id": "7", "media": ["a.mp4"], "messages": [{"question": "?"}], "answer": "x"}
    file.write_text(json.dumps(line) + "\n")
    warning = (
        f"{TASK}: warning: the column image holds no videos, which 1 of 1 rows have; first row 0, id '7'"
    )
    assert run("rows", TASK, "--to", "tsv", out, "--from", file) == (
        0,
        f"{out / TASK}.tsv\n",
        f"{warning}\n{TASK}: 1 row\n",
    )
    file.write_text(json.dumps({**line, "media": ["a.png"]}) + "\n")
    (out / f"{TASK}.tsv").unlink()
    assert run("rows", TASK, "--to", "tsv", out, "--from", file) == (
        2,
        "",
        f"mmeval-pack: row 0, id '7': the image 'a.png' cannot be read from {tmp_path}/a.png: "
        "No such file or directory; VLMEvalKit would leave the row out\n",
    )
    assert [*out.iterdir()] == []


OWN = SAMPLE / f"{TASK}.parquet"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["muirbench"], "{tasks}: no task is called 'muirbench'; did you mean muirbench_mmeval?"),
        ([TASK, "--from", "no.tsv"], "no.tsv: no such file"),
        (
            [TASK, "--from", "x.csv"],
            "x.csv: of no known layout; expected a name that ends in .tsv, .parquet, .jsonl",
        ),
        (
            ["sat_real_mmeval"],
            "MMEVAL_ROWS={sample}: expected {sample}/sat_real_mmeval.parquet; the folder holds {own}",
        ),
    ],
)
def test_bad_input(arguments: list[str], message: str, run: Callable[..., Any], tmp_path: Path) -> None:
    """One message, exit code 2, nothing written."""
    pytest.importorskip("pyarrow")
    told = message.format(tasks=TASKS_DIR, sample=SAMPLE, own=OWN.name)
    assert run("rows", *arguments, "--to", "tsv", tmp_path) == (2, "", f"mmeval-pack: {told}\n")
    assert [*tmp_path.iterdir()] == []


def test_the_file_that_is_read_stays(run: Callable[..., Any]) -> None:
    """It is not written over."""
    pytest.importorskip("pyarrow")
    before = OWN.read_bytes()
    done = run("rows", TASK, "--to", "parquet", SAMPLE, "--from", OWN)
    assert done == (2, "", f"mmeval-pack: {OWN}: is the file that is read; give another folder\n")
    assert OWN.read_bytes() == before
