"""Judged tasks under the real command line. The endpoint's own log says what was asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mmeval_pack.judges.cache import Cache
from mmeval_pack.translators.cli import main
from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, Request, completion, failure
from mmeval_pack.translators.demo.faults import Dropped, Hang, Raw, Slow, error_inside, refusal
from mmeval_pack.translators.lmms_eval import log

pytest.importorskip("lmms_eval")
pytestmark = pytest.mark.harness

TASK = "mathverse_testmini_text_only_mmeval"
ROWS = 200
PLANTS = ("oak", "trefoil", "fern")
LATENCY = 0.1  # seconds
CONCURRENCY = 4
TWO_RANKS = (
    *("-m", "accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"),
    *("--mixed_precision", "no", "--dynamo_backend", "no", "-m", "lmms_eval"),
)
FAULTS: dict[str, Reply] = {
    "throttled": failure(429, "slow down", retry_after="0"),
    "broken": failure(500, "out of memory"),
    "hanging": Hang(),
    "dropped": Dropped(),
    "torn": Raw(b'{"choices": [{"mess', announced=400),
    "garbage": Raw(b"\x00<html>"),
    "empty": Raw(b""),
    "null": completion(None),
    "refused": refusal("I must not judge."),
    "inside": error_inside(503, "overloaded"),
    "missing": failure(404, "no such model"),
    "chatty": completion("Well, 0 or 1."),
}


class Run(NamedTuple):
    """How a run ended, what it logged and what the judge was asked."""

    done: subprocess.CompletedProcess[str]
    folder: Path
    requests: list[Request]

    @property
    def details(self) -> dict[str, dict[str, Any]]:
        """What was logged, by row."""
        (file,) = self.folder.glob("**/*_samples_*.jsonl")
        return {each["id"]: each for each in log.read(file)}

    @property
    def figures(self) -> dict[str, Any]:
        """The results of the task."""
        (file,) = self.folder.glob("**/*_results.json")
        figures: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["results"][TASK]
        return {name.removesuffix(",mm-eval"): value for name, value in figures.items()}

    @property
    def stages(self) -> Counter[str]:
        """How often each stage was asked."""
        return Counter(request.headers["x-mmeval-stage"] for request in self.requests)


def prepared(folder: Path, responses: dict[str, str]) -> None:
    """Rows whose answer is clover, and a response to each."""
    folder.mkdir(parents=True, exist_ok=True)
    message = {"role": "user", "question": "Which plant?"}
    common = {
        "media": [],
        "messages": json.dumps([message]),
        "answer": "clover",
        "question_type": "free-form",
    }
    rows = [{"id": name, **common, "problem_index": name} for name in responses]
    pq.write_table(pa.Table.from_pylist(rows), folder / f"{TASK}.parquet")
    lines = [{"task": TASK, "id": name, "response": text} for name, text in responses.items()]
    (folder / "made.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(
    folder: Path,
    handler: Callable[[Request], Reply],
    python: Sequence[str] = ("-m", "lmms_eval"),
    **env: str,
) -> Run:
    """One run over the prepared rows; settings of the judge by their names without the common part."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("MMEVAL", "OPENAI"))
    }
    arguments = ["--model", "replay", "--model_args", "responses=made.jsonl", "--tasks", TASK]
    output = ["--batch_size", "1", "--log_samples", "--output_path", "out", "--timezone", "UTC"]
    with Endpoint(handler) as endpoint:
        given = {
            "MODEL": "judge-1",
            "BASE_URL": endpoint.base_url,
            "CACHE": str(folder / "judge.sqlite"),
            **env,
        }
        done = subprocess.run(
            [sys.executable, *python, *arguments, *output],
            env={
                **inherited,
                "MMEVAL_ROWS": str(folder),
                "HF_HUB_OFFLINE": "1",
                "ACCELERATE_USE_CPU": "1",
                **{f"MMEVAL_JUDGE_{name}": value for name, value in given.items()},
            },
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=600,
        )
    return Run(done, folder, endpoint.requests)


def judge(request: Request) -> Reply:
    """Extracts what follows the words `I say`; a trefoil is right."""
    text = request.body["messages"][-1]["content"]
    stage = request.headers["x-mmeval-stage"]
    if stage == "extract":
        return Slow(completion(text.rpartition("I say ")[2].split("⟦")[0]), LATENCY)
    return Slow(
        completion("1" if "⟦answer⟧trefoil " in text or stage == "judge" else "0", "judge-1-2026"), LATENCY
    )


@pytest.fixture(scope="module")
def one_rank(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Rows that all need two calls, but the first two, which rules settle."""
    folder = tmp_path_factory.mktemp("one")
    made = {str(number): f"I say {PLANTS[number % 3]} number {number}" for number in range(2, ROWS)}
    prepared(folder, {"0": "clover", "1": "", **made})
    return run(folder, judge, CONCURRENCY=str(CONCURRENCY))


def test_every_logged_verdict_is_final(one_rank: Run) -> None:
    """By the judge where rules settle nothing; its stamp stands beside each of its verdicts."""
    details = one_rank.details
    assert {name: each["score"] for name, each in details.items()} == {
        **{str(number): float(number % 3 == 1) for number in range(2, ROWS)},
        "0": 1.0,
        "1": 0.0,
    }
    assert Counter(each["decided_by"] for each in details.values()) == {
        "llm-judge": ROWS - 2,
        "exact-match": 1,
        None: 1,
    }
    stamps = [each["judge"] for each in details.values() if each["decided_by"] == "llm-judge"]
    assert {(stamp["model"], stamp["protocol"], stamp["calls"]) for stamp in stamps} == {
        ("judge-1-2026", "published", 2)
    }
    assert details["0"]["judge"] is details["1"]["judge"] is None


def test_results_say_who_judged(one_rank: Run) -> None:
    """Beside the figures, so that figures of other judges and protocols are not laid over them."""
    right = 1 + sum(number % 3 == 1 for number in range(2, ROWS))
    figures = one_rank.figures
    assert (figures["accuracy"], figures["published"], figures["unscored"]) == (right / ROWS, right / ROWS, 0)
    stamp = figures["breakdown"]["judge"]
    assert {**stamp, "prompt": ""} == {
        "model": "judge-1-2026",
        "protocol": "published",
        "prompt": "",
        "samples": ROWS - 2,
        "calls": 2 * (ROWS - 2),
        "tokens": 0,
    }


def test_the_summary_tells_what_was_spent(one_rank: Run) -> None:
    """On stderr, in one line; no progress bar stands in a file."""
    assert (
        "mmeval-pack: judge 'judge-1': "
        f"extract {ROWS - 2} calls, 0 + 0 tokens, 0 from the cache, 0 failed; "
        "judge 1 calls, 0 + 0 tokens, 0 from the cache, 0 failed; "
        f"score {ROWS - 2} calls, 0 + 0 tokens, 0 from the cache, 0 failed\n"
    ) in one_rank.done.stderr
    assert one_rank.stages == {"judge": 1, "extract": ROWS - 2, "score": ROWS - 2}
    assert " samples/s" not in one_rank.done.stderr
    assert "Traceback" not in one_rank.done.stderr


def test_the_judge_is_as_busy_as_it_may_be(one_rank: Run) -> None:
    """lmms-eval's four threads do not hold calls up: at most half as long again as the judge takes."""
    calls = one_rank.requests[1:]
    seconds = calls[-1].arrived + LATENCY - calls[0].arrived
    assert seconds < 1.5 * len(calls) * LATENCY / CONCURRENCY
    assert max(request.in_flight for request in calls) == CONCURRENCY


def test_two_ranks_ask_only_what_the_cache_lacks(one_rank: Run, tmp_path: Path) -> None:
    """The same verdicts and logs as on one rank; half of the replies are known beforehand."""
    with Cache(one_rank.folder / "judge.sqlite") as cache:
        cache.export(tmp_path / "all.jsonl")
    known = (tmp_path / "all.jsonl").read_text().splitlines(keepends=True)[::2]
    (tmp_path / "half.jsonl").write_text("".join(known))
    with Cache(tmp_path / "judge.sqlite") as cache:
        assert cache.import_(tmp_path / "half.jsonl") == ROWS - 2
    prepared(tmp_path, {name: each["response"] for name, each in one_rank.details.items()})
    both = run(tmp_path, judge, TWO_RANKS)
    assert both.details == one_rank.details
    assert both.figures["breakdown"] == one_rank.figures["breakdown"]
    assert both.stages.total() == 1 + ROWS - 2
    asked = [request.body["messages"][-1]["content"] for request in both.requests]
    assert len(set(asked)) == len(asked)
    assert "mmeval-pack: rank 1: judge 'judge-1': " in both.done.stderr


def test_the_log_is_enough_to_judge_again(one_rank: Run, tmp_path: Path) -> None:
    """The offline scorer gives the same verdicts from the log and the recorded replies, and asks nobody."""
    with Cache(one_rank.folder / "judge.sqlite") as cache:
        cache.export(tmp_path / "all.jsonl")
    (logged,) = one_rank.folder.glob("**/*_samples_*.jsonl")
    scored = tmp_path / "scored.jsonl"
    options = ["--judge", f"replay:{tmp_path / 'all.jsonl'}", "--out", str(scored), "--quiet"]
    assert main(["score", str(logged), *options]) == 0
    again = map(json.loads, scored.read_text(encoding="utf-8").splitlines())
    assert {each["id"]: {"judge": None, **each} for each in again} == one_rank.details


def faulty(request: Request) -> Reply:
    """The fault that the response names, as the reply to the first question or to the second."""
    text = request.body["messages"][-1]["content"]
    stage = request.headers["x-mmeval-stage"]
    if stage == "judge":
        return completion("1")
    named = text.rpartition("say ")[2] if stage == "extract" else text.rpartition("⟦answer⟧")[2]
    fault = FAULTS[named.split()[0]]
    first = named.split()[1] == "first"
    if stage == "extract" and not (first and named.split()[0] != "chatty"):
        return completion(" ".join(named.split()[:2]))
    return fault


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """One row for each fault in each stage, and one that rules settle."""
    folder = tmp_path_factory.mktemp("faults")
    made = {f"{name}-{place}": f"I say {name} {place} ." for name in FAULTS for place in ("first", "second")}
    prepared(folder, {"fine": "clover", **made})
    return run(folder, faulty, RETRIES="1", TIMEOUT="2", CONCURRENCY="32")


def test_no_fault_becomes_a_verdict(faults: Run) -> None:
    """All are unscored, counted, and told on stderr; the run ends as any other."""
    unscored = {name: each for name, each in faults.details.items() if name != "fine"}
    assert {(each["status"], each["score"], each["is_correct"]) for each in unscored.values()} == {
        ("unscored", None, None)
    }
    assert {name.split("-")[0] for name, each in unscored.items() if each["reason"] != "judge_failed"} == {
        "chatty"
    }
    assert {each["reason"] for name, each in unscored.items() if name.startswith("chatty")} == {
        "judge_unparseable"
    }
    count = len(unscored)
    assert faults.figures["unscored"] == pytest.approx(count / (count + 1))
    assert faults.figures["accuracy"] == 1.0
    assert faults.figures["breakdown"]["reasons"] == {"judge_failed": count - 2, "judge_unparseable": 2}
    assert (
        f"mmeval-pack: task {TASK}: {count} samples have no verdict: "
        f"judge_failed {count - 2}, judge_unparseable 2\n"
    ) in faults.done.stderr
    assert faults.done.returncode == 0


@pytest.mark.parametrize(
    ("python", "code"), [(("-m", "lmms_eval"), 3), (TWO_RANKS, 1)], ids=["one rank", "two ranks"]
)
def test_an_unreachable_judge_stops_the_run_before_generation(
    python: Sequence[str], code: int, tmp_path: Path
) -> None:
    """With one message and exit code 3; a launcher of several ranks has an exit code of its own.

    The model has no response either, which it never comes to say.
    """
    prepared(tmp_path, {"0": "I say 5 ."})
    (tmp_path / "made.jsonl").write_text("")
    refused = run(tmp_path, judge, python, BASE_URL="http://127.0.0.1:9/v1")
    said = [line for line in refused.done.stderr.splitlines() if line.startswith("mmeval-pack: ")]
    assert len(said) == 1
    assert said[0].startswith("mmeval-pack: the judge 'judge-1' cannot be asked: http://127.0.0.1:9/v1: ")
    assert said[0].endswith("check MMEVAL_JUDGE_BASE_URL, MMEVAL_JUDGE_API_KEY and MMEVAL_JUDGE_MODEL")
    assert refused.done.returncode == code
    assert not list(refused.folder.glob("out/**/*.json*"))
