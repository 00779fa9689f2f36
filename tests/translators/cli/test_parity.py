"""``mmeval-pack parity``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.cli import main

ROW = {"messages": [{"question": "Which?\nA. a red bus\nB. a blue car"}], "answer": "B"}
TABLE = """\
muirbench_mmeval, model: 2 responses, 1 disputed
  reference  accuracy  of n  95 %              by lot  no verdict
  mmeval     1.0000    2     0.3424 to 1.0000  0       0
  official   0.7500    2     0.2600 to 1.0000  1       0
      1  bold-letter: the letter is set in bold (1)
"""


def lines(path: Path, *responses: str, task: str = "muirbench_mmeval") -> str:
    """A file of responses; its path."""
    rows: list[dict[str, Any]] = [
        {"sample": {"id": str(number), **ROW}, "response": text, "task": task}
        for number, text in enumerate(responses)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Accuracies, then the reasons of disagreements with ids."""
    path = lines(tmp_path / "model.jsonl", "B", "**B**")
    assert main(["parity", path, "--references", "mmeval,official"]) == 0
    assert capsys.readouterr() == (TABLE, "")


def test_accuracies_over_different_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table says that they are, for they must not be compared."""
    path = Path(lines(tmp_path / "model.jsonl", "B", "**B**", task="mathverse_testmini_mmeval"))
    first, second = path.read_text().splitlines()
    asked = {"extract_replies": ["B"], "judge_replies": ["1"]}
    path.write_text(f"{json.dumps({**json.loads(first), **asked})}\n{second}\n")
    assert main(["parity", str(path), "--references", "mmeval,official"]) == 3
    assert capsys.readouterr().out.splitlines()[1:5] == [
        "  reference  accuracy  of n  95 %              by lot  no verdict",
        "  mmeval     1.0000    2     0.3424 to 1.0000  0       0",
        "  official   1.0000    1     0.2065 to 1.0000  0       1",
        "  note: the accuracies are over different samples, see n: a scorer's are those it has a verdict on",
    ]


def test_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON and one HTML file."""
    path = lines(tmp_path / "model.jsonl", "B", "**B**")
    out = ["--html", str(tmp_path / "p.html"), "--json", str(tmp_path / "p.json")]
    assert main(["parity", path, "--references", "mmeval,official", *out]) == 0
    assert len(json.loads((tmp_path / "p.json").read_text())["samples"]) == 2
    assert (tmp_path / "p.html").read_text().startswith("<!DOCTYPE html>")
    assert capsys.readouterr().out == TABLE


def test_json_on_stdout_is_all_there_is(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """So that it can be piped."""
    path = lines(tmp_path / "model.jsonl", "B")
    assert main(["parity", path, "--references", "mmeval,official", "--json", "-"]) == 0
    assert json.loads(capfdbinary.readouterr().out)["comparisons"][0]["n"] == 1


@pytest.mark.parametrize(("share", "code"), [("0.5", 0), ("0.51", 1)])
def test_a_gate(tmp_path: Path, capsys: pytest.CaptureFixture[str], share: str, code: int) -> None:
    """Every two references agree on at least this share."""
    path = lines(tmp_path / "model.jsonl", "B", "**B**")
    assert main(["parity", path, "--references", "mmeval,official", "--fail-under", share]) == code
    message = "mmeval-pack: mmeval and official on muirbench_mmeval, model agree on 0.5000, below 0.51\n"
    assert capsys.readouterr().err == (message if code else "")


def test_a_missing_judge_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The authors' MathVerse asks about every response."""
    path = lines(tmp_path / "model.jsonl", "B", task="mathverse_testmini_mmeval")
    assert main(["parity", path, "--references", "mmeval,official"]) == 3
    assert capsys.readouterr().err == "mmeval-pack: 1 verdict not given: no judge's reply is recorded\n"


def test_broken_lines_are_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table of the others is printed."""
    path = Path(lines(tmp_path / "model.jsonl", "B", "**B**"))
    path.write_text(path.read_text() + "[]\n")
    assert main(["parity", str(path), "--references", "mmeval,official"]) == 2
    assert capsys.readouterr() == (
        TABLE,
        f"mmeval-pack: {path}, line 3: a JSON list, expected an object\nmmeval-pack: 1 line left out\n",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--references", "oficial"], "no reference is called 'oficial'; did you mean official?"),
        (["--task", "nowhere"], "MISSING: cannot be read: No such file or directory"),
    ],
)
def test_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    """One clear message, exit code 2."""
    name = "MISSING" if "MISSING" in message else lines(tmp_path / "model.jsonl", "B")
    assert main(["parity", name, *arguments]) == 2
    assert capsys.readouterr().err == f"mmeval-pack: {message}\n"


def test_an_empty_file_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to compare is no success."""
    path = lines(tmp_path / "model.jsonl")
    assert main(["parity", path]) == 2
    assert capsys.readouterr().err == "mmeval-pack: the files hold no response\n"
