"""Recorded responses in place of a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.lmms_eval import replay


def write(path: Path, *lines: Any) -> Path:
    """A file with a JSON value a line; text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def line(task: str, row: Any, response: Any) -> dict[str, Any]:
    """One recorded response."""
    return {"task": task, "id": row, "response": response}


def request(doc_id: int, task: str = "toy_mmeval", *, chat: bool = False) -> SimpleNamespace:
    """What lmms-eval hands to a model: a simple and a chat model get different arguments."""
    head = ("text", print, {}) if chat else ("text", {}, print)
    return SimpleNamespace(args=(*head, doc_id, task, "test"))


class Rows:
    """A dataset whose images must not be looked at."""

    def __init__(self, *ids: Any) -> None:
        self.ids = list(ids)

    def __getitem__(self, key: Any) -> Any:
        assert key == "id", "a whole row was read: its images would be decoded"
        return self.ids


def model(path: Path, **tasks: Rows) -> replay.Replaying:
    """The model without lmms-eval's base class."""
    made = replay.Replaying(responses=str(path), batch_size=1, max_batch_size=None, device="cpu")
    made.task_dict = {task: {"test": rows} for task, rows in tasks.items()}
    return made


def stopped(capsys: pytest.CaptureFixture[str]) -> str:
    """What was written to stderr."""
    return capsys.readouterr().err


@pytest.mark.parametrize("chat", [False, True])
def test_responses_are_joined_by_task_and_id(tmp_path: Path, chat: bool) -> None:
    """The order of lines and docs means nothing; equal ids of two tasks are two rows."""
    file = write(
        tmp_path / "r.jsonl",
        line("b_mmeval", "1", "b one"),
        line("a_mmeval", "2", "a two"),
        line("a_mmeval", 1, "a one"),
    )
    made = model(file, a_mmeval=Rows("1", "2", "3"), b_mmeval=Rows("0", "1"))
    asked = [
        request(1, "a_mmeval", chat=chat),
        request(1, "b_mmeval", chat=chat),
        request(0, "a_mmeval", chat=chat),
    ]
    assert made.generate_until(asked) == ["a two", "b one", "a one"]


def test_a_folder_gives_all_response_files_below_it(tmp_path: Path) -> None:
    """So the samples of several benchmarks run at once; other files are left alone."""
    write(tmp_path / "a" / "sample" / "a.responses.jsonl", line("a_mmeval", "1", "x"))
    write(tmp_path / "b" / "sample" / "b.responses.jsonl", line("b_mmeval", "1", "y"))
    write(tmp_path / "b" / "sample" / "notes.jsonl", "no JSON")
    assert replay.load(replay.files(tmp_path)) == {("a_mmeval", "1"): "x", ("b_mmeval", "1"): "y"}


def test_all_rows_without_a_response_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one message, once each."""
    made = model(write(tmp_path / "r.jsonl", line("toy_mmeval", "a", "x")), toy_mmeval=Rows("a", "b", "c"))
    with pytest.raises(SystemExit) as error:
        made.generate_until([request(0), request(1), request(2), request(2)])
    assert error.value.code == 2
    assert stopped(capsys) == (
        "mmeval-pack: model replay: no response is recorded for 2 of 3 rows:\n"
        "  task toy_mmeval, id 'b'\n"
        "  task toy_mmeval, id 'c'\n"
    )


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ('{"task": "t"', "not JSON: Expecting ',' delimiter (column 13)"),
        ("[]", 'expected an object with "task", "id" and "response"'),
        ({"task": "t", "id": "1"}, 'expected an object with "task", "id" and "response"'),
        (line("t", None, "x"), '"task" must be text and "id" text or a whole number'),
        (line("t", True, "x"), '"task" must be text and "id" text or a whole number'),
        (line("t", "1", ["x"]), '"response" must be text or null'),
        (line("t", "0", "other"), "a second, different response for task t, id '0'"),
    ],
)
def test_a_line_of_another_form_is_named_by_its_number(tmp_path: Path, second: Any, message: str) -> None:
    """File, line, fault."""
    file = write(tmp_path / "r.jsonl", line("t", "0", "x"), second)
    with pytest.raises(InputError) as error:
        replay.load([file])
    assert str(error.value) == f"{file}, line 2: {message}"


def test_a_repeated_line_is_no_fault(tmp_path: Path) -> None:
    """Files may overlap, and blank lines mean nothing."""
    file = write(tmp_path / "r.jsonl", line("t", "0", None), "", line("t", "0", None))
    assert replay.load([file, file]) == {("t", "0"): None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs --model_args responses=FILE.jsonl or responses=FOLDER"),
        ({"response": "x"}, "unknown argument 'response'; the only one is 'responses'"),
        ({"responses": "/nowhere"}, "/nowhere: no such file or folder; expected recorded responses"),
        ({"responses": "{empty}"}, "{empty}: no *.responses.jsonl in this folder or below it"),
    ],
)
def test_arguments_that_cannot_work_stop_the_run(
    tmp_path: Path, arguments: dict[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With one line and exit code 2."""
    given = {name: value.format(empty=tmp_path) for name, value in arguments.items()}
    with pytest.raises(SystemExit) as error:
        replay.Replaying(**given)
    assert error.value.code == 2
    assert stopped(capsys) == f"mmeval-pack: model replay: {message.format(empty=tmp_path)}\n"


def test_a_recorded_null_stays_no_response(tmp_path: Path) -> None:
    """A bare None would reach the scoring as the text None."""
    instance = pytest.importorskip("lmms_eval.api.instance")
    made = model(write(tmp_path / "r.jsonl", line("toy_mmeval", "a", None)), toy_mmeval=Rows("a"))
    assert instance.unwrap_generation_output(made.generate_until([request(0)])[0]) == (None, None)


def test_the_classes_are_made_on_demand() -> None:
    """Importing the module imports no framework, and other names are no attributes."""
    assert "Replay" not in vars(replay)
    with pytest.raises(AttributeError, match="has no attribute 'Other'"):
        replay.Other  # noqa: B018
    assert sys.modules[replay.__name__] is replay
