"""Judging: rules first, then the stages that ask; limits, costs, and the real client over loopback."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.cache import Cache
from mmeval_pack.judges.client import Client, JudgeSettings
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.judges.replay import Replay
from mmeval_pack.judges.reply import JudgeFailure
from mmeval_pack.judges.settings import Budget
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

MATHVERSE = Pipeline(("exact-match", "rule-match", "llm-judge"))


def doc(answer: Any = "14", **message: Any) -> Doc:
    """A row with one message."""
    return Doc.from_row({"messages": [{"question": "How long is L?", **message}], "answer": answer})


def settings(*urls: str, **changes: Any) -> JudgeSettings:
    """Settings of an impatient client."""
    quick = {"timeout": 2.0, "retries": 1, "backoff": 0.01}
    return JudgeSettings("judge-1", **{"base_urls": urls, "api_key": "any", **quick, **changes})


def verdicts(client: Client, *responses: str, judge: Judge | None = None) -> list[Judged]:
    """The verdicts on responses to one MathVerse row, all at once."""

    async def all_of_them() -> list[Judged]:
        at_hand = judge or Judge.of(client)
        found = await asyncio.gather(
            *(judged(MATHVERSE, doc(), text, at_hand, "mathverse") for text in responses)
        )
        await client.close()
        return found

    return asyncio.run(all_of_them())


def two_stages(request: Request) -> Reply:
    """A judge that extracts 15 and finds it wrong."""
    extract = request.headers["x-mmeval-stage"] == "extract"
    return billed("Extracted answer: 15" if extract else "0", prompt=100, answer=3)


@pytest.fixture
def dead_url() -> Iterator[str]:
    """A base URL where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def test_the_stages_run_in_the_order_of_the_pipeline(scripted: Any) -> None:
    """What llm-match passes on goes to the next stage; calls and prompts add up."""
    asks = scripted(match="C", judge="1")
    pipeline = Pipeline(("rule-match", "llm-match", "llm-judge"))
    found = asyncio.run(
        judged(pipeline, doc("B", choices=["a cat", "a dog", "a hen"]), "man's best friend", Judge(asks))
    )
    assert found.score == Score(1.0, 1, "llm-judge", "ok", "C", None)
    assert [asked.stage for asked in asks.asked] == ["match", "judge"]
    assert found.judge is not None
    assert (found.judge["calls"], found.judge["tokens"]) == (2, 22)
    assert len(found.judge["prompt"].split("-")) == 3


def test_rules_may_stand_behind_a_stage_that_asks(scripted: Any) -> None:
    """They are run on the response after it has passed."""
    asks = scripted(match="C")
    pipeline = Pipeline(("llm-match", "anls"))
    found = asyncio.run(judged(pipeline, doc("B", choices=["a cat", "a dog", "a hen"]), "b", Judge(asks)))
    assert found.score == Score(1.0, 1, "anls", "ok", found.score.extraction, None)
    assert found.judge is not None


@pytest.mark.parametrize("response", ["", " \n\t"])
def test_a_blank_response_is_wrong_without_a_judge(response: str) -> None:
    """No judge could find it right, so it is not unscored for want of one."""
    assert MATHVERSE.score(doc(), response) == Score(0.0, 0, None, "ok", None, None)
    assert MATHVERSE.score(doc(), "?").reason == "no_judge"


def test_a_row_without_an_answer_is_not_asked_about(scripted: Any) -> None:
    """It is invalid under every protocol."""
    asks = scripted()
    for protocol in ("published", "vlmevalkit", "official"):
        found = asyncio.run(judged(MATHVERSE, doc(None), "14", Judge(asks, protocol=protocol), "mathverse"))
        assert found == Judged(Score(0.0, 0, None, "invalid", None, "missing_answer"), None)
    assert asks.asked == []


def test_protocols_are_mathverses_own(scripted: Any) -> None:
    """They leave the general judge alone: rules come first there, and its verdicts do not carry the name."""
    judge = Judge(scripted(judge="1"), protocol="vlmevalkit")
    assert asyncio.run(judged(MATHVERSE, doc(), "14", judge)).score.decided_by == "exact-match"
    found = asyncio.run(judged(MATHVERSE, doc(), "?", judge)).judge
    assert found is not None
    assert found["protocol"] == "published"


def test_pipelines_without_a_judge_are_left_alone(scripted: Any) -> None:
    """Whatever the protocol."""
    judge = Judge(scripted(), protocol="official")
    found = asyncio.run(judged(Pipeline(), doc(), "14", judge, "mathverse"))
    assert found == Judged(Score(1.0, 1, "exact-match", "ok", "14", None), None)


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"protocol": "offical"}, "unknown protocol 'offical' (did you mean official?): known are published, "
         "vlmevalkit, official"),
        ({"prompts": "packs"}, "unknown prompts 'packs' (did you mean pack?): known are pack, official:PATH, "
         "vlmevalkit"),
    ],
)  # fmt: skip
def test_unknown_names_are_refused(scripted: Any, options: dict[str, str], fault: str) -> None:
    """When the judge is made, before anything is scored."""
    with pytest.raises(InputError) as caught:
        Judge(scripted(), **options)
    assert str(caught.value) == fault


def test_an_unknown_method_is_refused(scripted: Any) -> None:
    """With the known ones."""
    with pytest.raises(InputError) as caught:
        asyncio.run(judged(MATHVERSE, doc(), "?", Judge(scripted()), "mathvers"))
    assert str(caught.value) == (
        "unknown method 'mathvers' of llm-judge (did you mean mathverse?): known are general, mathverse"
    )


def test_a_judge_reads_its_clients_settings() -> None:
    """Protocol, prompts, concurrency and deadline."""
    judge = Judge.of(Client(settings("http://h/v1", protocol="official", timeout=90.0, concurrency=7)))
    assert (judge.protocol, judge.seconds) == ("official", 270.0)


def test_a_sample_has_a_time_limit() -> None:
    """All that is asked about it shares one; what is over it leaves the sample unscored."""

    class Sleeper:
        async def complete(self, *_messages: Any, **_options: Any) -> Any:
            await asyncio.sleep(60)

    judge = Judge(Sleeper(), seconds=0.1)
    started = time.monotonic()
    found = asyncio.run(judged(MATHVERSE, doc(), "?", judge, "mathverse"))
    assert found == Judged(Score(None, None, None, "unscored", None, "judge_failed"), None)
    assert judge.faults == {"judge_failed": "no verdict within 0.1 s"}
    assert time.monotonic() - started < 1


def test_later_questions_get_the_rest_of_the_time(scripted: Any) -> None:
    """The client is told how much is left."""
    asks = scripted(extract="15", score="0")
    asyncio.run(judged(MATHVERSE, doc(), "?", Judge(asks, seconds=5.0), "mathverse"))
    first, second = (asked.deadline for asked in asks.asked)
    assert 0 < second <= first <= 5


def test_the_first_fault_of_each_reason_is_kept(scripted: Any) -> None:
    """For the summary, which would else know reasons and no causes."""
    failures = [JudgeFailure("judge_failed", "HTTP 402: pay"), JudgeFailure("judge_failed", "HTTP 500: oh")]
    judge = Judge(scripted(extract=[*failures, "15"], score="maybe"))
    for _ in range(3):
        asyncio.run(judged(MATHVERSE, doc(), "?", judge, "mathverse"))
    assert judge.faults == {
        "judge_failed": "HTTP 402: pay",
        "judge_unparseable": "score: no reply of 4 is of use, the last is 'maybe'",
    }


def test_a_judge_serves_one_loop_after_the_other(scripted: Any) -> None:
    """With more samples than slots in each."""
    judge = Judge(scripted(extract="14"), concurrency=1)

    async def four() -> list[Judged]:
        return await asyncio.gather(
            *(judged(MATHVERSE, doc(), f"{n}?", judge, "mathverse") for n in range(4))
        )

    for _ in range(2):
        assert [found.score.score for found in asyncio.run(four())] == [1.0] * 4


def test_two_stages_over_the_real_client(tmp_path: Path) -> None:
    """Each request says its stage; a second run asks nothing and gives the same bytes; so does a replay."""
    file = tmp_path / "judge.sqlite"
    with Endpoint(two_stages) as endpoint, Cache(file) as cache:
        first = verdicts(Client(settings(endpoint.base_url), cache), "a?", "b?", "14")
        assert [request.headers["x-mmeval-stage"] for request in endpoint.requests].count("score") == 1
        asked = len(endpoint.requests)
        again = verdicts(Client(settings(endpoint.base_url), cache), "a?", "b?", "14")
        assert len(endpoint.requests) == asked == 3
        cache.export(tmp_path / "replies.jsonl")
    replayed = verdicts(Client(settings(), Replay(tmp_path / "replies.jsonl")), "a?", "b?", "14")
    assert json.dumps(again) == json.dumps(first) == json.dumps(replayed)
    assert first[0].score == Score(0.0, 0, "llm-judge", "ok", "15", None)
    assert first[0].judge is not None
    assert (first[0].judge["calls"], first[0].judge["tokens"], first[0].judge["model"]) == (
        2,
        206,
        "loopback",
    )
    assert first[2] == Judged(Score(1.0, 1, "exact-match", "ok", "14", None), None)


def test_a_request_that_no_recording_holds_is_unscored(tmp_path: Path) -> None:
    """As without a judge."""
    (tmp_path / "none.jsonl").write_text("", "utf-8")
    (found,) = verdicts(Client(settings(), Replay(tmp_path / "none.jsonl")), "?")
    assert found == Judged(Score(None, None, None, "unscored", None, "no_judge"), None)


def test_a_re_ask_reaches_the_judge(tmp_path: Path) -> None:
    """It is another request than the one whose useless reply is in the cache."""
    script = Script(completion("15"), completion("10"), completion("1"))
    with Endpoint(script) as endpoint, Cache(tmp_path / "judge.sqlite") as cache:
        (found,) = verdicts(Client(settings(endpoint.base_url), cache), "?")
        assert found.score == Score(1.0, 1, "llm-judge", "ok", "15", None)
        (again,) = verdicts(Client(settings(endpoint.base_url), cache), "?")
        assert len(endpoint.requests) == 3
    assert again == found


FAULTS: dict[str, Reply] = {
    "no money": failure(402, "Payment required"),
    "bad key": failure(401, "Incorrect API key"),
    "too many": failure(429, "slow down", retry_after="0"),
    "broken": failure(500, "oh no"),
    "hang": Hang(),
    "dropped": Dropped(),
    "half a body": Raw(b'{"choices": [{"mess', announced=400),
    "garbage": Raw(b"<html>1</html>"),
    "empty body": Raw(b""),
    "blank": completion(" \n"),
    "null": completion(None),
    "refusal": refusal("I will not judge that"),
    "error inside": error_inside(429, "rate limited"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_judge_that_never_replies_scores_nothing(name: str) -> None:
    """Every sample is unscored with its reason, and there is no accuracy, least of all 0."""
    with Endpoint(Script(FAULTS[name])) as endpoint:
        client = Client(settings(endpoint.base_url, timeout=0.3))
        judge = Judge.of(client)
        found = verdicts(client, "a?", "b?", "c?", judge=judge)
    tally = Tally()
    for score, judge_record in found:
        assert score == Score(None, None, None, "unscored", None, "judge_failed")
        assert judge_record is None
        tally.add(score)
    assert (tally.mean, tally.unscored) == (None, 1.0)
    assert endpoint.base_url in judge.faults["judge_failed"]


def test_an_unreachable_judge_scores_nothing(dead_url: str) -> None:
    """The same, with nobody at the other end."""
    (found,) = verdicts(Client(settings(dead_url)), "?")
    assert found == Judged(Score(None, None, None, "unscored", None, "judge_failed"), None)


def test_a_used_up_budget_leaves_the_rest_unscored() -> None:
    """What is judged by then stays judged."""
    with Endpoint(two_stages) as endpoint:
        client = Client(settings(endpoint.base_url, budget=Budget(calls=4), concurrency=1))
        found = verdicts(client, "a?", "b?", "c?")
    assert [score.reason for score, _ in found] == [None, None, "judge_budget"]
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize(
    ("budget", "most"),
    [
        (Budget(calls=8), 0),
        (Budget(calls=9), 1),
        (Budget(calls=40), 5),
        (Budget(tokens=9000), 4),  # first questions are shorter: some more of them fit in at the end
        (Budget(40, 9000), 1),
    ],
)
def test_a_small_budget_goes_into_whole_samples(budget: Budget, most: int) -> None:
    """Not into the first questions of as many samples as are asked about at a time."""

    def own(request: Request) -> Reply:  # equal questions in flight would be asked once
        asked = str(request.body["messages"][0]["content"])
        extract = request.headers["x-mmeval-stage"] == "extract"
        return billed(f"about {re.findall('[0-9]+', asked)[-1]}" if extract else "0", prompt=100, answer=3)

    with Endpoint(own) as endpoint:
        client = Client(settings(endpoint.base_url, budget=budget))
        found = verdicts(client, *(f"{number}?" for number in range(20, 80)))
    reasons = Counter(score.reason for score, _ in found)
    assert set(reasons) == {None, "judge_budget"}
    stages = Counter(request.headers["x-mmeval-stage"] for request in endpoint.requests)
    assert stages["extract"] - stages["score"] <= most
    assert stages["score"] == reasons[None] >= 4
    assert {name: spent.failures for name, spent in client.spending.items()} == dict.fromkeys(stages, 0)


def test_concurrency_counts_samples_and_their_time_alone() -> None:
    """Samples that wait for their turn lose none of their time; slots are all in use."""
    with Endpoint(lambda request: Slow(two_stages(request), 0.2)) as endpoint:
        client = Client(settings(endpoint.base_url, concurrency=4))
        judge = Judge(client, concurrency=4, seconds=0.9)
        started = time.monotonic()
        found = verdicts(client, *(f"{number}?" for number in range(12)), judge=judge)
        elapsed = time.monotonic() - started
    assert [score.score for score, _ in found] == [0.0] * 12
    assert max(request.in_flight for request in endpoint.requests) == 4
    assert elapsed > judge.seconds


@pytest.mark.parametrize("method", ["general", "mathverse"])
def test_what_cannot_be_judged_is_found_before_a_run(scripted: Any, method: str) -> None:
    """MathVerse has no rubric of its own to be wrong."""
    judge = Judge(scripted())
    broken = Pipeline.declared(["exact-match", "llm-judge"], {"rubric": "scale"})
    if method == "mathverse":
        judge.check(broken, method)
        return
    with pytest.raises(InputError) as caught:
        judge.check(broken, method)
    assert str(caught.value) == "scale is None, expected two numbers, the lower one first, as in [1, 5]"
    judge.check(Pipeline.declared(["exact-match"], {"rubric": "scale"}), method)
