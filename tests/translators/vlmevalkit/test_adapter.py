"""One task in the terms of VLMEvalKit, without VLMEvalKit."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.lmms_eval.adapter import Bound as LmmsEval
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.vlmevalkit.adapter import Bound

TASKS = (
    *("muirbench_mmeval", "mathverse_testmini_mmeval", "mathverse_testmini_text_only_mmeval"),
    *("sat_real_mmeval", "sat_synthetic_mmeval"),
)


def pixels(image: Image.Image) -> str:
    """A digest of size, mode and pixels."""
    return f"{image.size} {image.mode} {hashlib.sha256(image.tobytes()).hexdigest()}"


@pytest.mark.parametrize("task", TASKS)
def test_the_parts_are_those_of_lmms_eval(
    task: str, bound: Callable[..., Bound], samples: Mapping[str, Bundled], tmp_path: Path
) -> None:
    """The same texts, and the same pixels, in the same order; text-only rows included."""
    made = bound(task)
    side = LmmsEval(made.task)
    assert len(made.indices) == len(samples[task].rows)
    for index, row in zip(made.indices, samples[task].rows, strict=True):
        (message,) = side.doc_to_messages(row)
        theirs = [
            part["text"] if part["type"] == "text" else pixels(part["url"]) for part in message["content"]
        ]
        ours = [
            part["value"] if part["type"] == "text" else pixels(Image.open(part["value"]))
            for part in made.message(index, tmp_path)
        ]
        assert ours == theirs
    assert all(path.suffix == ".png" for path in tmp_path.iterdir())


def test_a_changed_image_is_another_file(bound: Callable[..., Bound], tmp_path: Path) -> None:
    """VLMEvalKit's own names would keep the old one; equal images share a file."""
    made = bound("sat_real_mmeval")
    first = [part["value"] for part in made.message("real-1", tmp_path) if part["type"] == "image"]
    assert first == [part["value"] for part in made.message("real-1", tmp_path) if part["type"] == "image"]
    (red,) = (Image.new("RGB", (4, 4), "red") for _ in range(1))
    buffer = BytesIO()
    red.save(buffer, "PNG")
    media = made.table.media(0)
    made.table.media = lambda _: [{"bytes": buffer.getvalue(), "path": None}, *media[1:]]  # type: ignore[method-assign]
    again = [part["value"] for part in made.message("real-1", tmp_path) if part["type"] == "image"]
    assert again[0] != first[0]
    assert again[1] == first[1]


def test_the_columns_hold_text_and_the_row(bound: Callable[..., Bound]) -> None:
    """All that scoring needs, as JSON; no image."""
    columns = bound("mathverse_testmini_mmeval").columns()
    assert [*columns] == ["index", "question", "answer", "problem_version", "subject", "subfield", "mmeval"]
    assert columns["index"] == [*range(1, 21)]
    known = json.loads(columns["mmeval"][0])
    assert (known["task"], known["id"]) == ("mathverse_testmini_mmeval", "1")
    assert "media" not in known["sample"]
    assert all(isinstance(value, str) for name in columns if name != "index" for value in columns[name])


def test_another_process_gets_the_same_task(bound: Callable[..., Bound]) -> None:
    """--api-mode of VLMEvalKit evaluates in one; rows that were read here are read there anew."""
    made = bound("sat_real_mmeval")
    assert len(made.table) == 12
    again = pickle.loads(pickle.dumps(made))
    assert again.task == made.task
    assert "table" not in vars(again)
    assert again.indices == made.indices


def test_rows_that_cannot_be_asked_end_the_run(
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All in one message, before anything is generated; an exception would only skip the dataset."""
    import pyarrow
    from pyarrow import parquet

    path = samples["muirbench_mmeval"].path
    table = parquet.read_table(path)
    rows: list[dict[str, Any]] = table.to_pylist()
    rows[3]["media"] = rows[3]["media"][:-1]
    rows[7]["media"] = None
    parquet.write_table(pyarrow.Table.from_pylist(rows, table.schema), tmp_path / path.name)
    with pytest.raises(SystemExit) as stopped:
        bound("muirbench_mmeval", tmp_path).check()
    assert stopped.value.code == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "mmeval-pack: task muirbench_mmeval: 2 of 16 rows cannot be asked, so nothing is:"
    assert [line.split(":")[0] for line in said[1:]] == ["  row 3, id 'mb-04'", "  row 7, id 'mb-08'"]


def test_missing_rows_end_the_run(
    bound: Callable[..., Bound], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With where they were expected."""
    with pytest.raises(SystemExit):
        bound("muirbench_mmeval", tmp_path).check()
    assert capsys.readouterr().err == (
        f"mmeval-pack: task muirbench_mmeval: MMEVAL_ROWS={tmp_path}: expected "
        f"{tmp_path}/muirbench_mmeval.parquet; the folder holds no parquet file\n"
    )


@pytest.mark.parametrize(("field", "stops"), [("questoin", True), ("text", False)])
def test_a_name_that_no_row_has(
    field: str,
    stops: bool,
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It ends the run where a field of the rows is close to it, and is told else."""
    import pyarrow
    from pyarrow import parquet

    path = samples["muirbench_mmeval"].path
    table = parquet.read_table(path)
    row = {"id": "1", "media": [], "messages": json.dumps([{"role": "user", field: "?"}]), "answer": "A"}
    parquet.write_table(pyarrow.Table.from_pylist([row], table.schema), tmp_path / path.name)
    made = bound("muirbench_mmeval", tmp_path)
    made.prompt = Prompt("What? {{ question }}")
    with pytest.raises(SystemExit) if stops else nullcontext():
        made.check()
    told = "task muirbench_mmeval: the prompt template reads 'question', which no row has"
    end = "; they have 'questoin', so one of the two is misspelt, and nothing is asked"
    assert capsys.readouterr().err == (
        f"mmeval-pack: {told}{end}\n"
        if stops
        else f"mmeval-pack: warning: {told}: it is rendered as nothing\n"
    )
