"""mmeval-pack score."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.pipeline import RULES
from mmeval_pack.translators.lmms_eval import adapter
from mmeval_pack.translators.plan import TASKS_DIR, find_task

SAMPLE = {"messages": [{"question": "Which?", "options": {"A": "cat", "B": "dog"}}], "answer": "B"}
RIGHT, WRONG, NO_RESPONSE = ({"sample": SAMPLE, "response": response} for response in ("(B)", "cat", None))
JUDGED = {**WRONG, "pipeline": ["exact-match", "llm-judge"]}
ENTRY = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main())"
LACKS = "lacks sample and response; expected an object with sample and response"
SUMMARY = """\
{name}: 3 samples
  verdicts    right 1, wrong 1, unscored 0, invalid 1
  decided by  rule-match 1
  reasons     missing_response 1
  accuracy    0.5000 over 2 scored (95 % interval 0.0945 to 0.9055), 0.3333 over all 3
  mean score  0.5000 over 2 scored (95 % interval 0.0945 to 0.9055), 0.3333 over all 3
"""


@pytest.fixture(autouse=True)
def _no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the environment of the tests names."""
    monkeypatch.setenv("MMEVAL_JUDGE", "off")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write values, or lines as they are, into a file."""

    def to_file(*values: Any, name: str = "in.jsonl") -> Path:
        lines = [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in lines))
        return tmp_path / name

    return to_file


def read(file: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def start(*arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    command = [sys.executable, "-c", ENTRY, "score", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, **options)


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Look every 20 ms."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_summary_alone(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """Without --out nothing is written."""
    file = write(RIGHT, WRONG, NO_RESPONSE)
    assert run("score", file) == (0, SUMMARY.format(name=file), "")
    assert [*tmp_path.iterdir()] == [file]


def test_out(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """The lines in the file, the summary on stdout."""
    file, out = write(RIGHT, WRONG, NO_RESPONSE), tmp_path / "out.jsonl"
    out.write_text("of an earlier run")
    assert run("score", file, "--out", out) == (0, SUMMARY.format(name=file), "")
    assert [line["score"] for line in read(out)] == [1.0, 0.0, 0.0]
    assert sorted(tmp_path.iterdir()) == [file, out]
    first = out.read_bytes()
    run("score", file, "--out", out)
    assert out.read_bytes() == first


def test_out_is_stdout(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """The summary then goes to stderr, or nowhere."""
    file = write(RIGHT, WRONG, NO_RESPONSE)
    code, out, err = run("score", file, "--out", "-")
    assert (code, err) == (0, SUMMARY.format(name=file))
    assert [json.loads(line)["is_correct"] for line in out.splitlines()] == [1, 0, 0]
    assert run("score", file, "--out", "-", "--quiet") == (0, out, "")


def test_stdin(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """A single dash, as everywhere."""
    lines = "".join(json.dumps(line) + "\n" for line in (RIGHT, WRONG, NO_RESPONSE))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
    assert run("score", "-") == (0, SUMMARY.format(name="-"), "")


def test_json_summary_of_several_files(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Each, then all together: of two pipelines there is no mean, and nothing is divided by nothing."""
    files = [write(RIGHT, name="a.jsonl"), write(JUDGED, b"{", name="b.jsonl")]
    code, out, _ = run("score", *files, "--json")
    right = {"mean": 1.0, "interval": [pytest.approx(0.2065, abs=1e-4), 1.0], "published": 1.0}
    none = {"mean": None, "interval": None, "published": None}
    first = {
        "samples": 1,
        "broken_lines": 0,
        "verdicts": {"right": 1, "wrong": 0, "unscored": 0, "invalid": 0},
        "status": {"ok": 1, "invalid": 0, "unscored": 0},
        "stages": {"rule-match": 1},
        "reasons": {},
        "comparable": True,
        "accuracy": right,
        "mean_score": right,
        "caveat": None,
        "groups": {},
        "macro": {},
        "recorded": {"kept": [], "dropped": {}},
    }
    second = {
        **first,
        "broken_lines": 1,
        "verdicts": {"right": 0, "wrong": 0, "unscored": 1, "invalid": 0},
        "status": {"ok": 0, "invalid": 0, "unscored": 1},
        "stages": {"undecided": 1},
        "reasons": {"no_judge": 1},
        "accuracy": {**none, "published": 0.0},
        "mean_score": {**none, "published": 0.0},
    }
    overall = {
        **second,
        "samples": 2,
        "verdicts": {"right": 1, "wrong": 0, "unscored": 1, "invalid": 0},
        "status": {"ok": 1, "invalid": 0, "unscored": 1},
        "stages": {"rule-match": 1, "undecided": 1},
        "comparable": False,
        "accuracy": none,
        "mean_score": none,
    }
    assert code == 2
    assert json.loads(out) == {
        "rules": "parity",
        "files": [
            {"file": str(files[0]), **first, "tasks": {}},
            {"file": str(files[1]), **second, "tasks": {}},
        ],
        "overall": overall,
        "judge": None,
    }


def test_text_summary_of_several_files(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Nothing is divided by nothing."""
    files = [write(name="empty.jsonl"), write(JUDGED, {}, name="b.jsonl")]
    _, out, _ = run("score", *files)
    one = (
        "  verdicts    right 0, wrong 0, unscored 1, invalid 0\n"
        "  decided by  none\n"
        "  reasons     no_judge 1\n"
        "  accuracy    N/A over 0 scored, 0.0000 over all 1\n"
        "  mean score  N/A over 0 scored, 0.0000 over all 1\n"
    )
    assert out == (
        f"{files[0]}: 0 samples\n"
        "  verdicts    right 0, wrong 0, unscored 0, invalid 0\n"
        "  decided by  none\n"
        "  reasons     none\n"
        "  accuracy    N/A\n"
        "  mean score  N/A\n"
        f"{files[1]}: 1 sample, 1 broken line left out\n{one}"
        f"overall: 1 sample, 1 broken line left out\n{one}"
    )


CAVEAT = (
    "likely too high: it holds only for what rules settled (rules credit, they never decide a miss); "
    "1 of 2 samples lacks a judge's verdict"
)


def test_an_accuracy_of_rules_alone_is_said_to_be_too_high(
    run: Callable[..., Any], write: Callable[..., Path]
) -> None:
    """Beside the figure; a figure for which nothing is missing stands alone."""
    file = write(
        {**RIGHT, "pipeline": ["rule-match", "llm-judge"]},
        {**JUDGED, "pipeline": ["rule-match", "llm-judge"]},
    )
    lines = run("score", file).out.splitlines()
    assert lines[1:6] == [
        "  verdicts    right 1, wrong 0, unscored 1, invalid 0",
        "  decided by  rule-match 1",
        "  reasons     no_judge 1",
        "  accuracy    1.0000 over 1 scored (95 % interval 0.2065 to 1.0000), 0.5000 over all 2",
        f"              {CAVEAT}",
    ]
    assert json.loads(run("score", file, "--json").out)["overall"]["caveat"] == CAVEAT
    assert "likely" not in run("score", write(RIGHT, WRONG)).out


def test_lines_of_several_pipelines_have_no_mean(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Neither in one file nor over all; their counts are told."""
    out = run("score", write(RIGHT, JUDGED)).out.splitlines()
    assert out[4] == "  accuracy    none over several pipelines or protocols"
    files = [write(RIGHT, name="a"), write({**RIGHT, "pipeline": ["exact-match"]}, name="b")]
    out = run("score", *files).out
    assert out.splitlines()[12:] == [
        "overall: 2 samples",
        "  verdicts    right 1, wrong 1, unscored 0, invalid 0",
        "  decided by  rule-match 1",
        "  reasons     none",
        "  accuracy    none over several pipelines or protocols",
    ]


def muirbench(response: str, kind: str) -> dict[str, Any]:
    """A line about a row of a task with groups."""
    return {"task": "muirbench_mmeval", "sample": {**SAMPLE, "task": kind}, "response": response}


def test_figures_by_group(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """As the task declares them, with n; a value may be blank or try to steer the terminal."""
    kinds = ["Ordered", "Ordered", "\x1b[2J" + "x" * 70, ""]
    file = write(*(muirbench(text, kind) for text, kind in zip("BABA", kinds, strict=True)))
    lines = run("score", file).out.splitlines()
    start = lines.index("  by task, mean of its values 0.5000")
    steered = "\\x1b[2J" + "x" * 56
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        ["(blank)", "0.0000", "over", "1", "of", "1"],
        [steered, "1.0000", "over", "1", "of", "1"],
        ["Ordered", "0.5000", "over", "2", "of", "2"],
    ]
    summary = json.loads(run("score", file, "--json").out)["files"][0]
    assert summary["groups"]["task"]["Ordered"] == {"n": 2, "samples": 2, "accuracy": 0.5}
    assert summary["macro"]["task"] == 0.5


def test_figures_by_task(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Where a file has several, lines without one among them."""
    file = write(muirbench("B", "x"), {**WRONG, "task": "sat_real_mmeval"}, RIGHT)
    lines = [line for line in run("score", file).out.splitlines() if not line.startswith(" ")]
    assert lines == [
        f"{file}: 3 samples",
        f"{file}, lines without a task: 1 sample",
        f"{file}, muirbench_mmeval: 1 sample",
        f"{file}, sat_real_mmeval: 1 sample",
    ]
    tasks = json.loads(run("score", file, "--json").out)["files"][0]["tasks"]
    assert {name: each["accuracy"]["mean"] for name, each in tasks.items()} == {
        "": 1.0,
        "muirbench_mmeval": 1.0,
        "sat_real_mmeval": 0.0,
    }


def test_fractions(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Accuracy counts full scores, the mean score all of them."""
    row = {"messages": [{"question": "Q"}], "answer": ["abcd"]}
    lines = [{"sample": row, "response": response, "pipeline": ["anls"]} for response in ("abcd", "abcx")]
    summary = json.loads(run("score", write(*lines), "--json").out)["overall"]
    assert (summary["accuracy"]["mean"], summary["mean_score"]["mean"]) == (0.5, 0.875)
    assert summary["verdicts"] == {"right": 1, "partial": 1, "wrong": 0, "unscored": 0, "invalid": 0}


def test_broken_lines(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """Named by number, blank ones counted; the good lines are scored and written; the code is 2, not 3."""
    file, out = write(RIGHT, b"", b"x", JUDGED, {"task": "x"}, WRONG), tmp_path / "out.jsonl"
    with file.open("ab") as stream:
        stream.write(b'{"sample": {"mess')
    code, _, err = run("score", file, "--out", out, "--quiet")
    assert code == 2
    assert err.splitlines() == [
        f"mmeval-pack: {file}, line 3: not JSON: Expecting value (column 1)",
        f"mmeval-pack: {file}, line 5: {LACKS}",
        f"mmeval-pack: {file}, line 7: not JSON: Unterminated string starting at (column 13)",
        "mmeval-pack: 3 broken lines left out",
    ]
    assert [line["score"] for line in read(out)] == [1.0, None, 0.0]


def test_without_a_good_line_nothing_is_written(
    run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    """A file that is none of responses does not cost an earlier OUT."""
    file, out = write({"task": "x"}, b"x"), tmp_path / "out.jsonl"
    out.write_text("earlier\n")
    code, printed, err = run("score", file, "--out", out)
    assert (code, printed) == (2, "")
    assert err.splitlines()[1:] == [
        f"mmeval-pack: {file}, line 2: not JSON: Expecting value (column 1)",
        "mmeval-pack: no line could be scored, 2 broken lines left out",
    ]
    assert (out.read_text(), [*tmp_path.glob(".*")]) == ("earlier\n", [])


@pytest.mark.parametrize("rules", RULES)
def test_rules(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path, rules: str) -> None:
    """Every rule set can be asked for; lines and summary say when figures do not compare."""
    code, out, _ = run("score", write(RIGHT, WRONG), "--out", tmp_path / "out", "--rules", rules)
    note = [] if rules == "parity" else [f"rules: {rules}; not comparable with published figures"]
    assert (code, out.splitlines()[6:]) == (0, note)
    assert [line.get("rules", "parity") for line in read(tmp_path / "out")] == [rules] * 2


def test_samples_without_a_judge(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """They are written, and the code is 3."""
    code, _, err = run("score", write(RIGHT, JUDGED, JUDGED), "--out", tmp_path / "out.jsonl")
    assert (code, err) == (
        3,
        "mmeval-pack: 2 samples not judged: no_judge 2\n"
        "mmeval-pack: no judge is configured; set MMEVAL_JUDGE_MODEL and MMEVAL_JUDGE_BASE_URL (or "
        "MMEVAL_JUDGE_API_KEY)\n",
    )
    assert [line["reason"] for line in read(tmp_path / "out.jsonl")] == [None, "no_judge", "no_judge"]


def test_failed_generations_are_no_matter_of_a_judge(
    run: Callable[..., Any], write: Callable[..., Path]
) -> None:
    """They are unscored, and the code is 0."""
    failed = {"sample": SAMPLE, "response": "[LMMS_EVAL_REQUEST_FAILED after 5 retries] timeout"}
    code, out, err = run("score", write(failed))
    assert (code, err) == (0, "")
    assert "  reasons     generation_failed 1\n" in out


def test_tasks_folder(run: Callable[..., Any], write: Callable[..., Path], tasks: Path) -> None:
    """--tasks says where a line's task is looked up; the message knows the nearest name."""
    file = write({**RIGHT, "task": "one_mmeval"}, {**RIGHT, "task": "tow_a_dev_mmeval"})
    code, out, err = run("score", file, "--tasks", tasks)
    assert (code, out.splitlines()[0]) == (2, f"{file}: 1 sample, 1 broken line left out")
    assert err.splitlines()[0] == (
        f"mmeval-pack: {file}, line 2: {tasks}: no task is called 'tow_a_dev_mmeval'; "
        "did you mean two_a_dev_mmeval?"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.jsonl"], "nowhere.jsonl: no such file"),
        (["."], ".: is a folder; expected a file of responses"),
        (["-", "-"], "-: stdin can be read only once"),
        (
            ["in.jsonl", "--out", "in.jsonl"],
            "--out in.jsonl: is in.jsonl itself, which is read; give another file",
        ),
        (
            ["in.jsonl", "--out", "link.jsonl"],
            "--out link.jsonl: is in.jsonl itself, which is read; give another file",
        ),
        (["in.jsonl", "--out", "no/out.jsonl"], "no/out.jsonl: cannot be written: No such file or directory"),
        (["in.jsonl", "--out", "."], ".: cannot be written: Is a directory"),
        (["in.jsonl", "--tasks", "nowhere"], "nowhere: is no tasks folder"),
    ],
)
def test_what_ends_a_run_at_once(
    run: Callable[..., Any],
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: Sequence[str],
    message: str,
) -> None:
    """One message, exit code 2, and the files as they were."""
    file = write(RIGHT)
    (tmp_path / "link.jsonl").hardlink_to(file)
    monkeypatch.chdir(tmp_path)
    before = file.read_bytes()
    assert run("score", *arguments) == (2, "", f"mmeval-pack: {message}\n")
    assert (file.read_bytes(), len([*tmp_path.iterdir()])) == (before, 2)


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--shard", "3/2", "argument --shard: shard is '3/2', expected I/N with I from 1 to N, such as 2/8"),
        ("--jobs", "0", "argument --jobs: '0' is no number of processes; expected 1 to 9999"),
        ("--jobs", "9" * 20, f"argument --jobs: '{'9' * 20}' is no number of processes; expected 1 to 9999"),
        ("--jobs", "two", "argument --jobs: 'two' is no number of processes; expected 1 to 9999"),
        ("--rules", "mine", "argument --rules: invalid choice: 'mine' (choose from 'parity', 'improved')"),
        (
            "--protocol",
            "x",
            "argument --protocol: invalid choice: 'x' (choose from 'published', 'vlmevalkit', 'official')",
        ),
        ("--judge", "on", "argument --judge: 'on', expected off or replay:FILE"),
        ("--judge", "replay:", "argument --judge: 'replay:', expected off or replay:FILE"),
        (
            "--judge-budget",
            "",
            "argument --judge-budget: '' is empty; leave the option out for the default",
        ),
        ("--judge-retries", "-1", "argument --judge-retries: '-1': expected a whole number from 0"),
        ("--judge-timeout", "0", "argument --judge-timeout: '0': expected seconds, a number above 0"),
        (
            "--judge-budget",
            "5",
            "argument --judge-budget: '5': expected calls:500, tokens:200000, or both with a comma",
        ),
    ],
)
def test_usage(run: Callable[..., Any], option: str, value: str, message: str) -> None:
    """The message names what would be right."""
    code, out, err = run("score", "in.jsonl", option, value)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"mmeval-pack score: error: {message}"


def many(count: int) -> Iterable[dict[str, Any]]:
    """Lines that differ."""
    responses = ("B", "(A)", "dog", None, "The answer is B.", "\ud800\u2028")
    return ({"n": n, "sample": SAMPLE, "response": responses[n % 6], "pad": "x" * 1500} for n in range(count))


def test_jobs_and_shards_give_the_same_bytes(
    run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Whatever the number of processes; and the shards, laid one into the other, are the whole."""
    file = write(*many(900), b"[]", {**RIGHT, "n": 901})

    def scored(*options: str) -> tuple[bytes, str, str]:
        code, out, err = run("score", file, "--out", tmp_path / "out", *options)
        assert code == 2 or "/" in options[-1]
        return (tmp_path / "out").read_bytes(), out, err

    whole = scored("--jobs", "1")
    assert scored("--jobs", "2") == whole
    shards = [scored("--shard", f"{index}/3")[0].splitlines() for index in (1, 2, 3)]
    assert [len(shard) for shard in shards] == [300, 301, 300]  # line 901 is broken
    together = sorted((line for shard in shards for line in shard), key=lambda line: json.loads(line)["n"])
    assert together == whole[0].splitlines()
    assert scored("--shard", "0/3")[0].splitlines() == shards[2]


def test_memory_does_not_grow_with_the_file(
    run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Five times the lines, the same peak."""
    peaks = []
    for count in (1000, 1000, 5000):  # the first fills the caches
        file = write(*many(count))
        tracemalloc.start()
        run("score", file, "--out", tmp_path / "out")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.1 * peaks[1]


LOGGED = [
    "B",
    "The answer is (C).",
    "<think>A or B?</think>\nB",
    "A?</think> The answer is B",
    "<think>B",
    "None",
    "[LMMS_EVAL_REQUEST_FAILED after 5 retries] x",
    "",
    None,
]


def test_a_log_is_scored_again(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """To the verdicts of the run, by the row, response and reasoning that the log holds; and then again."""
    literal = find_task(TASKS_DIR, "muirbench_mmeval").literal()
    row = {"id": "7", "media": [], **SAMPLE, "image_relation": "Ordered"}
    rows = [row, {**row, "answer": ""}]
    results = [adapter.bind(literal).process_results(r, [answer]) for r in rows for answer in LOGGED]
    details = [json.loads(json.dumps(result["detail"])) for result in results]
    file = write(*({"doc_id": n, "target": "B", "detail": detail} for n, detail in enumerate(details)))
    out, again = tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    code, _, err = run("score", file, "--out", out)
    assert (code, err) == (0, "")
    assert [{**line, "judge": None} for line in read(out)] == details
    run("score", out, "--out", again)
    assert again.read_bytes() == out.read_bytes()


def test_a_log_without_reasoning_taken_off(
    run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path
) -> None:
    """It says `none`, and none is taken off unless that is asked for."""
    row = {"messages": [{"question": "Who?"}], "answer": "Ada"}
    detail = {
        "task": "sat_real_mmeval",
        "id": "1",
        "sample": row,
        "response": "<think>Ada or Bob?</think>Ada",
        "reasoning": "none",
    }
    file = write({"doc_id": 0, "detail": detail})
    for options, right in ([], 0), (["--strip-reasoning"], 1):
        run("score", file, "--out", tmp_path / "out", *options)
        assert [line["is_correct"] for line in read(tmp_path / "out")] == [right]


def test_a_log_of_other_tasks(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """It holds nothing to score."""
    code, _, err = run("score", write({"doc_id": 0, "target": "B", "filtered_resps": ["B"]}))
    assert code == 2
    assert f"line 1: {LACKS}\n" in err


def test_a_device_is_written_in_place(run: Callable[..., Any], write: Callable[..., Path]) -> None:
    """Nothing is moved onto it."""
    assert run("score", write(RIGHT), "--out", os.devnull).code == 0
    assert Path(os.devnull).is_char_device()


def test_a_link_stays_a_link(run: Callable[..., Any], write: Callable[..., Path], tmp_path: Path) -> None:
    """The file that it points to is replaced."""
    link = tmp_path / "link"
    link.symlink_to("target")
    assert run("score", write(RIGHT), "--out", link).code == 0
    assert (link.is_symlink(), len(read(tmp_path / "target"))) == (True, 1)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_reader_that_stops(write: Callable[..., Path], jobs: int) -> None:
    """`| head` ends the run without a message."""
    process = start(write(*many(2000)), "--out", "-", "--quiet", "--jobs", jobs)
    assert process.stdout
    assert process.stderr
    assert process.stdout.readline().startswith(b'{"n": 0, ')
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 128 + signal.SIGPIPE


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal of its own")
@pytest.mark.parametrize(("options", "bar"), [([], True), (["--quiet"], False)])
def test_progress_on_a_terminal(write: Callable[..., Path], options: list[str], bar: bool) -> None:
    """A bar on stderr, which goes before the summary comes."""
    import termios

    terminal, stderr = os.openpty()
    termios.tcsetwinsize(stderr, (24, 80))
    command = [sys.executable, "-c", ENTRY, "score", str(write(RIGHT)), *options]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=stderr, check=True)
    os.write(stderr, b"end")
    shown = b""
    while not shown.endswith(b"end"):
        shown += os.read(terminal, 10_000)
    assert (b"  0%|" in shown, shown.rpartition(b"\r")[2]) == (bar, b"end")
    assert b"\r" not in done.stdout


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="finds the workers in /proc")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_run_leaves_the_old_file(tmp_path: Path, jobs: int) -> None:
    """And no worker waits for a parent that is gone."""
    out = tmp_path / "out.jsonl"
    out.write_text("of an earlier run")
    process = start("-", "--out", out, "--jobs", jobs, stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(b"".join(json.dumps(line).encode() + b"\n" for line in many(3000)))
    process.stdin.flush()
    (part,) = [file for file in tmp_path.iterdir() if file != out]
    wait_until(lambda: part.stat().st_size > 0)
    workers = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    process.kill()
    process.wait()
    assert out.read_text() == "of an earlier run"
    wait_until(lambda: not any(alive(worker) for worker in workers))
    assert len(workers) == (0 if jobs == 1 else 3)  # two, and the process that watches over semaphores


def alive(process: str) -> bool:
    """Whether there is such a process that is more than a record of its end."""
    try:
        status = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"
