"""mmeval-pack score with a judge: a real process or a real socket behind each test."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, Request, completion, failure
from mmeval_pack.translators.demo.faults import (
    Dropped,
    Hang,
    Raw,
    Script,
    Slow,
    billed,
    error_inside,
    refusal,
)

TASK = "mathverse_testmini_mmeval"
ENTRY = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main())"
KEY = "sk-0123456789abcdef-never-shown"
REAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "mathverse_testmini_text_only.json"
CASES = REAL.parents[1] / "cases" / "dev.jsonl"
GARBAGE = b"<html>bad gateway</html>"
FAULTS: dict[str, tuple[Reply, str]] = {
    "429": (failure(429, "slow down", retry_after="0"), "HTTP 429: slow down"),
    "500": (failure(500, "oops"), "HTTP 500: oops"),
    "404": (failure(404, "no such model"), "HTTP 404: no such model"),
    "hang": (Hang(), "no reply"),
    "late": (Slow(completion("1"), 1.5), "no reply"),
    "dropped": (Dropped(), "no reply"),
    "half a body": (Raw(b'{"choices": [{"mess', 400), "no reply"),
    "garbage": (Raw(GARBAGE), "a reply that is no JSON"),
    "empty": (Raw(b""), "a reply that is no JSON"),
    "blank": (completion(" \n"), "a reply without text: content is blank"),
    "null": (completion(None), "a reply without text: content is null"),
    "refusal": (refusal("I must not"), "a reply without text: content is null"),
    "error inside": (error_inside(429, "quota"), "an error inside a reply: quota"),
}


def row(number: int, answer: object, response: object, **more: Any) -> dict[str, Any]:
    """A line about a MathVerse row."""
    message = {"role": "user", "question": f"How long is side {number}?"}
    sample = {"id": str(number), "media": [], "messages": [message], "answer": answer}
    return {"n": number, "task": TASK, "sample": sample, "response": response, **more}


def rows(count: int) -> list[dict[str, Any]]:
    """Every fourth is settled by a rule, the others need both calls."""
    settled = (row(n, f"{n} cm", f"{n} cm") for n in range(0, count, 4))
    asked = (
        row(n, f"{n} cm", f"Perhaps {n + 1}, or a bit less than {n + 2}.") for n in range(count) if n % 4
    )
    return sorted([*settled, *asked], key=lambda line: line["n"])


def asked(request: Request) -> str:
    """What the judge is asked, the fixed part off."""
    return str(request.body["messages"][0]["content"])[-400:]


def judge(request: Request) -> Reply:
    """Extracts what no rule accepts, and finds about half of the answers right."""
    if request.headers["x-mmeval-stage"] == "extract":
        return billed(f"about {sum(asked(request).encode()) % 97} units", 50, 5)
    return billed(str(sum(asked(request).encode()) % 2), 40, 1)


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No judge but the one of the test."""
    for name in os.environ:
        if name.startswith(("MMEVAL_JUDGE", "OPENAI_")) or name == "MODEL_VERSION":
            monkeypatch.delenv(name)
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", str(tmp_path / "judge.sqlite"))
    monkeypatch.setenv("MMEVAL_JUDGE_API_KEY", KEY)


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Endpoint]]:
    """Start an endpoint and name it in the environment; all stop in the end."""
    running: list[Endpoint] = []

    def serve(handler: Callable[[Request], Reply] = judge) -> Endpoint:
        endpoint = Endpoint(handler).__enter__()
        running.append(endpoint)
        monkeypatch.setenv("MMEVAL_JUDGE_MODEL", "judge-1")
        monkeypatch.setenv("MMEVAL_JUDGE_BASE_URL", endpoint.base_url)
        return endpoint

    yield serve
    for endpoint in running:
        endpoint.__exit__(None, None, None)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Iterable[Any]], Path]:
    """Write lines into a file."""

    def to_file(values: Iterable[Any]) -> Path:
        file = tmp_path / "in.jsonl"
        file.write_text("".join(json.dumps(value) + "\n" for value in values))
        return file

    return to_file


def read(file: Path) -> list[dict[str, Any]]:
    """The objects of a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_verdicts_and_what_they_cost(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """In the order of the input; rules cost nothing; the summary adds up; a second run asks nothing."""
    endpoint, out, again = served(), tmp_path / "out.jsonl", tmp_path / "again.jsonl"
    file = write(rows(40))
    code, summary, err = run("score", file, "--out", out)
    lines = read(out)
    assert (code, err, [line["n"] for line in lines]) == (0, "", [*range(40)])
    assert all("judge" not in line and line["decided_by"] == "exact-match" for line in lines[::4])
    judged = [line for line in lines if line["n"] % 4]
    assert {line["decided_by"] for line in judged} == {"llm-judge"}
    assert {line["score"] for line in judged} == {0.0, 1.0}
    prompt = judged[0]["judge"]["prompt"]
    made = {"model": "loopback", "protocol": "published", "prompt": prompt, "calls": 2, "tokens": 96}
    assert all(line["judge"] == made for line in judged)
    assert Counter(request.headers["x-mmeval-stage"] for request in endpoint.requests) == {
        "extract": 30,
        "score": 30,
    }
    assert summary.splitlines()[6:] == [
        "judge judge-1: 30 of 30 judged",
        f"  verdicts    30 by loopback, protocol published, prompt {prompt}",
        "  extract     30 calls, 0 from the cache, 0 failed; tokens: 1500 in (0 cached), 150 out",
        "  score       30 calls, 0 from the cache, 0 failed; tokens: 1200 in (0 cached), 30 out",
    ]
    summary = json.loads(run("score", file, "--out", again, "--json").out)["judge"]
    assert again.read_bytes() == out.read_bytes()
    assert (len(endpoint.requests), summary["judged"], summary["stages"]["score"]["calls"]) == (60, 30, 0)


def test_off(run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path]) -> None:
    """The option and the variable."""
    endpoint = served()
    code, _, err = run("score", write(rows(4)), "--judge", "off")
    assert (code, err) == (3, "mmeval-pack: 3 samples not judged: no_judge 3\n")
    assert endpoint.requests == []


def test_other_stages(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path]
) -> None:
    """A line's own pipeline is judged in general; a task that is named still says how to judge."""
    endpoint = served(lambda _: completion("1"))
    line = {**row(1, "12 cm", "a dozen"), "pipeline": ["exact-match", "llm-judge"]}
    general = {key: value for key, value in row(2, "13 cm", "a baker's dozen").items() if key != "task"}
    assert run("score", write([line, {**general, "pipeline": ["llm-judge"]}])).code == 0
    stages = Counter(request.headers["x-mmeval-stage"] for request in endpoint.requests)
    assert stages == {"extract": 1, "score": 1, "judge": 1}


def test_what_cannot_be_judged(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path]
) -> None:
    """A rubric that nobody knows is a broken line, found before anything is asked."""
    endpoint = served()
    line = {"sample": row(1, "1", "2")["sample"], "response": "2", "pipeline": ["llm-judge"]}
    file = write([{**line, "params": {"rubric": "mine"}}])
    code, _, err = run("score", file)
    assert (code, err.startswith(f"mmeval-pack: {file}, line 1: "), "mine" in err) == (2, True, True)
    assert endpoint.requests == []


def test_a_log_without_a_judge_is_finished(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """What lmms-eval left unscored gets its verdict, reasoning taken off as there."""
    endpoint = served()
    unscored = {"score": None, "status": "unscored", "reason": "no_judge", "judge": None}
    line = row(1, "12 cm", "<think>13?</think>a dozen", reasoning="stripped", **unscored)
    assert run("score", write([{"doc_id": 0, "detail": line}]), "--out", tmp_path / "out").code == 0
    (scored,) = read(tmp_path / "out")
    assert (scored["status"], scored["reason"], scored["judge"]["calls"]) == ("ok", None, 2)
    assert "13?" not in asked(endpoint.requests[0])


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(
    run: Callable[..., Any],
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    tmp_path: Path,
    fault: str,
) -> None:
    """One sample's second call fails: it is unscored, all others have their verdict, all say so."""
    reply, told = FAULTS[fault]

    def handler(request: Request) -> Reply:
        broken = request.headers["x-mmeval-stage"] == "score" and "side 3?" in asked(request)
        return reply if broken else judge(request)

    served(handler)
    options = ["--judge-retries", "1", "--judge-timeout", "0.8", "--json"]
    code, out, err = run("score", write(rows(8)), "--out", tmp_path / "out", *options)
    assert (code, err) == (3, "mmeval-pack: 1 sample not judged: judge_failed 1\n")
    lines = read(tmp_path / "out")
    unscored = [line for line in lines if line["status"] != "ok"]
    assert [(line["n"], line["score"], line["reason"]) for line in unscored] == [(3, None, "judge_failed")]
    summary = json.loads(out)
    assert summary["overall"]["status"] == {"ok": 7, "invalid": 0, "unscored": 1}
    scores = [line["score"] for line in lines if line["status"] == "ok"]
    assert summary["overall"]["accuracy"]["mean"] == pytest.approx(sum(scores) / 7)
    judged = summary["judge"]
    assert (judged["needed"], judged["judged"], judged["unscored"]) == (6, 5, 1)
    assert told in judged["faults"]["judge_failed"]
    assert judged["stages"]["score"]["failures"] == 1


@pytest.mark.parametrize("fault", [name for name in FAULTS if name not in ("404", "hang", "late")])
def test_faults_that_pass(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], fault: str
) -> None:
    """One more try, and nothing is missing."""
    endpoint = served(Script(FAULTS[fault][0], completion("about 7"), completion("1")))
    code, out, err = run("score", write(rows(2)), "--judge-retries", "1")
    assert (code, err, len(endpoint.requests)) == (0, "", 3)
    assert "judge judge-1: 1 of 1 judged\n" in out


@pytest.mark.parametrize(
    ("extracted", "scored", "reason", "requests"),
    [
        ("7", "10", "judge_unparseable", 5),
        ("7", "0 or 1", "judge_unparseable", 5),
        ("``` ```", "1", "extraction_empty", 4),
    ],
)
def test_replies_of_no_use(
    run: Callable[..., Any],
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    extracted: str,
    scored: str,
    reason: str,
    requests: int,
) -> None:
    """Asked for again, then unscored; a rerun finds the replies in the cache and asks nothing."""
    endpoint = served(
        lambda request: completion(extracted if request.headers["x-mmeval-stage"] == "extract" else scored)
    )
    for _ in range(2):
        code, _, err = run("score", write(rows(2)))
        assert (code, err) == (3, f"mmeval-pack: 1 sample not judged: {reason} 1\n")
        assert len(endpoint.requests) == requests


@pytest.mark.skipif(not CASES.is_file(), reason="the collected replies are not at hand")
def test_collected_replies(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Replies that judges gave, each with the score that it means."""
    found, right = {}, {}
    for case in map(json.loads, CASES.read_text().splitlines()):
        if not {"judge_replies", "extract_replies"} & set(case):
            continue
        extract = Script(*map(completion, case.get("extract_replies", [f"it is {case['response']}"])))
        score = Script(*map(completion, case.get("judge_replies", [str(case["human"])])))
        by_stage = {"extract": extract, "score": score}
        served(partial(lambda given, request: given[request.headers["x-mmeval-stage"]](request), by_stage))
        # No rule may settle what the replies are about.
        line = row(1, case["answer"], case["response"], pipeline=["llm-judge"])
        protocol = "official" if "judge_replies" in case else "published"
        options = ["--protocol", protocol, "--judge-cache", tmp_path / case["id"]]
        run("score", write([line]), "--out", tmp_path / "out", *options)
        found[case["id"]] = read(tmp_path / "out")[0]["score"]
        right[case["id"]] = case["right"]["score"]
    assert len(found) >= 18
    assert found == right


@pytest.mark.parametrize("fault", ["404", "500"])
def test_all_calls_fail(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], fault: str
) -> None:
    """No accuracy rather than 0; and a judge that never replies is given up, not asked 300 times."""
    endpoint = served(lambda _: FAULTS[fault][0])
    options = ["--protocol", "official", "--judge-retries", "0", "--judge-concurrency", "4"]
    code, out, err = run("score", write(rows(300)), *options)
    assert (code, err) == (3, "mmeval-pack: 300 samples not judged: judge_failed 300\n")
    assert "  accuracy    N/A over 0 scored, 0.0000 over all 300\n" in out
    assert "judge judge-1: 0 of 300 judged\n" in out
    assert f"  judge_failed, the first time: {endpoint.base_url}: {FAULTS[fault][1]}" in out
    assert 20 <= len(endpoint.requests) < 30


def test_budget(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Never exceeded; a second run goes on where the first one stopped."""
    endpoint, file, out = served(), write(rows(20)), tmp_path / "out"
    code, _, err = run("score", file, "--judge-budget", "calls:7", "--out", out)
    left = Counter(line["reason"] for line in read(out))["judge_budget"]
    assert (code, err) == (3, f"mmeval-pack: {left} samples not judged: judge_budget {left}\n")
    assert (len(endpoint.requests), left >= 12) == (7, True)
    assert run("score", file).code == 0
    assert len(endpoint.requests) == 30


def test_what_a_budget_refuses_is_no_failure_of_the_judge(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path]
) -> None:
    """It is told as what it is."""
    served()
    out = run("score", write(rows(20)), "--judge-budget", "calls:8", "--judge-concurrency", "32").out
    assert "  unscored    judge_budget 11\n" in out
    assert "judge judge-1: 4 of 15 judged\n" in out
    assert ", 0 failed;" in out
    assert not re.search("[1-9] failed", out)


def test_verdicts_are_kept_where_no_judge_is_asked(
    run: Callable[..., Any],
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To the same bytes; not where another protocol or other prompts are asked for, and it says so."""
    served()
    first, again = tmp_path / "first.jsonl", tmp_path / "again.jsonl"
    run("score", write(rows(40)), "--out", first)
    prompt = read(first)[1]["judge"]["prompt"]
    code, out, err = run("score", first, "--out", again, "--judge", "off")
    assert (code, err, again.read_bytes()) == (0, "", first.read_bytes())
    assert f"  from file   30 verdicts of a judge, by loopback, protocol published, prompt {prompt}\n" in out
    assert "likely" not in out
    code, out, _ = run("score", first, "--out", again, "--judge", "off", "--protocol", "official")
    told = "protocol 'published', asked for was 'official'"
    assert (code, f"  not kept    30 verdicts of a judge in the file: {told}\n" in out) == (3, True)
    assert {line["reason"] for line in read(again)} == {"no_judge"}
    prompts = tmp_path / "prompts.py"
    prompts.write_text(
        "demo_prompt_extract = 'Extract.'\ndemo_prompt_score = 'Judge {question} {gt} {extraction}'\n"
    )
    monkeypatch.setenv("MMEVAL_JUDGE_PROMPTS", f"official:{prompts}")
    summary = json.loads(run("score", first, "--judge", "off", "--json").out)["overall"]["recorded"]
    ((told, count),) = summary["dropped"].items()
    assert (told.startswith(f"prompt '{prompt}', asked for was '"), count, summary["kept"]) == (True, 30, [])


def test_no_judge_needs_no_home(
    run: Callable[..., Any], write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And none of the settings of a judge but those that say how verdicts are made."""
    monkeypatch.setenv("MMEVAL_JUDGE_BUDGET", "a lot")
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", "~nobody-of-that-name/x")
    assert run("score", write(rows(1)), "--judge", "off").code == 0
    monkeypatch.setenv("MMEVAL_JUDGE_PROTOCOL", "mine")
    code, _, err = run("score", write(rows(1)), "--judge", "off")
    assert (code, err) == (
        2,
        "mmeval-pack: unknown protocol 'mine': known are published, vlmevalkit, official\n",
    )


def test_a_third_party_needs_no_endpoint(
    run: Callable[..., Any],
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exported replies give the same bytes; what they lack is unscored; nothing is asked."""
    endpoint, file = served(), write(rows(40))
    outs = [tmp_path / name for name in ("1", "2", "3")]
    replies, part = tmp_path / "replies.jsonl", tmp_path / "part.jsonl"
    run("score", file, "--out", outs[0])
    assert run("cache", "export", replies).code == 0
    for name in ("MODEL", "BASE_URL", "API_KEY"):
        monkeypatch.delenv(f"MMEVAL_JUDGE_{name}")
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", str(tmp_path / "none.sqlite"))
    assert run("score", file, "--out", outs[1], "--judge", f"replay:{replies}").code == 0
    assert outs[1].read_bytes() == outs[0].read_bytes()
    part.write_text("".join(f"{line}\n" for line in replies.read_text().splitlines()[:30]))
    code, _, err = run("score", file, "--out", outs[2], "--judge", f"replay:{part}")
    left = [line["n"] for line in read(outs[2]) if line["status"] == "unscored"]
    assert (code, err) == (3, f"mmeval-pack: {len(left)} samples not judged: no_judge {len(left)}\n")
    assert 0 < len(left) < 30
    assert [line for line in read(outs[2]) if line["n"] not in left] == [
        line for line in read(outs[0]) if line["n"] not in left
    ]
    assert (len(endpoint.requests), (tmp_path / "none.sqlite").exists()) == (60, False)


def test_replies_of_several_judges(
    run: Callable[..., Any],
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One has to be named: verdicts of two are never mixed."""
    served()
    file, replies = write(rows(4)), tmp_path / "replies.jsonl"
    run("score", file)
    monkeypatch.setenv("MMEVAL_JUDGE_MODEL", "judge-2")
    run("score", file)
    run("cache", "export", replies)
    for name, code in (("judge-1", 0), ("judge-2", 0), ("judge-3", 2), ("", 2)):
        monkeypatch.setenv("MMEVAL_JUDGE_MODEL", name)
        done = run("score", file, "--judge", f"replay:{replies}")
        assert done.code == code
        message = (
            f"mmeval-pack: {replies}: holds replies of judge-1, judge-2; name one with MMEVAL_JUDGE_MODEL\n"
        )
        assert done.err == ("" if code == 0 else message)


def test_protocols(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Each has its stamp, its calls and its own idea of what a rule settles."""
    served(lambda request: completion("12 cm" if request.headers["x-mmeval-stage"] == "extract" else "0"))
    file = write(
        [row(1, "12 cm", "12 cm"), row(2, "12cm", "That is 12 cm in all."), row(3, "12 cm", "A dozen.")]
    )
    found = {}
    for protocol in ("published", "vlmevalkit", "official"):
        assert run("score", file, "--out", tmp_path / protocol, "--protocol", protocol).code == 0
        lines = read(tmp_path / protocol)
        stamps = [line.get("judge", {}).get("protocol") for line in lines]
        assert set(stamps) - {None} == {protocol}
        found[protocol] = [(line["score"], line.get("judge", {}).get("calls")) for line in lines]
    assert found["vlmevalkit"] == [(1.0, 1), (0.0, 2), (1.0, 1)]
    assert found["official"] == [(0.0, 2)] * 3
    assert found["published"][0] == (1.0, None)
    assert found["published"][2] == (1.0, 1)


def test_the_key_is_nowhere(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Not in what is written or said, even when the endpoint repeats it."""

    def echo(request: Request) -> Reply:
        wrong = "Perhaps 2," in asked(request)
        return failure(401, f"Incorrect API key provided: {KEY}") if wrong else judge(request)

    served(echo)
    done = run("score", write(rows(8)), "--out", tmp_path / "out", "--json")
    run("cache", "export", tmp_path / "replies.jsonl")
    assert done.code == 3
    said = done.out + done.err
    assert "HTTP 401: Incorrect API key provided" in said
    assert KEY not in said
    files = [file for file in tmp_path.iterdir() if file.name != "in.jsonl"]
    assert len(files) >= 3
    assert not any(KEY.encode() in file.read_bytes() for file in files)


def test_memory_does_not_grow_with_the_file(
    run: Callable[..., Any], served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path
) -> None:
    """Four times the lines, about the same peak."""
    served()
    peaks = []
    run("score", write(rows(800)), "--judge-timeout", "600")
    for count in (200, 200, 800):
        file = write({**line, "pad": "x" * 3000} for line in rows(count))
        tracemalloc.start()
        run("score", file, "--out", tmp_path / "out")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.5 * peaks[1]


def start(file: Path, out: Path, concurrency: int) -> subprocess.Popen[bytes]:
    """The command as a process of its own."""
    options = ["--out", str(out), "--judge-concurrency", str(concurrency)]
    return subprocess.Popen(
        [sys.executable, "-c", ENTRY, "score", str(file), *options], stdout=subprocess.PIPE
    )


def killed_and_finished(
    endpoint: Endpoint, file: Path, folder: Path, moments: Sequence[int], concurrency: int
) -> list[dict[str, Any]]:
    """The lines after a kill at each number of requests, and a run to the end; checks what was asked."""
    outs = [folder / "first.jsonl", folder / "second.jsonl"]
    for moment in moments:
        run = start(file, outs[0], concurrency)
        while len(endpoint.requests) < moment:
            assert run.poll() is None
            time.sleep(0.002)
        run.kill()
        run.communicate()
        assert not outs[0].exists()
    totals = []
    for out in outs:
        run = start(file, out, concurrency)
        run.communicate()
        assert run.returncode == 0
        totals.append(len(endpoint.requests))
    assert totals[0] == totals[1]
    assert outs[0].read_bytes() == outs[1].read_bytes()
    times = Counter((asked(request), request.headers["x-mmeval-stage"]) for request in endpoint.requests)
    again = sum(times.values()) - len(times)
    assert again <= len(moments) * concurrency  # those in flight when it was killed
    assert max(times.values()) <= 1 + len(moments)
    return read(outs[0])


def test_kill_9(served: Callable[..., Endpoint], write: Callable[..., Path], tmp_path: Path) -> None:
    """At three moments; the endpoint's log shows that nothing was asked again but what was in flight."""
    endpoint = served(lambda request: Slow(judge(request), 0.03))
    lines = killed_and_finished(endpoint, write(rows(160)), tmp_path, (23, 90, 170), 8)
    assert [line["n"] for line in lines] == [*range(160)]
    assert {line["status"] for line in lines} == {"ok"}


@pytest.mark.skipif(not REAL.is_file(), reason="the published rows are not at hand")
def test_kill_9_on_published_rows(
    served: Callable[..., Endpoint],
    write: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """788 rows, three moments; an undisturbed run with a cache of its own comes to the same lines."""
    chance = random.Random(4)
    forms = (
        "{}",
        "The answer is {}",
        "I would say it is close to {}, see {n}",
        "No idea, {n} things confuse me",
    )

    def line(item: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "user", "question": item["query_wo"]}
        sample = {"id": item["sample_index"], "media": [], "messages": [message], "answer": item["answer"]}
        response = chance.choice(forms).format(item["answer"], n=item["sample_index"])
        return {"task": "mathverse_testmini_text_only_mmeval", "sample": sample, "response": response}

    endpoint = served(lambda request: Slow(judge(request), 0.01))
    file = write(map(line, json.loads(REAL.read_text())))
    moments = sorted(chance.sample(range(20, 500), 3))
    lines = killed_and_finished(endpoint, file, tmp_path, moments, 16)
    assert (len(lines), {line["status"] for line in lines}) == (788, {"ok"})
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", str(tmp_path / "other.sqlite"))
    start(file, tmp_path / "whole.jsonl", 16).communicate()
    assert read(tmp_path / "whole.jsonl") == lines
