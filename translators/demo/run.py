"""Runs the bundled sample through the real lmms-eval and checks that all of it was evaluated."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError, PackError
from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.model import RecordedModel
from mmeval_pack.translators.lmms_eval import log, replay
from mmeval_pack.translators.plan import TASKS_DIR, find_task
from mmeval_pack.translators.prompt import Prompt

MARKER = ".mmeval-demo"
FILTER = "mm-eval"
TIMEOUT = 1800  # seconds; a run takes some 20
# All that the child inherits. Keys, URLs, proxies, caches and settings of the user's other work stay outside.
INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)


class DemoError(PackError):
    """The run failed or is not complete (exit code 1)."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """What became of one task.

    Attributes:
        metrics: metric name -> value, as lmms-eval aggregated them.
        details: one record a sample, as the pack logs it.
    """

    task: str
    metrics: Mapping[str, Any]
    details: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Run:
    """What became of the sample.

    Attributes:
        table: lmms-eval's own table.
        folder: where lmms-eval wrote its results and samples.
    """

    table: str
    folder: Path
    tasks: Sequence[TaskRun]


def run(tasks_dir: Path, out: Path) -> Run:
    """Evaluates the sample of ``tasks_dir`` with its recorded responses.

    Writes ``out/rows`` (the sample), ``out/requests.jsonl`` (what the model was asked),
    ``out/lmms-eval.log`` and ``out/results`` (lmms-eval's files).

    Raises:
        InputError: lmms-eval is not installed, or the sample or ``out`` cannot be used.
        DemoError: lmms-eval failed or left something out.
    """
    if importlib.util.find_spec("lmms_eval") is None:
        raise InputError("lmms-eval is not installed: pip install 'mmeval-pack[lmms-eval]'")
    files = {path.stem: path for path in sorted(tasks_dir.glob("*/sample/*.parquet"))}
    if not files:
        raise InputError(f"{tasks_dir}: holds no sample, expected <benchmark>/sample/<task>.parquet")
    model, counts = _model(tasks_dir, files)
    _claim(out)
    (out / "rows").mkdir()
    for path in files.values():
        shutil.copyfile(path, out / "rows" / path.name)
    with Endpoint(model, log=out / "requests.jsonl") as endpoint:
        printed = _lmms_eval(tasks_dir, list(files), endpoint.base_url, out)
    if model.unknown:
        raise DemoError(
            f"{len(model.unknown)} requests match no row of the sample, the first one: {model.unknown[0]!r}"
        )
    table = "\n".join(line for line in printed.splitlines() if line.startswith("|"))
    return _checked(table, counts, out)


def _model(tasks_dir: Path, files: Mapping[str, Path]) -> tuple[RecordedModel, dict[str, int]]:
    """The model that knows every row, and the number of rows by task."""
    from pyarrow import ArrowException, parquet

    model, counts = RecordedModel(), {}
    for task, path in files.items():
        prompt = Prompt(find_task(tasks_dir, task).prompt_template)
        responses = replay.load([path.with_suffix(".responses.jsonl")])
        try:
            rows = parquet.read_table(path).to_pylist()
        except ArrowException as error:
            raise InputError(f"{path}: no parquet file: {error}") from None
        for row in rows:
            if (task, row["id"]) not in responses:
                raise InputError(f"{path.with_suffix('.responses.jsonl')}: no response for id {row['id']!r}")
            model.learn(row, prompt, responses[task, row["id"]])
        counts[task] = len(rows)
    return model, counts


def _claim(out: Path) -> None:
    """Makes ``out`` an empty folder of the demo; only what an earlier demo wrote there is removed.

    Raises:
        InputError: ``out`` is a file, or a folder with something in it that no demo has made.
    """
    marker = out / MARKER
    if out.is_dir() and any(out.iterdir()) and not marker.is_file():
        raise InputError(f"{out}: holds files and is no earlier demo's folder; choose another with --out DIR")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{out}: cannot be made: {error.strerror}") from None
    for name in ("rows", "results"):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in ("requests.jsonl", "lmms-eval.log"):
        (out / name).unlink(missing_ok=True)
    marker.touch()


def _lmms_eval(tasks_dir: Path, tasks: Sequence[str], base_url: str, out: Path) -> str:
    """Runs the command line in ``out`` and returns what it printed to stdout."""
    command = [
        *(sys.executable, "-m", "lmms_eval", "--model", "openai"),
        *("--model_args", f"model=recorded,base_url={base_url},api_key=none,num_concurrent=8,max_retries=1"),
        *("--tasks", ",".join(tasks), "--batch_size", "1", "--timezone", "UTC"),
        *("--log_samples", "--output_path", "results"),
    ]
    if tasks_dir.resolve() != TASKS_DIR:  # the pack's own tasks are found through the entry point
        command += ["--include_path", str(tasks_dir.resolve())]
    path = out / "lmms-eval.log"
    with tempfile.TemporaryDirectory() as caches, path.open("w", encoding="utf-8") as stream:
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and arguments
                command,
                cwd=out,
                env=_environment(out / "rows", Path(caches)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stream,
                text=True,
                encoding="utf-8",
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DemoError(f"lmms-eval did not end within {TIMEOUT} s\n{_tail(path)}") from None
        stream.write(done.stdout)
    if done.returncode:
        raise DemoError(f"lmms-eval ended with exit code {done.returncode}\n{_tail(path)}")
    return done.stdout


def _environment(rows: Path, caches: Path) -> dict[str, str]:
    """The child's environment: what INHERITED lets through, caches that nobody else fills, and no network."""
    return {
        **{name: value for name, value in os.environ.items() if name in INHERITED},
        "MMEVAL_ROWS": str(rows.resolve()),
        "MMEVAL_JUDGE": "off",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(caches),
        "PYTHON_DOTENV_DISABLED": "1",  # lmms-eval would read a .env file above its own installation
        "PYTHONIOENCODING": "utf-8",
    }


def _checked(table: str, counts: Mapping[str, int], out: Path) -> Run:
    """The run, once every task is known to have its metrics and samples: lmms-eval's exit code tells nothing.

    Raises:
        DemoError: a file, a metric or a sample is missing.
    """
    tail = _tail(out / "lmms-eval.log")
    found = sorted((out / "results").rglob("*_results.json"))
    if len(found) != 1:
        raise DemoError(f"lmms-eval wrote {len(found)} results files, expected one\n{tail}")
    results = json.loads(found[0].read_text(encoding="utf-8"))["results"]
    runs = []
    for task, count in counts.items():
        metrics = {
            key.removesuffix(f",{FILTER}"): value
            for key, value in results.get(task, {}).items()
            if key.endswith(f",{FILTER}")
        }
        samples = [d for path in found[0].parent.glob(f"*_samples_{task}.jsonl") for d in log.read(path)]
        missing = sorted({"unscored", "published", "breakdown"} - metrics.keys())
        if missing or len(samples) != count:
            raise DemoError(
                f"{task}: {len(samples)} of {count} samples, "
                f"missing metrics: {', '.join(missing) or 'none'}\n{tail}"
            )
        runs.append(TaskRun(task, metrics, samples))
    return Run(table, found[0].parent, runs)


def _tail(path: Path, lines: int = 15) -> str:
    text = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join([f"the last lines of {path}:", *text[-lines:]])
