"""mmeval-pack render."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Any], Path]:
    """Write a row into a file."""

    def to_file(row: Any) -> Path:
        file = tmp_path / "row.json"
        file.write_text(json.dumps(row))
        return file

    return to_file


FLAT = {"id": "1", "media": ["a.png"], "messages": json.dumps([{"role": "user", "question": "What?"}])}
NESTED = {"id": "1", "media": [{"bytes": None}], "messages": [{"question": "What?", "answer": "A"}]}
EXPECTED = {
    "prompt": "<image>What?",
    "parts": [{"type": "image", "index": 0}, {"type": "text", "text": "What?"}],
}


TOP = {"question": "What?", "messages": [{"role": "user"}]}


@pytest.mark.parametrize("row", [FLAT, NESTED, TOP, {**TOP, "media": ["x"]}])
def test_rows_of_every_layout(run: Callable[..., Any], tasks: Path, write: Any, row: dict[str, Any]) -> None:
    """Messages as JSON text or a list, fields at the top level, media of any kind or not there."""
    code, out, err = run("render", "one_mmeval", write(row), "--tasks", tasks)
    assert (code, err) == (0, "")
    assert json.loads(out) == EXPECTED


def test_from_stdin(run: Callable[..., Any], tasks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single dash, as everywhere."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(FLAT).encode())))
    code, out, _ = run("render", "one_mmeval", "-", "--tasks", tasks)
    assert (code, json.loads(out)) == (0, EXPECTED)


@pytest.mark.parametrize(("media", "count"), [([], 0), (None, 0), (["a", "b"], 2)])
def test_tokens_that_differ_from_the_media(
    run: Callable[..., Any], tasks: Path, write: Any, media: Any, count: int
) -> None:
    """Both numbers are in the message."""
    file = write({**TOP, "media": media})
    assert run("render", "one_mmeval", file, "--tasks", tasks) == (
        2,
        "",
        f"mmeval-pack: {file}: the prompt of one_mmeval has 1 media token, the row has {count} media; "
        "the numbers must be equal\n",
    )


def test_other_scripts_stay_readable(run: Callable[..., Any], tasks: Path, write: Any) -> None:
    """And half a surrogate pair, which no model can be sent, is refused."""
    code, out, error = run("render", "one_mmeval", write({**TOP, "question": "答え\ud800"}), "--tasks", tasks)
    assert (code, out) == (2, "")
    assert "surrogate" in error
    _, out, _ = run("render", "one_mmeval", write({**TOP, "question": "答え"}), "--tasks", tasks)
    assert "<image>答え" in out


@pytest.mark.parametrize("messages", [{}, {"messages": None}, {"messages": "[]"}, {"messages": ["What?"]}])
def test_a_row_without_a_message(
    run: Callable[..., Any], tasks: Path, write: Any, messages: dict[str, Any]
) -> None:
    """It would be refused in a run as well."""
    file = write({"id": "1", "media": ["a.png"], "question": "What?", **messages})
    assert run("render", "one_mmeval", file, "--tasks", tasks) == (
        2,
        "",
        f"mmeval-pack: {file}: the row has no message, so it asks nothing; "
        'expected "messages": [{"role": "user", "question": ...}]\n',
    )


@pytest.mark.parametrize(
    ("name", "hint"), [("questoin", "; it has 'questoin', so one of the two is misspelt"), ("text", "")]
)
def test_a_name_that_the_row_lacks(
    run: Callable[..., Any], tasks: Path, write: Any, name: str, hint: str
) -> None:
    """It is rendered as nothing, and stderr says so unless it is to be quiet."""
    file = write({"id": "1", "messages": [{name: "What?"}]})
    reads = "the prompt template reads 'question', which the row lacks"
    told = f"{file}: warning: {reads}: it is rendered as nothing"
    code, out, err = run("render", "one_mmeval", file, "--tasks", tasks)
    assert (code, json.loads(out)["prompt"], err) == (0, "<image>", f"{told}{hint}\n")
    assert run("render", "one_mmeval", file, "--tasks", tasks, "--quiet").err == ""


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{", "is no JSON text: Expecting property name enclosed in double quotes"),
        ("\xff", "is no JSON text: 'utf-8' codec can't decode"),
        ("[1]", "holds a list; expected one row, an object with messages and media"),
        ('"text"', "holds a str; expected one row, an object with messages and media"),
    ],
)
def test_files_that_hold_no_row(
    run: Callable[..., Any], tasks: Path, tmp_path: Path, content: str, fault: str
) -> None:
    """One message, with the file's name."""
    file = tmp_path / "row.json"
    file.write_bytes(content.encode("latin-1"))
    code, out, err = run("render", "one_mmeval", file, "--tasks", tasks)
    assert (code, out) == (2, "")
    assert err.startswith(f"mmeval-pack: {file}: {fault}")
    assert err.count("\n") == 1


def test_a_missing_file_and_an_unknown_task(run: Callable[..., Any], tasks: Path, write: Any) -> None:
    """The nearest task is offered."""
    assert run("render", "one_mmeval", "no.json", "--tasks", tasks) == (
        2,
        "",
        "mmeval-pack: no.json: cannot be read: No such file or directory\n",
    )
    assert run("render", "one_mmevl", write(FLAT), "--tasks", tasks) == (
        2,
        "",
        f"mmeval-pack: {tasks}: no task is called 'one_mmevl'; did you mean one_mmeval?\n",
    )
