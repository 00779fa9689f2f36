"""The judge of a process, from the environment to the records of its verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, Request, completion, failure
from mmeval_pack.translators.demo.faults import Script
from mmeval_pack.translators.lmms_eval import adapter, judge, pending
from mmeval_pack.translators.task import Task

datasets = pytest.importorskip("datasets")

TASK = Task(
    name="toy_mmeval",
    benchmark="Toy",
    subset="main",
    version="1.0",
    repo="mm-eval/Toy",
    config="main",
    split="test",
    rows=None,
    prompt_template="{{ question }}",
    pipeline=("exact-match", "rule-match", "llm-judge"),
    params={},
    judge="mathverse",
    protocol="published",
    official_protocol=True,
    groups=(),
)
NAMES = ("MODEL", "BASE_URL", "API_KEY", "CACHE", "PROTOCOL", "PROMPTS", "BUDGET", "RETRIES", "TIMEOUT")
NO_JUDGE = (
    "mmeval-pack: warning: no judge is configured, so samples that need one stay unscored; set "
    "MMEVAL_JUDGE_MODEL and MMEVAL_JUDGE_BASE_URL (or MMEVAL_JUDGE_API_KEY), or have them judged later "
    "from the log that --log_samples writes, with mmeval-pack score\n"
)


def row(name: str = "r1", question: str = "How many?", **columns: Any) -> dict[str, Any]:
    """A row whose answer is 5."""
    messages = json.dumps([{"role": "user", "question": question}])
    return {"id": name, "media": [], "messages": messages, "answer": "5", "problem_index": "1", **columns}


def bound(name: str = TASK.name, **changes: Any) -> adapter.Bound:
    """The task with other values."""
    return adapter.bind({**TASK.literal(), "name": name, **changes})


def prepare(task: adapter.Bound, *rows: dict[str, Any]) -> None:
    """What lmms-eval does before it generates."""
    task.process_docs(datasets.Dataset.from_list(list(rows) or [row()]))


def agrees(request: Request) -> Reply:
    """A judge that extracts an apple and finds it right."""
    return completion("apple" if request.headers["x-mmeval-stage"] == "extract" else "1", "judge-1-2026")


@pytest.fixture(autouse=True)
def no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that names no judge, in a process that has warned of nothing."""
    for name in ("MMEVAL_JUDGE", *(f"MMEVAL_JUDGE_{name}" for name in NAMES)):
        monkeypatch.delenv(name, raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_URL", "MODEL_VERSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("RANK", raising=False)
    judge._warn.cache_clear()
    pending._in_flight.clear()


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., Endpoint]]:
    """Starts an endpoint and names it as the judge."""
    running: list[Endpoint] = []

    def start(handler: Callable[[Request], Reply], **settings: str) -> Endpoint:
        running.append(endpoint := Endpoint(handler).__enter__())
        given = {"MODEL": "judge-1", "BASE_URL": endpoint.base_url, "CACHE": str(tmp_path / "c.sqlite")}
        for name, value in {**given, "RETRIES": "0", **settings}.items():
            monkeypatch.setenv(f"MMEVAL_JUDGE_{name}", value)
        return endpoint

    yield start
    for endpoint in running:
        endpoint.__exit__(None, None, None)


def stages(endpoint: Endpoint) -> Counter[str]:
    """How often each stage was asked."""
    return Counter(request.headers["x-mmeval-stage"] for request in endpoint.requests)


def test_only_what_rules_leave_open_is_asked(serve: Callable[..., Endpoint]) -> None:
    """Extract and score; the stamp says by whom and how."""
    endpoint, task = serve(agrees), bound()
    settled = task.process_results(row(), ["5"])
    blank = task.process_results(row(), [""])
    assert [type(each["accuracy"]) for each in (settled, blank)] == [dict, dict]
    asked = task.process_results(row(), ["<think>four or five</think>I say an apple"])
    detail = asked["detail"]
    assert {key: detail[key] for key in ("score", "decided_by", "status", "extraction", "reason")} == {
        "score": 1.0,
        "decided_by": "llm-judge",
        "status": "ok",
        "extraction": "apple",
        "reason": None,
    }
    assert {**detail["judge"], "prompt": ""} == {
        "model": "judge-1-2026",
        "protocol": "published",
        "prompt": "",
        "calls": 2,
        "tokens": 0,
    }
    assert stages(endpoint) == {"extract": 1, "score": 1}
    assert "four or five" not in endpoint.requests[0].body["messages"][0]["content"]


def test_the_protocol_of_the_environment_holds(serve: Callable[..., Endpoint]) -> None:
    """VLMEvalKit's always extracts, and the verdict says that it is by that protocol."""
    endpoint, task = serve(agrees, PROTOCOL="vlmevalkit"), bound()
    detail = task.process_results(row(), ["5"])["detail"]
    assert (detail["decided_by"], detail["judge"]["protocol"]) == ("llm-judge", "vlmevalkit")
    assert stages(endpoint) == {"extract": 1, "score": 1}


def test_threads_are_not_held_up(serve: Callable[..., Endpoint]) -> None:
    """One thread submits all; the same question is asked once."""
    endpoint, task = serve(agrees), bound()
    with ThreadPoolExecutor(1) as threads:
        done = list(threads.map(lambda n: task.process_results(row(str(n)), ["I say it"]), range(20)))
    assert task.accuracy([each["accuracy"] for each in done]) == 1.0
    assert stages(endpoint) == {"extract": 1, "score": 1}


def test_failures_are_unscored_and_the_mean_of_nothing_is_none(
    serve: Callable[..., Endpoint], capsys: pytest.CaptureFixture[str]
) -> None:
    """Never a 0; how many and why is told."""
    serve(lambda _request: failure(400, "no\x1b[2J"))
    task = bound()
    done = [task.process_results(row(str(n)), [f"I say {n} apples"]) for n in range(10, 13)]
    assert task.accuracy([each["accuracy"] for each in done]) is None
    figures = task.breakdown([each["breakdown"] for each in done])
    assert (figures["micro"], figures["reasons"], figures["judge"]) == (None, {"judge_failed": 3}, None)
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("mmeval-pack: judge 'judge-1': extract 3 calls, 0 + 0 tokens")
    assert said[1].endswith(": HTTP 400: no\\x1b[2J")
    assert said[2] == "mmeval-pack: task toy_mmeval: 3 samples have no verdict: judge_failed 3"


def test_replies_without_a_verdict_sign_no_figure(serve: Callable[..., Endpoint]) -> None:
    """The sample's own record has what they cost, but the figures are not by that judge."""
    endpoint, task = serve(lambda _request: completion("perhaps")), bound()
    done = task.process_results(row(), ["I say it"])
    assert (done["detail"]["reason"], done["detail"]["judge"]["calls"]) == ("judge_unparseable", 5)
    assert task.breakdown([done["breakdown"]])["judge"] is None
    assert stages(endpoint) == {"extract": 1, "score": 4}


def test_a_fault_in_our_own_code_is_a_failed_judge(
    serve: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted like any other, and named."""
    serve(agrees)

    async def fails(*_: Any) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(judge, "judged", fails)
    detail = bound().process_results(row(), ["I say it"])["detail"]
    assert (detail["status"], detail["reason"], detail["score"]) == ("unscored", "judge_failed", None)
    assert judge.at_hand().judge.faults == {"judge_failed": "ZeroDivisionError: oh"}  # type: ignore[union-attr]


def test_a_budget_is_told(serve: Callable[..., Endpoint], capsys: pytest.CaptureFixture[str]) -> None:
    """What is beyond it stays unscored; a probe that it does not hold stops nothing."""
    serve(agrees, BUDGET="calls:0")
    task = bound()
    prepare(task)
    assert task.accuracy([task.process_results(row(), ["I say it"])["accuracy"]]) is None
    said = capsys.readouterr().err.splitlines()
    assert said[0].endswith("; budget: 0 of 0 calls")
    assert said[1:] == [
        "mmeval-pack: judge 'judge-1': judge_budget, the first time: the judge's budget is used up"
    ]


def test_a_probe_serves_all_tasks(serve: Callable[..., Endpoint]) -> None:
    """One that rules settle needs none."""
    endpoint = serve(agrees)
    prepare(bound(pipeline=("exact-match",)))
    assert endpoint.requests == []
    prepare(bound("one_mmeval"))
    prepare(bound("two_mmeval"))
    assert stages(endpoint) == {"judge": 1}


def test_the_first_rank_probes_for_all(
    serve: Callable[..., Endpoint], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launcher ends the others with it."""
    endpoint = serve(agrees)
    monkeypatch.setenv("RANK", "1")
    prepare(bound())
    assert endpoint.requests == []


def test_a_judge_that_cannot_be_asked_stops_the_run(
    serve: Callable[..., Endpoint], capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 3 and one message."""
    endpoint = serve(Script(failure(401, "wrong key")))
    with pytest.raises(SystemExit) as stopped:
        prepare(bound())
    assert stopped.value.code == 3
    assert capsys.readouterr().err == (
        f"mmeval-pack: the judge 'judge-1' cannot be asked: {endpoint.base_url}: HTTP 401: wrong key; "
        "check MMEVAL_JUDGE_BASE_URL, MMEVAL_JUDGE_API_KEY and MMEVAL_JUDGE_MODEL\n"
    )


@pytest.mark.parametrize("switch", ["", "off"])
def test_without_a_judge_there_is_one_warning(
    switch: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything is generated; the rows are unscored, and count as wrong for nobody."""
    monkeypatch.setenv("MMEVAL_JUDGE", switch)
    prepare(bound(pipeline=("exact-match",)))
    assert capsys.readouterr().err == ""
    prepare(bound("one_mmeval"))
    prepare(bound("two_mmeval"))
    assert capsys.readouterr().err == NO_JUDGE
    detail = bound().process_results(row(), ["I say it"])["detail"]
    assert (type(detail), detail["reason"], detail["judge"]) == (dict, "no_judge", None)


def test_an_accuracy_of_rules_alone_is_said_to_be_too_high(capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the figure, as soon as it is there; one that rules alone can give stands without."""
    task = bound()
    records = [task.process_results(row(), [text])["breakdown"] for text in ("5", "5", "I say it")]
    capsys.readouterr()
    figures = task.breakdown(records)
    assert (figures["n"], figures["micro"]) == (2, 1.0)
    assert capsys.readouterr().err.splitlines() == [
        "mmeval-pack: task toy_mmeval: 1 sample has no verdict: no_judge 1",
        "mmeval-pack: task toy_mmeval: accuracy 1.0000 over 2 scored: likely too high: it holds only for "
        "what rules settled (rules credit, they never decide a miss); 1 of 3 samples lacks a judge's verdict",
    ]
    task.breakdown(records[:2])
    task.breakdown(records[2:])
    assert capsys.readouterr().err.splitlines() == [
        "mmeval-pack: task toy_mmeval: 1 sample has no verdict: no_judge 1"
    ]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("TIMEOUT", "soon", "MMEVAL_JUDGE_TIMEOUT='soon': expected seconds, a number above 0"),
        (
            "PROTOCOL",
            "oficial",
            "unknown protocol 'oficial' (did you mean official?): known are published, vlmevalkit, official",
        ),
    ],
)
def test_settings_that_cannot_be_used_stop_the_run(
    serve: Callable[..., Endpoint],
    capsys: pytest.CaptureFixture[str],
    name: str,
    value: str,
    message: str,
) -> None:
    """With exit code 2, before the judge is asked."""
    endpoint = serve(agrees, **{name: value})
    with pytest.raises(SystemExit) as stopped:
        prepare(bound())
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"mmeval-pack: task toy_mmeval: {message}\n"
    assert endpoint.requests == []


def test_a_question_that_is_only_shown_is_taken_from_another_version(serve: Callable[..., Endpoint]) -> None:
    """The judge gets it, and the log keeps it, whichever function of utils.py asks."""
    head = "please directly answer the question and provide the final value, e.g., 1.\nQuestion:"
    shown, told = row("r2", head), row("r1", f"{head} How many apples?")
    endpoint = serve(agrees)
    prepare(bound(), shown, told)
    details = [bound().process_results(each, ["I say it"])["detail"] for each in (shown, told)]
    assert [each["score"] for each in details] == [1.0, 1.0]
    assert [each["sample"].get("question_for_eval") for each in details] == ["How many apples?", None]
    asked = [r.body["messages"][0]["content"] for r in endpoint.requests]
    assert sum("⟦question⟧How many apples?⟦/question⟧" in text for text in asked) == 1
    assert "question_for_eval" not in shown


def test_verdicts_of_several_judges_are_told_apart() -> None:
    """All names that occur stand in the stamp; without any judge there is none."""
    one = {"model": "b", "protocol": "published", "prompt": "1-2", "calls": 2, "tokens": 30}
    assert judge.stamp([None, one, {**one, "model": "a", "calls": 1}]) == {
        "model": "a, b",
        "protocol": "published",
        "prompt": "1-2",
        "samples": 2,
        "calls": 3,
        "tokens": 60,
    }
    assert judge.stamp([None]) is None


def test_one_judge_serves_the_process(serve: Callable[..., Endpoint]) -> None:
    """Also when threads ask for it at once; other settings are another judge."""
    serve(agrees)
    with ThreadPoolExecutor(8) as threads:
        (first,) = set(threads.map(lambda _: judge.at_hand(), range(32)))
    serve(agrees)
    assert judge.at_hand() is not first


def test_a_damaged_cache_is_named(serve: Callable[..., Endpoint], tmp_path: Path) -> None:
    """Not passed over: it may hold what was paid for."""
    (tmp_path / "torn").write_bytes(b"no database" * 100)
    serve(agrees, CACHE=str(tmp_path / "torn"))
    with pytest.raises(InputError, match="torn"):
        judge.at_hand()
