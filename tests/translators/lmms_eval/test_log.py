"""Reading lmms-eval's samples files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.lmms_eval import log

DETAIL = {
    "task": "toy_mmeval",
    "id": "a",
    "sample": {"id": "a"},
    "response": "B",
    "reasoning": "none",
    "score": 1.0,
}


def write(path: Path, *lines: Any) -> Path:
    """A file with a JSON value a line; text is written as it is."""
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def sample(number: int, **detail: Any) -> dict[str, Any]:
    """A line as lmms-eval writes it, cut down."""
    return {"doc_id": number, "target": "B", "filtered_resps": "B", "detail": {**DETAIL, **detail}}


def test_the_details_are_read_in_order(tmp_path: Path) -> None:
    """On several ranks that is not the order of the rows; nothing is sorted here."""
    path = write(tmp_path / "s.jsonl", sample(2, id="c"), "", sample(0))
    assert list(log.read(path)) == [{**DETAIL, "id": "c"}, DETAIL]
    assert log.recognises(path)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["no JSON"],
        [[1]],
        [{"task": "toy_mmeval", "id": "a", "response": "B"}],
        [{"doc_id": 0, "target": "B", "filtered_resps": "B"}],
    ],
)
def test_other_files_are_not_recognised(tmp_path: Path, lines: list[Any]) -> None:
    """Empty, no JSON, no object, recorded responses, the samples of a task that is not ours."""
    assert not log.recognises(write(tmp_path / "s.jsonl", *lines))


def test_a_missing_file_is_not_recognised(tmp_path: Path) -> None:
    """read() then says why."""
    path = tmp_path / "s.jsonl"
    assert not log.recognises(path)
    with pytest.raises(InputError) as error:
        list(log.read(path))
    assert str(error.value) == f"{path}: cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"doc_id": 0, "det', "not JSON: Unterminated string starting at (column 15)"),
        (
            {"doc_id": 0, "filtered_resps": "B"},
            "no `detail`; expected a samples file that `lmms-eval --log_samples` wrote for a task whose name "
            "ends in _mmeval",
        ),
        ({"doc_id": 0, "detail": {"task": "t", "id": "a"}}, "`detail` lacks sample, response, reasoning"),
    ],
)
def test_a_line_that_is_no_sample_is_named_by_its_number(tmp_path: Path, line: Any, message: str) -> None:
    """What stands before it has been given out already."""
    path = write(tmp_path / "s.jsonl", sample(0), line)
    details = log.read(path)
    assert next(details) == DETAIL
    with pytest.raises(InputError) as error:
        next(details)
    assert str(error.value) == f"{path}, line 2: {message}"


def test_bytes_that_are_no_text_are_named_by_their_line(tmp_path: Path) -> None:
    """A broken file is no traceback."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"doc_id": "\xff"}\n')
    with pytest.raises(InputError) as error:
        list(log.read(path))
    assert str(error.value).startswith(f"{path}, line 1: not JSON: 'utf-8' codec can't decode byte 0xff")
