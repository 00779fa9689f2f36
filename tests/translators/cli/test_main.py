"""What holds for every command: help, options, exit codes, and a fast start."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators import cli

COMMANDS = sorted(file.stem for file in Path(cli.__file__).parent.glob("[!_]*.py"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, run: Callable[..., Any]) -> None:
    """And the options that all commands share."""
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "\nexample: " in out
    assert "--tasks DIR" in out
    assert "--quiet" in out


def test_help_lists_the_commands(run: Callable[..., Any]) -> None:
    """Each with a line of its own."""
    code, out, _ = run("--help")
    assert code == 0
    assert {"check", "compile", "list", "path", "render"} <= set(COMMANDS)
    listed = re.findall(r"^    ([a-z]+)\b", out, re.MULTILINE)
    assert [command for command in COMMANDS if command not in listed] == []


@pytest.mark.parametrize(
    "arguments", [[], ["compil"], ["path", "--taks"], ["render", "x"], ["list", "extra"]]
)
def test_usage_errors_end_in_2(arguments: list[str], run: Callable[..., Any]) -> None:
    """Nothing on stdout, the usage on stderr."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("usage: mmeval-pack")


def test_an_error_is_one_message(run: Callable[..., Any], tmp_path: Path) -> None:
    """No traceback, and nothing on stdout."""
    assert run("list", "--tasks", tmp_path) == (
        2,
        "",
        f"mmeval-pack: {tmp_path}: holds no benchmark; expected <benchmark>/metadata.json\n",
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("score {file} --out - >&-", "-: stdout is closed"),
        ("score - <&-", "-: stdin is closed"),
    ],
)
def test_a_file_that_is_a_closed_stream_is_no_empty_one(command: str, message: str, tmp_path: Path) -> None:
    """Nothing is taken for a result that could not be read or written."""
    file = tmp_path / "in.jsonl"
    file.write_text('{"sample": {"messages": [{"question": "q"}], "answer": "x"}, "response": "x"}\n')
    program = (
        f"{sys.executable} -c 'import sys; from mmeval_pack.translators.cli import main; sys.exit(main())' "
    )
    done = subprocess.run(
        program + command.format(file=file), shell=True, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mmeval-pack: {message}\n")


def test_an_interrupt_is_no_traceback(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The code that shells give to an interrupted process."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("mmeval_pack.translators.cli.path.tasks_dir", interrupt)
    assert run("path") == (130, "", "")


def test_a_reader_that_goes_away_is_no_traceback(tasks: Path) -> None:
    """``mmeval-pack list | head -0``: the pipe is closed before anything is written."""
    reading, writing = os.pipe()
    os.close(reading)
    code = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "list", "--json", "--quiet", "--tasks", str(tasks)]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("arguments", [["path"], ["--help"]])
def test_a_light_command_imports_nothing_heavy(arguments: list[str]) -> None:
    """The start stays fast: neither validation nor templates nor clients are loaded."""
    heavy = {"pydantic", "jinja2", "openai", "yaml", "PIL", "lmms_eval"}
    code = (
        "import sys; from mmeval_pack.translators.cli import main; main(sys.argv[1:]);"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(run: Callable[..., Any]) -> None:
    """The generator's version, as in the header of its files."""
    code, out, _ = run("--version")
    assert code == 0
    assert out.startswith("mmeval-pack 0.")


def test_broken_text_on_stdout_is_shown_not_raised(
    tasks: Path, add: Callable[..., Path], subset: Any
) -> None:
    """A terminal that knows ASCII only still gets valid JSON."""
    add("three", "Three", {"main": subset(score_pipeline={"unsupported": "x", "reason": "déjà"})})
    code = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "list", "--json", "--tasks", str(tasks)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert [entry["refused"] for entry in json.loads(done.stdout) if not entry["task"]] == [
        "x: déjà",
        "caption-metrics: needs CIDEr",
    ]


@pytest.mark.parametrize(
    ("redirection", "code", "output"),
    [
        ("list >&-", 0, "5 tasks, 0 refused subsets\n"),
        ("list --json >&-", 0, ""),
        ("list --quiet 2>&- | tail -1", 0, "sat_synthetic_mmeval"),
        ("compile --help >&- 2>&-", 0, ""),
        ("path --taks 2>&-", 2, ""),
        ("render muirbench_mmeval - <&-", 2, "mmeval-pack: -: is no JSON text: Expecting value: line"),
        ("path >/dev/full", 2, "mmeval-pack: output: No space left on device\n"),
        ("list --json >/dev/full", 2, "mmeval-pack: output: No space left on device\n"),
        ("list 2>/dev/full >&-", 2, ""),
        ("list --tasks /none 2>/dev/full", 2, ""),
    ],
)  # fmt: skip
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
def test_closed_and_full_streams_are_no_traceback(redirection: str, code: int, output: str) -> None:
    """Nothing goes to another stream than its own, and a lost result is an error."""
    program = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main(sys.argv[1:]))"
    command = ["bash", "-o", "pipefail", "-c", f'"$0" -c "$1" {redirection}', sys.executable, program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert (done.stdout + done.stderr).startswith(output)
    assert output or done.stdout + done.stderr == ""


HOSTILE = "\x1b[31mred\x07\x9b2J\u202e\ufeff\nsecond line \u3000é"


def test_published_text_reaches_no_terminal_as_a_command(
    tasks: Path, add: Callable[..., Path], subset: Any, run: Callable[..., Any]
) -> None:
    """Escape sequences are shown, a reason stays one line, and JSON holds what it held."""
    add("three", "Three", {"main": subset(score_pipeline={"unsupported": "x", "reason": HOSTILE})})
    shown = r"x: \x1b[31mred\x07\x9b2J\u202e\ufeff second line é"
    assert run("list", "--tasks", tasks).out.splitlines()[-2:-1] == [
        f"Three, subset 'main': refused: {shown}"
    ]
    assert f"three, subset 'main': refused: {shown}\n" in run("compile", "--tasks", tasks).err
    out = run("list", "--json", "--tasks", tasks).out
    assert [entry["refused"] for entry in json.loads(out) if entry["benchmark"] == "Three"] == [
        f"x: {HOSTILE}"
    ]
    assert not set(HOSTILE) & set(out) & set("\x1b\x07\x9b\u202e\ufeff")


def test_no_argument_reaches_the_terminal_as_a_command(run: Callable[..., Any], tmp_path: Path) -> None:
    """A file's name can hold anything but a slash."""
    folder = tmp_path / "\x1b[31m"
    shown = str(tmp_path / "\\x1b[31m")
    assert run("list", "--tasks", folder).err == (
        f"mmeval-pack: {shown}: is no tasks folder: No such file or directory\n"
    )
