"""VLMEvalKit run in its other ways: a checkout, each mode, --api-mode, several ranks; in each format."""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval_pack.translators.cli import main
from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge
from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.vlmevalkit import predictions

pytestmark = [
    pytest.mark.vlmevalkit,
    pytest.mark.skipif(importlib.util.find_spec("vlmeval") is None, reason="VLMEvalKit is not installed"),
]

REPLAY = ("--model", "replay", "--responses", str(TASKS_DIR), "--data")
# Several ranks of VLMEvalKit talk through NCCL, which needs a GPU for each; all else is as with torchrun.
RANK = """\
import sys
import torch.distributed as distributed
from mmeval_pack.translators.cli import main
start = distributed.init_process_group
distributed.init_process_group = lambda backend, **others: start("gloo", **others)
sys.exit(main())
"""
Verdict = tuple[float | None, str, str, str, str]


class Ended(NamedTuple):
    """A run, and the folder of its results."""

    done: subprocess.CompletedProcess[str]
    folder: Path

    def status(self) -> dict[str, Any]:
        """VLMEvalKit's own record of the run."""
        found: dict[str, Any] = json.loads((self.folder / "status.json").read_text())
        return found


def verdict(record: Mapping[str, Any], score: Any) -> Verdict:
    """A verdict; a table cannot tell an empty text from none."""
    decided, status, extraction, reason = (
        record[name] or "" for name in ("decided_by", "status", "extraction", "reason")
    )
    return None if score in ("", None) else float(score), decided, status, extraction, reason


def verdicts(folder: Path, task: str, layout: str, judge: str = "exact_matching") -> dict[str, Verdict]:
    """Those of a result file, by row id."""
    lines = predictions.read(folder / f"replay_{task}_{judge}_result.{layout}")
    return {json.loads(line["mmeval"])["id"]: verdict(line, line["hit"]) for line in lines}


@pytest.fixture
def expected(
    samples: Mapping[str, Bundled], lmms_eval_side: Any, monkeypatch: pytest.MonkeyPatch
) -> dict[str, dict[str, Verdict]]:
    """What lmms-eval's adapter says without a judge, by task and row id."""
    monkeypatch.setenv("MMEVAL_JUDGE", "off")
    return all_verdicts(samples, lmms_eval_side)


def all_verdicts(samples: Mapping[str, Bundled], side: Callable[..., Any]) -> dict[str, dict[str, Verdict]]:
    """What one side says about the sample, by task and row id."""
    return {
        task: {name: verdict(each, each["score"]) for name, each in side(sample).items()}
        for task, sample in samples.items()
    }


def scored(files: list[Path], out: Path) -> dict[str, dict[str, Verdict]]:
    """What ``mmeval-pack score`` makes of prediction files, by task and row id."""
    assert main(["score", *map(str, files), "--out", str(out), "--quiet"]) == 3  # some need a judge
    found: dict[str, dict[str, Verdict]] = {}
    for each in map(json.loads, out.read_text().splitlines()):
        found.setdefault(each["task"], {})[each["id"]] = verdict(each, each["score"])
    return found


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """VLMEvalKit as its repository has it: the command line beside the package, under git."""
    folder = tmp_path_factory.mktemp("VLMEvalKit")
    (installed,) = importlib.util.find_spec("vlmeval").submodule_search_locations  # type: ignore[union-attr]
    shutil.copytree(
        installed, folder / "vlmeval", ignore=shutil.ignore_patterns("__pycache__", "__main__.py")
    )
    (folder / "vlmeval" / "run.py").rename(folder / "run.py")
    (folder / ".gitignore").write_text("__pycache__\n")
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    return folder


@pytest.fixture(scope="module")
def inferred(
    checkout: Path,
    samples: Mapping[str, Bundled],
    vlmevalkit: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> Ended:
    """The checkout with --mode infer."""
    folder = tmp_path_factory.mktemp("modes")
    arguments = ["--checkout", str(checkout), *REPLAY, *samples, "--mode", "infer"]
    return Ended(vlmevalkit(folder, *arguments, PRED_FORMAT="xlsx"), folder / "out" / "replay")


def test_mode_infer_only_writes_predictions(inferred: Ended, samples: Mapping[str, Bundled]) -> None:
    """In the format that is asked for; no text is changed by it."""
    assert {path.name for path in inferred.folder.iterdir() if path.is_file()} == {
        "status.json",
        *(f"replay_{task}.xlsx" for task in samples),
    }, inferred.done.stderr[-3000:]
    assert {each["skip_reason"] for each in inferred.status()["datasets"].values()} == {"mode_infer"}
    for task, sample in samples.items():
        lines = predictions.read(inferred.folder / f"replay_{task}.xlsx")
        found = {json.loads(line["mmeval"])["id"]: predictions.response(line["prediction"]) for line in lines}
        assert found == sample.responses


def test_mode_eval_evaluates_them_with_a_checkout(
    inferred: Ended,
    checkout: Path,
    samples: Mapping[str, Bundled],
    vlmevalkit: Callable[..., Any],
    expected: dict[str, dict[str, Verdict]],
    tmp_path: Path,
) -> None:
    """Asking no model. The commit is said, and recorded beside the results and by VLMEvalKit itself."""
    arguments = ["--checkout", str(checkout), *REPLAY[:2], "--data", *samples, "--mode", "eval"]
    done = vlmevalkit(inferred.folder.parents[1], *arguments, PRED_FORMAT="xlsx")
    assert {task: verdicts(inferred.folder, task, "xlsx") for task in samples} == expected, done.stderr[
        -3000:
    ]
    head = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout.strip()
    assert done.stderr.splitlines()[0] == f"VLMEvalKit: checkout {commit}"
    for task in samples:
        record = json.loads((inferred.folder / f"replay_{task}_mmeval.json").read_text())
        assert record["vlmevalkit"] == {"name": "checkout", "version": commit}
    assert inferred.status()["commit"] == commit[:8]
    files = [inferred.folder / f"replay_{task}.xlsx" for task in samples]
    assert scored(files, tmp_path / "out.jsonl") == expected


def test_api_mode_with_a_judge(
    samples: Mapping[str, Bundled],
    vlmevalkit: Callable[..., Any],
    lmms_eval_side: Any,
    judge: RecordedJudge,
    judge_environment: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Tasks are evaluated in processes of their own, at once; results are linked in the model's folder."""
    with Endpoint(judge) as endpoint:
        env = judge_environment(endpoint, tmp_path)
        done = vlmevalkit(tmp_path, *REPLAY, *samples, "--api-mode", PRED_FORMAT="json", **env)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        expected = all_verdicts(samples, lmms_eval_side)
        folder = tmp_path / "out" / "replay"
        files = [folder / f"replay_{task}.json" for task in samples]
        assert scored(files, tmp_path / "out.jsonl") == expected
    (run,) = folder.glob("T*")
    status = Ended(done, run).status()["datasets"]
    assert {name: each["status"] for name, each in status.items()} == dict.fromkeys(samples, "done")
    assert [each for each in status.values() if "error_message" in each] == []
    assert {task: verdicts(run, task, "json", MODEL) for task in samples} == expected, done.stderr[-3000:]
    assert any(each[1] == "llm-judge" for each in expected["mathverse_testmini_mmeval"].values())


def test_two_ranks(
    samples: Mapping[str, Bundled],
    vlmevalkit: Callable[..., Any],
    expected: dict[str, dict[str, Verdict]],
    tmp_path: Path,
) -> None:
    """Each answers every other row; the first gathers and evaluates."""
    (tmp_path / "rank.py").write_text(RANK)
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", "rank.py")
    done = vlmevalkit(tmp_path, *REPLAY, *samples, python=launcher, OMP_NUM_THREADS="1")
    folder = tmp_path / "out" / "replay"
    assert {task: verdicts(folder, task, "tsv") for task in samples} == expected, done.stderr[-3000:]
    assert Ended(done, folder).status()["world_size"] == 2
