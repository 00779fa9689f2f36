"""Runs the bundled sample through the real lmms-eval command line."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo import judge as recorded_judge
from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, Request
from mmeval_pack.translators.demo.model import RecordedModel
from mmeval_pack.translators.demo.outcome import DemoError, TaskRun, read, table
from mmeval_pack.translators.demo.sample import bundled
from mmeval_pack.translators.plan import TASKS_DIR, find_task
from mmeval_pack.translators.prompt import Prompt

MARKER = ".mmeval-demo"
ROWS, REQUESTS, LOG, RESULTS, JUDGE = "rows", "requests.jsonl", "lmms-eval.log", "results", "judge"
PROBE = "judge"  # the stage under which a judge is tried before a run; MathVerse has none of this name
TIMEOUT = 1800  # seconds; a run takes some 20 on a free machine
# All that the child inherits. Keys, URLs, proxies, caches and settings of the user's other work stay outside.
INHERITED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT"),
    *("PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
)


class Run(NamedTuple):
    """What became of the sample.

    Attributes:
        table: lmms-eval's own table, without the rows of the breakdown.
        folder: where lmms-eval wrote its results and samples.
        tasks: what became of each task.
        calls: requests to the judge by stage, the one that tries it under `PROBE`.
    """

    table: str
    folder: Path
    tasks: list[TaskRun]
    calls: Mapping[str, int]


def run(tasks_dir: Path, out: Path) -> Run:
    """Evaluates the sample of ``tasks_dir`` with its recorded responses and judge's replies.

    Writes below ``out``: ``rows`` (the sample), ``requests.jsonl`` (what model and judge were asked),
    ``judge`` (the cache of the judge's replies), ``lmms-eval.log`` and ``results`` (lmms-eval's files).

    Raises:
        InputError: lmms-eval is not installed, or the sample or ``out`` cannot be used.
        DemoError: lmms-eval failed or left something out; the message ends with the last lines of its log.
    """
    if importlib.util.find_spec("lmms_eval") is None:
        raise InputError("lmms-eval is not installed: pip install 'mmeval-pack[lmms-eval]'")
    model, judge, expected = RecordedModel(), recorded_judge.RecordedJudge(), []
    samples = bundled(tasks_dir)
    for sample in samples:
        task = find_task(tasks_dir, sample.task)
        prompt = Prompt(task.prompt_template)
        for row in sample.rows:
            response = sample.responses[row["id"]]
            model.learn(row, prompt, response)
            if row["id"] in sample.judged:
                judge.learn(row, response, sample.judged[row["id"]])
        expected.append((task, len(sample.rows)))
    claim(out)
    (out / ROWS).mkdir()
    for sample in samples:
        shutil.copyfile(sample.path, out / ROWS / sample.path.name)

    def answer(request: Request) -> Reply:
        return judge(request) if request.body.get("model") == recorded_judge.MODEL else model(request)

    try:
        with Endpoint(answer, log=out / REQUESTS) as endpoint:
            environment = _judge_environment(endpoint.base_url, out) if judge else {"MMEVAL_JUDGE": "off"}
            _lmms_eval(tasks_dir, [task.name for task, _ in expected], endpoint.base_url, out, environment)
        if unknown := [*model.unknown, *judge.unknown]:
            raise DemoError(f"{len(unknown)} request(s) match no row of the sample: {unknown[0]!r}")
        folder, runs = read(out / RESULTS, expected)
    except DemoError as error:
        raise DemoError(f"{error}\n{_tail(out / LOG)}") from None
    stages = (request.headers.get("x-mmeval-stage") for request in endpoint.requests)
    return Run(table(_text(out / LOG)), folder, runs, Counter(stage for stage in stages if stage))


def claim(out: Path) -> None:
    """Makes ``out`` a folder of the demo, without what an earlier demo wrote there; nothing else is removed.

    Raises:
        InputError: ``out`` is a file, or a folder with something in it that is no demo's.
    """
    marker = out / MARKER
    if out.is_dir() and any(out.iterdir()) and not marker.is_file():
        raise InputError(f"{out}: holds files and is no earlier demo's folder; choose another with --out DIR")
    try:
        out.mkdir(parents=True, exist_ok=True)
        marker.touch()
    except OSError as error:
        raise InputError(
            f"{out}: cannot be written: {error.strerror}; choose another with --out DIR"
        ) from None
    for name in (ROWS, RESULTS, JUDGE):
        shutil.rmtree(out / name, ignore_errors=True)
    for name in (REQUESTS, LOG):
        (out / name).unlink(missing_ok=True)


def _lmms_eval(
    tasks_dir: Path, tasks: Sequence[str], base_url: str, out: Path, judge: Mapping[str, str]
) -> None:
    """Runs the command line in ``out``; all that it prints goes to its log there."""
    command = [
        *(sys.executable, "-m", "lmms_eval", "--model", "openai"),
        *("--model_args", f"model=recorded,base_url={base_url},api_key=none,num_concurrent=8,max_retries=1"),
        *("--tasks", ",".join(tasks), "--batch_size", "1", "--timezone", "UTC"),
        *("--log_samples", "--output_path", RESULTS),
    ]
    own = tasks_dir.resolve() == TASKS_DIR  # found through the entry point, as after an installation
    if not own:
        command += ["--include_path", str(tasks_dir.resolve())]
    with tempfile.TemporaryDirectory() as caches, (out / LOG).open("wb") as log:
        try:
            done = subprocess.run(  # noqa: S603 - our own interpreter and arguments
                command,
                cwd=out,
                env={**_environment(out / ROWS, caches, own), **judge},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise DemoError(f"lmms-eval did not end within {TIMEOUT} s") from None
    if done.returncode:
        raise DemoError(f"lmms-eval ended with exit code {done.returncode}")


def _environment(rows: Path, caches: str, own: bool) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name in INHERITED},
        "MMEVAL_ROWS": str(rows.resolve()),
        "MMEVAL_AUTOLOAD": "1" if own else "0",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": caches,  # neither the user's token nor datasets of an earlier run
        "PYTHON_DOTENV_DISABLED": "1",  # lmms-eval reads a .env file above its own installation, too
        "PYTHONIOENCODING": "utf-8",
        "PYTHONUNBUFFERED": "1",  # stdout and stderr meet in one log, in the order of time
    }


def _judge_environment(base_url: str, out: Path) -> dict[str, str]:
    return {
        "MMEVAL_JUDGE_MODEL": recorded_judge.MODEL,
        "MMEVAL_JUDGE_BASE_URL": base_url,
        "MMEVAL_JUDGE_CACHE": str((out / JUDGE / "replies.sqlite").resolve()),
        "MMEVAL_JUDGE_RETRIES": "1",  # a failure that is recorded stays one
    }


def _text(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join([f"the last lines of {log}:", *_text(log).splitlines()[-lines:]])
