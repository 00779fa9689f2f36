"""The tasks under the real command line. What it wrote counts: its exit code is 0 on failure too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmeval_pack.translators.lmms_eval import log

pytest.importorskip("lmms_eval")
pytestmark = pytest.mark.harness

TASKS = Path(__file__).resolve().parents[3] / "tasks"
ALL = "muirbench_mmeval,mathverse_mmeval,sat_mmeval"
REPLAY = ("--model", "replay", "--model_args", f"responses={TASKS}")
TWO_RANKS = (
    *("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"),
    *("--mixed_precision", "no", "--dynamo_backend", "no", "-m", "lmms_eval"),
)
Verdict = tuple[Any, ...]


class Run:
    """One run of lmms-eval: how it ended and what it wrote."""

    def __init__(
        self,
        folder: Path,
        rows: Path,
        arguments: Sequence[str],
        python: Sequence[str] = ("-m", "lmms_eval"),
        **env: str,
    ) -> None:
        self.folder = folder
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MMEVAL_")}
        given = {"MMEVAL_ROWS": str(rows), "HF_HUB_OFFLINE": "1", "ACCELERATE_USE_CPU": "1"}
        output = ["--batch_size", "1", "--log_samples", "--output_path", str(folder), "--timezone", "UTC"]
        self.done = subprocess.run(
            [sys.executable, *python, *arguments, *output],
            env={**inherited, **given, "MMEVAL_JUDGE": "off", **env},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=600,
        )

    @cached_property
    def results(self) -> dict[str, Any]:
        """The results file."""
        files = list(self.folder.glob("**/*_results.json"))
        assert len(files) == 1, self.done.stderr[-3000:]
        return json.loads(files[0].read_text(encoding="utf-8"))

    def figures(self, metric: str) -> dict[str, Any]:
        """A metric of each task, groups left out."""
        key = f"{metric},mm-eval"
        return {task: values[key] for task, values in self.results["results"].items() if key in values}

    @cached_property
    def details(self) -> list[dict[str, Any]]:
        """What was logged, read as the offline scorer reads it."""
        files = sorted(self.folder.glob("**/*_samples_*.jsonl"))
        assert files, self.done.stderr[-3000:]
        assert all(log.recognises(file) for file in files)
        return [detail for file in files for detail in log.read(file)]

    @property
    def verdicts(self) -> dict[tuple[str, str], Verdict]:
        """The verdict on each row."""
        keys = ("score", "is_correct", "decided_by", "status", "extraction", "reason", "response", "groups")
        return {(each["task"], each["id"]): tuple(each[key] for key in keys) for each in self.details}

    def wrote_nothing(self) -> bool:
        """Whether neither results nor samples were written."""
        return not list(self.folder.glob("**/*.json*"))


@pytest.fixture(scope="session")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled sample as a folder for MMEVAL_ROWS."""
    folder = tmp_path_factory.mktemp("rows")
    for file in TASKS.glob("*/sample/*.parquet"):
        shutil.copyfile(file, folder / file.name)
    return folder


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory, rows: Path) -> Run:
    """All five tasks with no flag about tasks."""
    return Run(tmp_path_factory.mktemp("plain"), rows, [*REPLAY, "--tasks", ALL])


def test_a_run_without_flags_gives_the_expected_figures(plain: Run) -> None:
    """Counted by hand from the sample; rows that need a judge are unscored, since there is none."""
    assert plain.figures("accuracy") == pytest.approx(
        {
            "mathverse_testmini_mmeval": 9 / 11,
            "mathverse_testmini_text_only_mmeval": 5 / 6,
            "muirbench_mmeval": 10 / 16,
            "sat_real_mmeval": 6 / 12,
            "sat_synthetic_mmeval": 9 / 13,
        }
    )
    assert plain.figures("unscored") == pytest.approx(
        {
            "mathverse_testmini_mmeval": 9 / 20,
            "mathverse_testmini_text_only_mmeval": 6 / 12,
            "muirbench_mmeval": 0,
            "sat_real_mmeval": 0,
            "sat_synthetic_mmeval": 0,
        }
    )
    assert plain.figures("published") == pytest.approx(
        {
            "mathverse_testmini_mmeval": 9 / 20,
            "mathverse_testmini_text_only_mmeval": 5 / 12,
            "muirbench_mmeval": 10 / 16,
            "sat_real_mmeval": 6 / 12,
            "sat_synthetic_mmeval": 9 / 14,
        }
    )


def test_the_breakdown_stands_in_the_results(plain: Run) -> None:
    """As an object with a figure for each group, whose counts add up to the graded samples."""
    groups = plain.figures("breakdown")["muirbench_mmeval"]["groups"]
    assert sum(cell["n"] for cell in groups["task"].values()) == 16


def test_standard_errors_are_of_the_graded_samples(plain: Run) -> None:
    """Lmms-eval computes them from our records: sqrt(p (1 - p) / (n - 1)), and none for the breakdown."""
    values = plain.results["results"]["mathverse_testmini_mmeval"]
    assert values["accuracy_stderr_clt,mm-eval"] == pytest.approx((9 / 11 * 2 / 11 / 10) ** 0.5)
    assert values["breakdown_stderr_clt,mm-eval"] == "N/A"


def test_the_table_is_printed(plain: Run) -> None:
    """One line a metric, whatever its value; nothing failed on the way."""
    lines = [line for line in plain.done.stdout.splitlines() if line.startswith("|muirbench_mmeval")]
    assert [line.split("|")[4].strip() for line in lines] == [
        "accuracy",
        "breakdown",
        "published",
        "unscored",
    ]
    assert "Traceback" not in plain.done.stderr


def test_the_log_holds_the_raw_responses_and_the_rows(plain: Run) -> None:
    """With reasoning in it, and joined to the right rows."""
    recorded = {
        (line["task"], line["id"]): line["response"]
        for file in TASKS.glob("*/sample/*.responses.jsonl")
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    }
    logged = {(each["task"], each["id"]): each["response"] for each in plain.details}
    assert logged == recorded
    assert all(each["sample"]["id"] == each["id"] and "media" not in each["sample"] for each in plain.details)
    assert any(each["reasoning"] == "stripped" and "<think>" in each["response"] for each in plain.details)


def test_the_files_of_a_run_hold_no_address_of_a_function(plain: Run) -> None:
    """Two equal runs can be compared."""
    functions = json.dumps(plain.results["configs"]["muirbench_mmeval"])
    assert "Bound(muirbench_mmeval)" in functions
    assert " at 0x" not in functions


def test_two_ranks_give_the_same_verdicts(plain: Run, rows: Path, tmp_path: Path) -> None:
    """Two really ran: the log has the rows of the one, then those of the other."""
    run = Run(tmp_path, rows, [*REPLAY, "--tasks", ALL], TWO_RANKS)
    (file,) = tmp_path.glob("**/*_samples_muirbench_mmeval.jsonl")
    order = [json.loads(line)["doc_id"] for line in file.read_text(encoding="utf-8").splitlines()]
    assert order == [*range(0, 16, 2), *range(1, 16, 2)]
    assert run.verdicts == plain.verdicts
    for metric in ("accuracy", "unscored", "published", "breakdown"):
        assert run.figures(metric) == plain.figures(metric)


def test_a_part_of_the_rows_gives_the_same_verdicts(plain: Run, rows: Path, tmp_path: Path) -> None:
    """Offset and limit, a simple model, and the pack's own folder once more as --include_path."""
    part = ["--offset", "5", "--limit", "4", "--force_simple", "--include_path", str(TASKS)]
    run = Run(tmp_path, rows, [*REPLAY, "--tasks", "muirbench_mmeval,sat_mmeval", *part])
    wanted = {"muirbench_mmeval", "sat_real_mmeval", "sat_synthetic_mmeval"}
    assert {task for task, _ in run.verdicts} == wanted
    assert [name for task, name in run.verdicts if task == "muirbench_mmeval"] == [
        "mb-06",
        "mb-07",
        "mb-08",
        "mb-09",
    ]
    assert len(run.verdicts) == 12
    assert run.verdicts.items() <= plain.verdicts.items()


def test_without_the_entry_point_include_path_is_enough(rows: Path, tmp_path: Path) -> None:
    """With a model of lmms-eval's own; ours is not there."""
    arguments = ["--model", "dummy", "--model_args", "response=A", "--include_path", str(TASKS)]
    run = Run(tmp_path, rows, [*arguments, "--tasks", "muirbench_mmeval"], MMEVAL_AUTOLOAD="0")
    answers = [each["sample"]["answer"] for each in run.details]
    assert run.figures("accuracy") == {"muirbench_mmeval": answers.count("A") / len(answers)}


def test_with_autoload_0_lmms_eval_knows_nothing_of_the_pack(rows: Path, tmp_path: Path) -> None:
    """Neither tasks nor models."""
    run = Run(tmp_path, rows, ["--model", "dummy", "--tasks", "muirbench_mmeval"], MMEVAL_AUTOLOAD="0")
    assert "Tasks not found: muirbench_mmeval" in run.done.stdout + run.done.stderr
    assert run.wrote_nothing()


def test_a_missing_file_of_rows_stops_the_run(tmp_path: Path) -> None:
    """With exit code 2 and one message."""
    rows = tmp_path / "rows"
    rows.mkdir()
    run = Run(tmp_path, rows, [*REPLAY, "--tasks", "muirbench_mmeval"])
    message = (
        f"MMEVAL_ROWS={rows}: expected {rows}/muirbench_mmeval.parquet; the folder holds no parquet file"
    )
    assert f"mmeval-pack: {message}\n" in run.done.stderr
    assert "Traceback" not in run.done.stderr
    assert run.done.returncode == 2
    assert run.wrote_nothing()


def test_a_wrong_number_of_tokens_stops_the_run_before_generation(rows: Path, tmp_path: Path) -> None:
    """All such rows in one message; no row was asked, though the model has no response for any."""
    table = pq.read_table(rows / "muirbench_mmeval.parquet")
    media = table.column("media").to_pylist()
    media[3], media[7] = media[3][:-1], media[7] + media[7]
    place = table.column_names.index("media")
    (tmp_path / "rows").mkdir()
    torn = table.set_column(place, table.field(place), pa.array(media, table.field(place).type))
    pq.write_table(torn, tmp_path / "rows" / "muirbench_mmeval.parquet")
    (tmp_path / "none.jsonl").touch()
    arguments = ["--model", "replay", "--model_args", "responses=none.jsonl", "--tasks", "muirbench_mmeval"]
    run = Run(tmp_path, tmp_path / "rows", arguments)
    said = run.done.stderr[run.done.stderr.index("mmeval-pack:") :].splitlines()
    assert said[0] == "mmeval-pack: task muirbench_mmeval: 2 of 16 rows cannot be asked, so nothing is:"
    assert said[1].startswith("  row 3, id 'mb-04': ")
    assert said[2].startswith("  row 7, id 'mb-08': ")
    assert run.done.returncode == 2
    assert not list(tmp_path.glob("**/*.json"))


def test_the_entry_point_costs_next_to_nothing() -> None:
    """`lmms-eval models` with and without it, the fastest of three: a ratio, for a machine may be slow."""

    def seconds(autoload: str) -> float:
        began = time.perf_counter()
        command = [sys.executable, "-m", "lmms_eval", "models"]
        subprocess.run(
            command, env={**os.environ, "MMEVAL_AUTOLOAD": autoload}, capture_output=True, check=True
        )
        return time.perf_counter() - began

    with_it, without = (min(seconds(autoload) for _ in range(3)) for autoload in ("1", "0"))
    assert with_it < 1.5 * without


REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "mathverse_testmini_text_only.json"


def as_row(source: dict[str, Any]) -> dict[str, Any]:
    """A row of the published data set in the v3 layout."""
    extras = {key: source[key] for key in ("question_type", "problem_version", "problem_index")}
    place = {key: source["metadata"][key] for key in ("source", "subject", "subfield")}
    message = {"role": "user", "question": source["query_wo"]}
    return {
        "id": source["sample_index"],
        "media": [],
        "messages": json.dumps([message]),
        "answer": source["answer"],
        **extras,
        **place,
    }


def made_response(number: int, answer: str) -> str:
    """A response that is right, verbose, equal only to a reader, wrong, or not there."""
    return (answer, f"The answer is {answer}", f"I get {answer}, roughly", "I cannot tell", "")[number % 5]


@pytest.mark.skipif(not REAL.is_file(), reason="the 788 published rows are not here")
def test_788_real_rows_are_settled_by_rules_or_wait_for_a_judge(tmp_path: Path) -> None:
    """Each row is graded, invalid or unscored with its reason, and no unsettled row counts as wrong."""
    table = [as_row(row) for row in json.loads(REAL.read_text(encoding="utf-8"))]
    task = "mathverse_testmini_text_only_mmeval"
    pq.write_table(pa.Table.from_pylist(table), tmp_path / f"{task}.parquet")
    responses = {row["id"]: made_response(number, row["answer"]) for number, row in enumerate(table)}
    lines = [{"task": task, "id": name, "response": text} for name, text in responses.items()]
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    arguments = ["--model", "replay", "--model_args", "responses=made.jsonl", "--tasks", task]
    run = Run(tmp_path, tmp_path, arguments)
    assert {each["id"]: each["response"] for each in run.details} == responses
    states = {(each["status"], each["reason"], each["score"]) for each in run.details}
    assert states == {("ok", None, 1.0), ("ok", None, 0.0), ("unscored", "no_judge", None)}
    right = [each for each in run.details if each["score"] == 1.0]
    assert len(right) > 788 / 5
    blank = [each["status"] for each in run.details if not each["response"]]
    assert set(blank) == {"ok"}
    unscored = sum(each["status"] == "unscored" for each in run.details)
    assert run.figures("unscored")[task] == pytest.approx(unscored / 788)
    assert run.figures("accuracy")[task] == pytest.approx(len(right) / (788 - unscored))
    assert run.figures("published")[task] == pytest.approx(len(right) / 788)
