"""The bundled sample as tasks of VLMEvalKit, and what lmms-eval's side says about it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval_pack.translators import media
from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge
from mmeval_pack.translators.demo.model import Part, RecordedModel, asked, digest, received
from mmeval_pack.translators.demo.sample import Bundled, bundled
from mmeval_pack.translators.lmms_eval.adapter import Bound as LmmsEval
from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.plan import find_task
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.vlmevalkit import adapter

COMPARED = ("score", "is_correct", "decided_by", "status", "extraction", "reason")
ENTRY = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main())"
Done = subprocess.CompletedProcess[str]


@pytest.fixture(scope="session")
def samples() -> dict[str, Bundled]:
    """The bundled sample by task."""
    pytest.importorskip("pyarrow")
    return {each.task: each for each in bundled(TASKS_DIR)}


@pytest.fixture(scope="session")
def rows_folder(tmp_path_factory: pytest.TempPathFactory, samples: Mapping[str, Bundled]) -> Path:
    """The sample as a folder for MMEVAL_ROWS."""
    folder = tmp_path_factory.mktemp("rows")
    for sample in samples.values():
        shutil.copyfile(sample.path, folder / sample.path.name)
    return folder


@pytest.fixture
def bound(rows_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., adapter.Bound]:
    """A task of the pack on the sample's rows, or on those of another folder."""

    def make(task: str, folder: Path = rows_folder) -> adapter.Bound:
        monkeypatch.setenv("MMEVAL_ROWS", str(folder))
        return adapter.bind(find_task(TASKS_DIR, task).literal(), "vlmevalkit.py")

    return make


@pytest.fixture
def without_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """No judge."""
    monkeypatch.setenv("MMEVAL_JUDGE", "off")


@pytest.fixture(scope="session")
def judge(samples: Mapping[str, Bundled]) -> RecordedJudge:
    """The sample's recorded judge, a handler for endpoints."""
    judge = RecordedJudge()
    for sample in samples.values():
        rows = {row["id"]: row for row in sample.rows}
        for name, replies in sample.judged.items():
            judge.learn(rows[name], sample.responses[name], replies)
    return judge


@pytest.fixture
def recorded_judge(judge: RecordedJudge) -> Iterator[Endpoint]:
    """An endpoint with the sample's recorded judge."""
    with Endpoint(judge) as endpoint:
        yield endpoint


@pytest.fixture(scope="session")
def judge_environment() -> Callable[[Endpoint, Path], dict[str, str]]:
    """What names a judge, for this process or another, with its cache in a folder."""

    def name(endpoint: Endpoint, folder: Path) -> dict[str, str]:
        return {
            "MMEVAL_JUDGE": "on",
            "MMEVAL_JUDGE_MODEL": MODEL,
            "MMEVAL_JUDGE_BASE_URL": endpoint.base_url,
            "MMEVAL_JUDGE_CACHE": str(folder / "judge.sqlite"),
            "MMEVAL_JUDGE_RETRIES": "0",
            "MMEVAL_JUDGE_TIMEOUT": "20",
        }

    return name


@pytest.fixture(scope="session")
def vlmevalkit_environment(rows_folder: Path) -> Callable[[Path], dict[str, str]]:
    """The environment of a run on the sample in a folder of its own, without a judge."""

    def environment(folder: Path) -> dict[str, str]:
        (folder / "LMUData").mkdir(exist_ok=True)
        return {
            **{name: value for name, value in os.environ.items() if "PROXY" not in name.upper()},
            "MMEVAL_ROWS": str(rows_folder),
            "MMEVAL_JUDGE": "off",
            "LMUData": str(folder / "LMUData"),
            "HF_HUB_OFFLINE": "1",
            "VLMEVAL_MIN_IMAGE_EDGE": "1",  # else images with an edge below 100 pixels are enlarged
        }

    return environment


@pytest.fixture(scope="session")
def vlmevalkit(vlmevalkit_environment: Callable[[Path], dict[str, str]]) -> Callable[..., Done]:
    """The command in a process of its own; the results are in ``out`` of the folder given."""

    def run(folder: Path, *arguments: str, python: tuple[str, ...] = ("-c", ENTRY), **env: str) -> Done:
        return subprocess.run(
            [sys.executable, *python, "vlmevalkit", *arguments, "--work-dir", "out"],
            env={**vlmevalkit_environment(folder), **env},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=1200,
            check=False,
        )

    return run


class Replayed(NamedTuple):
    """A run of VLMEvalKit.

    Attributes:
        done: how it ended.
        folder: of its results.
        model: what answered over the wire.
        asked: what each request asked, by task and row id.
        requests: how many there were.
    """

    done: Done
    folder: Path
    model: RecordedModel
    asked: dict[tuple[str, str], list[Part]]
    requests: int


def jpeg(value: Any) -> dict[str, Any]:
    """The image of a row as VLMEvalKit's API models encode it: as JPEG, with Pillow's defaults."""
    buffer = BytesIO()
    media.image(value, str).save(buffer, "JPEG")
    return {"bytes": buffer.getvalue(), "path": None}


@pytest.fixture(scope="session")
def replayed(
    tmp_path_factory: pytest.TempPathFactory, samples: Mapping[str, Bundled], vlmevalkit: Callable[..., Done]
) -> Replayed:
    """All five tasks with replay, and with an API model of VLMEvalKit's against a loopback endpoint."""
    folder = tmp_path_factory.mktemp("vlmevalkit")
    model, known = RecordedModel(), {}
    for sample in samples.values():
        prompt = Prompt(find_task(TASKS_DIR, sample.task).prompt_template)
        for row in sample.rows:
            sent = {**row, "media": [jpeg(each) for each in row["media"]]}
            model.learn(sent, prompt, sample.responses[row["id"]])
            known[digest(asked(sent, prompt))] = sample.task, row["id"]
    with Endpoint(model) as endpoint:
        api = {
            "class": "GPT4V",
            "model": "recorded",
            "key": "none",
            "retry": 1,
            "wait": 0,
            "api_base": f"{endpoint.base_url}/chat/completions",
        }
        data = {task: {"class": f"MMEval_{task}", "dataset": task} for task in samples}
        config = {"model": {"replay": {}, "recorded": api}, "data": data}
        (folder / "config.json").write_text(json.dumps(config))
        done = vlmevalkit(folder, "--config", "config.json", "--responses", str(TASKS_DIR))
    parts = [[*received(request.body)] for request in endpoint.requests]
    by_row = {known[name]: each for each in parts if (name := digest(each)) in known}
    return Replayed(done, folder / "out", model, by_row, len(parts))


@pytest.fixture
def lmms_eval_side() -> Callable[..., dict[str, dict[str, Any]]]:
    """The verdict of lmms-eval's adapter on each response of a task, by row id."""

    def verdicts(sample: Bundled, responses: Mapping[str, Any] | None = None) -> dict[str, dict[str, Any]]:
        side = LmmsEval(find_task(TASKS_DIR, sample.task))
        given = sample.responses if responses is None else responses
        results = {row["id"]: side.process_results(row, [given[row["id"]]]) for row in sample.rows}
        side.breakdown(each["breakdown"] for each in results.values())  # waits for the judge
        return {name: {key: each["detail"][key] for key in COMPARED} for name, each in results.items()}

    return verdicts
