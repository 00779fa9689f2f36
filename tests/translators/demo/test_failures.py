"""Demos that fail: the exit code, the whole message, and nothing that was not the demo's is touched."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest

from mmeval_pack.translators.cli import main

pytest.importorskip("pyarrow")

PACK = Path(__file__).resolve().parents[3] / "tasks"
RUNNING = "running lmms-eval on the bundled sample; this takes half a minute to two minutes\n"
METRICS = {f"{name},mm-eval": 0.5 for name in ("accuracy", "unscored", "published")} | {
    "breakdown,mm-eval": {"groups": {}}
}


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """A tasks folder with MuirBench alone."""
    shutil.copytree(PACK / "muirbench", tmp_path / "tasks" / "muirbench")
    return tmp_path / "tasks"


@pytest.fixture
def lmms_eval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that ``python -m lmms_eval`` executes in place of the real one."""
    package = tmp_path / "modules" / "lmms_eval"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    monkeypatch.syspath_prepend(str(package.parent))
    return package / "__main__.py"


def run(tasks: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and stderr of a demo that must print no result."""
    code = main(["demo", "--tasks", str(tasks), "--out", str(out)])
    printed = capsys.readouterr()
    assert printed.out == ""
    return code, printed.err.removeprefix(RUNNING)


def writes(results: object, samples: int, **verdict: object) -> str:
    """Source of an lmms-eval that writes these results and as many samples with a verdict."""
    detail = dict.fromkeys(("task", "id", "sample", "response", "reasoning"))
    sample = {"doc_id": 0, "detail": {**detail, **verdict}}
    return f"""
from pathlib import Path
home = Path("results/recorded")
home.mkdir(parents=True)
(home / "20260101_000000_results.json").write_text({json.dumps({"results": results})!r})
with (home / "20260101_000000_samples_muirbench_mmeval.jsonl").open("w") as log:
    log.write(({json.dumps(sample)!r} + "\\n") * {samples})
print("done")
"""


@pytest.mark.usefixtures("lmms_eval")
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "{path}, line 1: not JSON: "),
        ("[]", '{path}, line 1: expected an object with "task", "id" and "response"'),
        (None, "{path}: no response for 1 rows: id mb-01\n"),
    ],
)
def test_corrupted_responses_are_named(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str | None, message: str
) -> None:
    """Exit code 2 before anything runs or is written: the file, the line and the fault."""
    path = tasks / "muirbench" / "sample" / "muirbench_mmeval.responses.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join(([] if line is None else [line]) + lines[1:]), encoding="utf-8")
    code, error = run(tasks, tmp_path / "out", capsys)
    assert code == 2
    assert error.startswith(f"mmeval-pack: {message.replace('{path}', str(path))}")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("lmms_eval")
def test_a_corrupted_sample_is_named(tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and the file."""
    path = tasks / "muirbench" / "sample" / "muirbench_mmeval.parquet"
    path.write_bytes(b"PAR1")
    code, error = run(tasks, tmp_path / "out", capsys)
    assert code == 2
    assert error.startswith(f"mmeval-pack: {path}: no parquet file: ")


@pytest.mark.usefixtures("lmms_eval")
def test_a_folder_without_sample_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and what would be right."""
    code, error = run(tmp_path, tmp_path / "out", capsys)
    message = f"{tmp_path}: holds no sample, expected <benchmark>/sample/<task>.parquet"
    assert (code, error) == (2, f"mmeval-pack: {message}\n")


def test_without_lmms_eval_the_remedy_is_named(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2 and the command that installs it."""
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "lmms_eval" else found(name)
    )
    code, error = run(tasks, tmp_path / "out", capsys)
    message = "lmms-eval is not installed: pip install 'mmeval-pack[lmms-eval]'"
    assert (code, error) == (2, f"mmeval-pack: {message}\n")


@pytest.mark.usefixtures("lmms_eval")
def test_a_foreign_folder_is_left_alone(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2; the files in it stay, even those with the names of a demo's."""
    out = tmp_path / "out"
    (out / "results").mkdir(parents=True)
    (out / "results" / "mine.txt").write_text("keep", encoding="utf-8")
    code, error = run(tasks, out, capsys)
    message = f"{out}: holds files and is no earlier demo's folder; choose another with --out DIR"
    assert (code, error) == (2, f"mmeval-pack: {message}\n")
    assert (out / "results" / "mine.txt").read_text(encoding="utf-8") == "keep"


@pytest.mark.usefixtures("lmms_eval")
def test_a_file_in_the_place_of_the_folder_is_named(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2; the file stays."""
    out = tmp_path / "out"
    out.write_text("keep", encoding="utf-8")
    code, error = run(tasks, out, capsys)
    message = f"{out}: cannot be written: File exists; choose another with --out DIR"
    assert (code, error) == (2, f"mmeval-pack: {message}\n")
    assert out.read_text(encoding="utf-8") == "keep"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("print('one')\nprint('two')", "lmms-eval wrote 0 results files, expected one\n{log}\none\ntwo"),
        (
            "import sys\nprint('a', flush=True)\nsys.exit('b')",
            "lmms-eval ended with exit code 1\n{log}\na\nb",
        ),
        (
            writes({}, 16),
            "muirbench_mmeval: lmms-eval's results lack accuracy, unscored, published, breakdown\n"
            "{log}\ndone",
        ),
        (
            writes({"muirbench_mmeval": METRICS}, 15),
            "muirbench_mmeval: lmms-eval logged 15 of 16 samples\n{log}\ndone",
        ),
    ],
)
def test_a_run_that_left_something_out_is_a_failure(
    tasks: Path,
    lmms_eval: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    message: str,
) -> None:
    """Exit code 1 whatever lmms-eval's own: what is missing, where the log is and how it ends."""
    lmms_eval.write_text(source, encoding="utf-8")
    out = tmp_path / "out"
    code, error = run(tasks, out, capsys)
    log = f"the last lines of {out / 'lmms-eval.log'}:"
    assert (code, error) == (1, f"mmeval-pack: {message.replace('{log}', log)}\n")


def test_a_request_that_no_row_makes_is_a_failure(
    tasks: Path, lmms_eval: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1 and the text of the request, though results are there."""
    asks = """
import sys, urllib.request
url = sys.argv[sys.argv.index("--model_args") + 1].split("base_url=")[1].split(",")[0]
body = b'{"messages": [{"role": "user", "content": "Who are you?"}]}'
try:
    urllib.request.urlopen(urllib.request.Request(url + "/chat/completions", body))
except OSError as error:
    print(error)
"""
    lmms_eval.write_text(writes({"muirbench_mmeval": METRICS}, 16) + asks, encoding="utf-8")
    out = tmp_path / "out"
    code, error = run(tasks, out, capsys)
    assert code == 1
    assert error == (
        "mmeval-pack: 1 request(s) match no row of the sample: 'Who are you?'\n"
        f"the last lines of {out / 'lmms-eval.log'}:\ndone\nHTTP Error 500: Internal Server Error\n"
    )


def test_a_judge_that_judges_nothing_is_exit_code_3(
    tasks: Path, lmms_eval: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The results are printed nevertheless; an accuracy of no row is none, never 0."""
    groups = {"task": {"Counting": {"n": 0, "accuracy": None}}}
    breakdown = {"groups": groups, "micro": None, "macro": {"task": None}}
    metrics = {**METRICS, "accuracy,mm-eval": None, "breakdown,mm-eval": breakdown}
    failed = {"status": "unscored", "reason": "judge_failed", "judge": None}
    lmms_eval.write_text(writes({"muirbench_mmeval": metrics}, 16, **failed), encoding="utf-8")
    code = main(["demo", "--tasks", str(tasks), "--out", str(tmp_path / "out")])
    printed = capsys.readouterr()
    assert code == 3
    assert printed.err == f"{RUNNING}mmeval-pack: no row that needs a judge was judged: judge_failed 16\n"
    assert "muirbench_mmeval: 16 rows: 0 graded, 0 invalid, 16 unscored\n" in printed.out
    assert "  accuracy none of the graded rows, 0.5000 of all\n" in printed.out
    assert "  task = Counting: none of 0\n  task: none is the mean of the groups\n" in printed.out


def test_a_second_demo_replaces_the_first(
    tasks: Path, lmms_eval: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Results of an earlier run never pass for new ones; files that others put there stay."""
    out = tmp_path / "out"
    lmms_eval.write_text(writes({}, 0), encoding="utf-8")
    run(tasks, out, capsys)
    (out / "notes.txt").write_text("keep", encoding="utf-8")
    lmms_eval.write_text("", encoding="utf-8")
    code, error = run(tasks, out, capsys)
    assert code == 1
    assert error.startswith("mmeval-pack: lmms-eval wrote 0 results files, expected one\n")
    assert sorted(path.name for path in out.iterdir()) == [
        ".mmeval-demo",
        "lmms-eval.log",
        "notes.txt",
        "rows",
    ]


def test_the_child_gets_no_setting_of_the_users(
    tasks: Path,
    lmms_eval: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its environment holds the listed names only; the judge is off, the hub offline."""
    for name in ("OPENAI_API_KEY", "HF_TOKEN", "MMEVAL_JUDGE_MODEL", "LMMS_EVAL_PLUGINS", "https_proxy"):
        monkeypatch.setenv(name, "poison")
    source = "import json, os\nprint(json.dumps(dict(os.environ)))\nprint(os.getcwd())"
    lmms_eval.write_text(source, encoding="utf-8")
    out = tmp_path / "out"
    run(tasks, out, capsys)
    line, cwd = (out / "lmms-eval.log").read_text(encoding="utf-8").splitlines()
    environment = json.loads(line)
    assert "poison" not in environment.values()
    assert {name: environment[name] for name in ("MMEVAL_JUDGE", "HF_HUB_OFFLINE", "MMEVAL_ROWS")} == {
        "MMEVAL_JUDGE": "off",
        "HF_HUB_OFFLINE": "1",
        "MMEVAL_ROWS": str(out / "rows"),
    }
    assert [path.name for path in (out / "rows").iterdir()] == ["muirbench_mmeval.parquet"]
    assert Path(cwd) == out
