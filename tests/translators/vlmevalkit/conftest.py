"""The bundled sample as tasks of VLMEvalKit, and what lmms-eval's side says about it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge
from mmeval_pack.translators.demo.sample import Bundled, bundled
from mmeval_pack.translators.lmms_eval.adapter import Bound as LmmsEval
from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.plan import find_task
from mmeval_pack.translators.vlmevalkit import adapter

COMPARED = ("score", "is_correct", "decided_by", "status", "extraction", "reason")


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


@pytest.fixture
def recorded_judge(samples: Mapping[str, Bundled]) -> Iterator[Endpoint]:
    """An endpoint with the sample's recorded judge."""
    judge = RecordedJudge()
    for sample in samples.values():
        rows = {row["id"]: row for row in sample.rows}
        for name, replies in sample.judged.items():
            judge.learn(rows[name], sample.responses[name], replies)
    with Endpoint(judge) as endpoint:
        yield endpoint


@pytest.fixture
def judge_environment(tmp_path: Path) -> Callable[[Endpoint], dict[str, str]]:
    """What names a judge, for this process or another."""

    def name(endpoint: Endpoint) -> dict[str, str]:
        return {
            "MMEVAL_JUDGE": "on",
            "MMEVAL_JUDGE_MODEL": MODEL,
            "MMEVAL_JUDGE_BASE_URL": endpoint.base_url,
            "MMEVAL_JUDGE_CACHE": str(tmp_path / "judge.sqlite"),
            "MMEVAL_JUDGE_RETRIES": "0",
            "MMEVAL_JUDGE_TIMEOUT": "20",
        }

    return name


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
