"""The judge's client: the real SDK over loopback HTTP, against an endpoint that misbehaves on demand."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import socket
import sqlite3
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from mmeval_pack.judges.background import submit
from mmeval_pack.judges.cache import Cache
from mmeval_pack.judges.client import Client, JudgeSettings
from mmeval_pack.judges.outcome import Usage
from mmeval_pack.judges.replay import Replay
from mmeval_pack.judges.reply import JudgeFailure, Reply
from mmeval_pack.judges.session import Turn
from mmeval_pack.judges.settings import Budget
from mmeval_pack.translators.demo.endpoint import Endpoint, Json, Request, completion, failure
from mmeval_pack.translators.demo.endpoint import Reply as Sent
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

KEY = "sk-very-secret"
HALF = Raw(b'{"choices": [{"mess', announced=400)


def ask(client: Client, *texts: str, **options: Any) -> list[Reply | JudgeFailure]:
    """The outcomes of questions that are asked at once."""

    async def all_of_them() -> list[Reply | JudgeFailure]:
        arguments = {"stage": "score", "max_tokens": 8, **options}
        questions = (client.complete([{"role": "user", "content": text}], **arguments) for text in texts)
        outcomes = await asyncio.gather(*questions, return_exceptions=True)
        await client.close()
        for outcome in outcomes:
            if not isinstance(outcome, Reply | JudgeFailure):
                raise outcome
        return outcomes  # type: ignore[return-value]

    return asyncio.run(all_of_them())


def settings(*endpoints: Endpoint, **changes: Any) -> JudgeSettings:
    """Settings of an impatient client."""
    urls = tuple(endpoint.base_url for endpoint in endpoints)
    quick = {"timeout": 2.0, "retries": 2, "backoff": 0.01}
    return JudgeSettings("judge-1", **{"base_urls": urls, "api_key": KEY, **quick, **changes})


def failed(outcome: Reply | JudgeFailure) -> str:
    """The reason and the detail of a failure."""
    assert isinstance(outcome, JudgeFailure), outcome
    return f"{outcome.reason}: {outcome.detail}"


def text(outcome: Reply | JudgeFailure) -> str:
    """The text of a reply."""
    assert isinstance(outcome, Reply), outcome
    return outcome.text


@pytest.fixture
def dead_url() -> Iterator[str]:
    """A base URL where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def test_a_question_and_its_reply() -> None:
    """Body and headers go out as documented; text, model and cost come back."""
    with Endpoint(Script(billed("Judgement: 1", prompt=40, answer=3, cached=32))) as endpoint:
        client = Client(settings(endpoint))
        (reply,) = ask(client, "14 = L?")
    assert reply == Reply("Judgement: 1", "loopback", Usage(40, 3, 32), 1)
    (request,) = endpoint.requests
    assert request.body == {
        "model": "judge-1",
        "messages": [{"role": "user", "content": "14 = L?"}],
        "max_tokens": 8,
        "temperature": 0,
    }
    assert request.headers["x-mmeval-stage"] == "score"
    assert not [name for name in request.headers if name.startswith("x-stainless-os")]
    spent = client.spending["score"]
    assert (spent.calls, spent.prompt_tokens, spent.completion_tokens, spent.cached_tokens) == (1, 40, 3, 32)
    assert (spent.failures, spent.remembered) == (0, 0)


@dataclass(frozen=True)
class Bytes:
    """A reply that need not be HTTP."""

    raw: bytes

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes it and hangs up."""
        http.wfile.write(self.raw)
        http.close_connection = True


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
PASSING = {
    "no HTTP": (Bytes(b"HELLO\r\n\r\n"), "no reply (BadStatusLine: "),
    "a long header": (Bytes(OK + b"X: " + b"x" * 100_000 + b"\r\n\r\n"), "no reply (LineTooLong: "),
    "a broken header": (Bytes(OK + b"X: a\0b\r\n\r\n"), "no reply (InvalidHeader: "),
    "a broken cookie": (
        Raw(b"{}", content_type="application/json\r\nSet-Cookie: s\x01=a; Path=/"),
        "",
    ),
    "no date": (
        failure(429, "slow down", retry_after="Mon, 01 Jan 99999999999 00:00:00 GMT"),
        "HTTP 429: slow down",
    ),
    "a broken reason": (
        Bytes(b"HTTP/1.1 200 \xff\r\nContent-Length: 0\r\n\r\n"),
        "no reply (UnicodeEncodeError: ",
    ),
    "429": (failure(429, "slow down"), "HTTP 429: slow down"),
    "408": (failure(408, "late"), "HTTP 408: late"),
    "409": (failure(409, "conflict"), "HTTP 409: conflict"),
    "500": (failure(500, "broken"), "HTTP 500: broken"),
    "503": (failure(503, "busy"), "HTTP 503: busy"),
    "dropped": (Dropped(), "no reply (ServerDisconnectedError: Server disconnected)"),
    "half": (HALF, "no reply (ContentLengthError: "),
    "garbage": (Raw(b"<html>\x00\xff</html>"), "a reply that is no JSON: '<html>\\x00\ufffd</html>'"),
    "text": (Raw(b"<html>", content_type="text/html"), "a reply that is no JSON: '<html>'"),
    "empty body": (Raw(b""), "a reply that is no JSON: ''"),
    "list": (Raw(b"[]"), "a reply that is a JSON list, expected an object"),
    "no choices": (Json({"choices": []}), "a reply without choices[0].message.content"),
    "other shape": (Json({"choices": {"a": 1}}), "a reply without choices[0].message.content"),
    "null": (completion(None), "a reply without text: content is null, finish_reason 'stop'"),
    "blank": (completion(" \n"), "a reply without text: content is blank, finish_reason 'stop'"),
    "refusal": (refusal("I must not"), "a reply without text: content is null, finish_reason 'stop'"),
    "error inside": (error_inside(429, "quota"), "an error inside a reply: quota"),
}


@pytest.mark.parametrize("name", PASSING)
def test_a_passing_fault_is_tried_again(name: str) -> None:
    """After one fault the second try counts; after nothing but faults a failure that names the last."""
    fault, detail = PASSING[name]
    with Endpoint(Script(fault, completion("1"))) as endpoint:
        client = Client(settings(endpoint))
        (reply,) = ask(client, "?")
        assert (text(reply), reply.calls, len(endpoint.requests)) == ("1", 2, 2)  # type: ignore[union-attr]
    with Endpoint(Script(fault)) as endpoint:
        client = Client(settings(endpoint))
        told = failed(*ask(client, "?"))
        assert told.startswith(f"judge_failed: {endpoint.base_url}: {detail}")
        assert told.endswith(" (after 3 requests)")
        assert len(endpoint.requests) == client.spending["score"].calls == 3
        assert client.spending["score"].failures == 1


@pytest.mark.parametrize("scheme", ["ftp", "socks5"])
def test_a_proxy_of_another_kind_is_refused(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not spoken to, for the key would go with the request; NO_PROXY helps."""
    with Endpoint(Script(completion("1"))) as endpoint:
        monkeypatch.setenv("HTTP_PROXY", f"{scheme}://127.0.0.1:1")
        told = failed(*ask(Client(settings(endpoint)), "?"))
        why = f"the environment names a proxy {scheme}://, expected http://"
        assert told == f"judge_failed: {endpoint.base_url}: {why}"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        if scheme == "socks5":  # the HTTP library refuses the other one whether or not it is used
            assert [text(reply) for reply in ask(Client(settings(endpoint)), "?")] == ["1"]


@pytest.mark.parametrize("charset", ["hex", "punycode", "idna", "undefined"])
def test_an_error_in_an_odd_encoding(charset: str) -> None:
    """A head that names no text's encoding is a fault like others."""
    head = {"X": f"a\r\nContent-Type: text/plain; charset={charset}"}
    with Endpoint(Script(Json({"error": {"message": "\u00e9"}}, 400, head))) as endpoint:
        assert failed(*ask(Client(settings(endpoint)), "?")).startswith(
            f"judge_failed: {endpoint.base_url}: "
        )


def test_a_query_is_sent_and_not_shown() -> None:
    """It may hold a key."""
    with Endpoint(Script(failure(500, "not for SEKRETQ"))) as endpoint:
        client = Client(settings(base_urls=(f"{endpoint.base_url}?api-key=SEKRETQ",)))
        told = failed(*ask(client, "?"))
    assert "SEKRETQ" not in told + repr(client)


def test_a_judge_that_hangs_is_left() -> None:
    """A request ends with its timeout, also when the endpoint sends nothing at all."""
    with Endpoint(Script(Hang(), completion("1"))) as endpoint:
        assert text(*ask(Client(settings(endpoint, timeout=0.2)), "?")) == "1"
    with Endpoint(Script(Hang())) as endpoint:
        told = failed(*ask(Client(settings(endpoint, timeout=0.1)), "?"))
    assert told == f"judge_failed: {endpoint.base_url}: no reply within 0.1 s (after 3 requests)"


def refused(url: str) -> str:
    """What the system says of a connection to a port of 127.0.0.1 that nobody listens at."""
    place = ("127.0.0.1", urlsplit(url).port)
    return f"ConnectionRefusedError: [Errno {errno.ECONNREFUSED}] Connect call failed {place}"


def test_an_unreachable_judge_fails(dead_url: str) -> None:
    """A refused connection is tried again and then reported."""
    told = failed(*ask(Client(settings(base_urls=(dead_url,))), "?"))
    assert told == f"judge_failed: {dead_url}: no reply ({refused(dead_url)}) (after 3 requests)"


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_other_refusals_end_at_once(status: int) -> None:
    """What no repetition mends is asked once."""
    with Endpoint(Script(failure(status, "no"))) as endpoint:
        told = failed(*ask(Client(settings(endpoint)), "?"))
    assert told == f"judge_failed: {endpoint.base_url}: HTTP {status}: no"
    assert len(endpoint.requests) == 1


def test_a_wrong_path_ends_at_once() -> None:
    """The endpoint's own words are in the failure."""
    with Endpoint(Script(completion("1"))) as endpoint:
        url = endpoint.base_url.removesuffix("/v1") + "/v2"
        told = failed(*ask(Client(settings(base_urls=(url,))), "?"))
    served = "nothing at /v2/chat/completions, only POST /v1/chat/completions"
    assert told == f"judge_failed: {url}: HTTP 404: {served}"


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_honoured(as_date: bool) -> None:
    """The next try comes no earlier than asked, in seconds or as a date (whole seconds)."""
    after = formatdate(time.time() + 2, usegmt=True) if as_date else "0.6"
    with Endpoint(Script(failure(429, "wait", retry_after=after), completion("1"))) as endpoint:
        assert text(*ask(Client(settings(endpoint)), "?")) == "1"
    first, second = (request.arrived for request in endpoint.requests)
    assert second - first >= 0.6


def test_retry_after_beyond_the_deadline_fails_at_once() -> None:
    """Nobody waits for what cannot come in time."""
    with Endpoint(Script(failure(429, "wait", retry_after="3600"))) as endpoint:
        started = time.monotonic()
        told = failed(*ask(Client(settings(endpoint)), "?", deadline=5.0))
    assert time.monotonic() - started < 4
    assert told == f"judge_failed: {endpoint.base_url}: HTTP 429: wait; no time is left of 5 s"


@pytest.mark.parametrize("after", ["soon", "-5", "nan", "Mon, 99 Foo 2026 00:00:00 GMT", "inf"])
def test_a_strange_retry_after_harms_nothing(after: str) -> None:
    """A value that means nothing is none; for ever is beyond every deadline."""
    with Endpoint(Script(failure(429, "wait", retry_after=after), completion("1"))) as endpoint:
        (outcome,) = ask(Client(settings(endpoint)), "?")
    assert isinstance(outcome, JudgeFailure if after == "inf" else Reply)


def test_the_deadline_bounds_all_tries() -> None:
    """Requests are cut short when the time for all tries ends."""
    with Endpoint(Script(Hang())) as endpoint:
        started = time.monotonic()
        failed(*ask(Client(settings(endpoint, timeout=60.0, retries=50)), "?", deadline=0.3))
    assert time.monotonic() - started < 3


def test_concurrency_is_kept_and_used() -> None:
    """Never more requests in flight than allowed, and as many as that."""
    with Endpoint(Script(Slow(completion("1"), 0.05))) as endpoint:
        outcomes = ask(Client(settings(endpoint, concurrency=4)), *map(str, range(24)))
    assert [text(outcome) for outcome in outcomes] == ["1"] * 24
    assert max(request.in_flight for request in endpoint.requests) == 4


def test_equal_questions_in_flight_are_asked_once() -> None:
    """All who ask get the one reply; another question, prompt or attempt is asked for itself."""
    with Endpoint(Script(Slow(completion("1"), 0.05))) as endpoint:
        client = Client(settings(endpoint))
        assert [text(outcome) for outcome in ask(client, *["same"] * 8, "other")] == ["1"] * 9
        assert len(endpoint.requests) == 2
        ask(client, "same", "same", prompt="v2")
        ask(client, "same", attempt=1)
        assert len(endpoint.requests) == 4


def test_a_waiter_that_gives_up_takes_nothing_from_the_others() -> None:
    """Cancelling one of two equal questions leaves the other one its reply."""

    async def two(client: Client) -> str:
        arguments: dict[str, Any] = {"stage": "score", "max_tokens": 8}
        one, other = (
            asyncio.ensure_future(client.complete([{"role": "user", "content": "?"}], **arguments))
            for _ in "12"
        )
        await asyncio.sleep(0.05)
        one.cancel()
        return (await other).text

    with Endpoint(Script(Slow(completion("1"), 0.2))) as endpoint:
        assert asyncio.run(two(Client(settings(endpoint)))) == "1"


def test_base_urls_are_used_in_turn() -> None:
    """Each of two endpoints gets its share."""
    with Endpoint(Script(completion("1"))) as one, Endpoint(Script(completion("1"))) as two:
        ask(Client(settings(one, two, concurrency=1)), *map(str, range(6)))
    assert (len(one.requests), len(two.requests)) == (3, 3)


def test_a_failing_base_url_is_passed_over(dead_url: str) -> None:
    """After one failure the good endpoint gets all, and its reply needs no long wait."""
    with (
        Endpoint(Script(failure(429, "later", retry_after="30"))) as bad,
        Endpoint(Script(completion("1"))) as good,
    ):
        client = Client(settings(base_urls=(bad.base_url, dead_url, good.base_url), concurrency=1))
        started = time.monotonic()
        outcomes = ask(client, *map(str, range(6)))
    assert [text(outcome) for outcome in outcomes] == ["1"] * 6
    assert (len(bad.requests), len(good.requests)) == (1, 6)
    assert time.monotonic() - started < 5


def test_turns() -> None:
    """In turn, without those that rest; when all rest, the one that is ready first."""
    turn = Turn(3)
    assert [turn.next(0.0) for _ in range(4)] == [0, 1, 2, 0]
    turn.failed(1, 10.0)
    assert [turn.next(5.0) for _ in range(3)] == [2, 0, 2]
    turn.failed(0, 9.0)
    turn.failed(2, 8.0)
    assert turn.next(5.0) == 2
    assert turn.next(9.5) == 0
    turn.worked(1)
    assert turn.next(5.0) == 1


@pytest.mark.parametrize(
    "model", ["gpt-5-mini", "o1", "o3-mini", " O4-mini", "GPT-5", "openai/gpt-5", "azure/openai/o1"]
)
def test_reasoning_models_get_their_own_parameters(model: str) -> None:
    """max_completion_tokens, and no temperature."""
    with Endpoint(Script(completion("1"))) as endpoint:
        client = Client(JudgeSettings(model, (endpoint.base_url,), "x"))
        ask(client, "?")
    assert {*endpoint.requests[0].body} == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4.1", "qwen-o1", "llama-o3", "my/foo1"])
def test_other_models_get_the_usual_parameters(model: str) -> None:
    """max_tokens and temperature 0."""
    with Endpoint(Script(completion("1"))) as endpoint:
        ask(Client(JudgeSettings(model, (endpoint.base_url,), "x")), "?")
    assert {*endpoint.requests[0].body} == {"model", "messages", "max_tokens", "temperature"}


@pytest.mark.parametrize(
    ("model", "refused", "taken"),
    [
        ("new-model", "max_tokens", "max_completion_tokens"),
        ("o1-clone", "max_completion_tokens", "max_tokens"),
    ],
)
def test_a_complaint_about_parameters_switches_them_once(model: str, refused: str, taken: str) -> None:
    """Requests in flight are repeated with the other parameters, later ones use them at once."""

    def picky(request: Request) -> Sent:
        if refused in request.body:
            return failure(400, f"Unsupported parameter: '{refused}' is not supported with this model.")
        return completion("1")

    with Endpoint(picky) as endpoint:
        client = Client(JudgeSettings(model, (endpoint.base_url,), "x", retries=0, concurrency=4))

        async def in_two_parts() -> None:
            arguments: dict[str, Any] = {"stage": "score", "max_tokens": 8}
            for part in ("abcd", "efgh"):
                questions = [[{"role": "user", "content": letter}] for letter in part]
                await asyncio.gather(*(client.complete(question, **arguments) for question in questions))

        asyncio.run(in_two_parts())
    assert sum(taken in request.body for request in endpoint.requests) == 8
    assert sum(refused in request.body for request in endpoint.requests) <= 4


def test_a_second_complaint_about_parameters_is_a_failure() -> None:
    """It does not go to and fro for ever."""
    with Endpoint(Script(failure(400, "temperature is not for you"))) as endpoint:
        told = failed(*ask(Client(settings(endpoint)), "?"))
    assert told == (
        f"judge_failed: {endpoint.base_url}: HTTP 400: temperature is not for you (after 2 requests)"
    )


def test_text_that_utf_8_cannot_carry_is_replaced() -> None:
    """Half a surrogate pair in a question or a reply stops nothing."""
    with Endpoint(Script(Raw(b'{"choices": [{"message": {"content": "1 \\ud800"}}]}'))) as endpoint:
        assert text(*ask(Client(settings(endpoint)), "a\ud800b")) == "1 \ufffd"
    assert endpoint.requests[0].body["messages"][0]["content"] == "a\ufffdb"


def test_a_reply_is_remembered(tmp_path: Path) -> None:
    """A second client makes no call, and gives the same reply with the cost of the first."""
    with Endpoint(Script(failure(500, "no"), billed("1", 40, 3))) as endpoint, Cache(tmp_path / "c") as cache:
        first = ask(Client(settings(endpoint), cache), "?")
        client = Client(settings(base_urls=("http://127.0.0.1:9/v1",)), cache)
        assert ask(client, "?") == first == [Reply("1", "loopback", Usage(40, 3, 0), 2)]
        assert client.spending["score"].remembered == 1
        assert client.spending["score"].calls == 0
    assert len(endpoint.requests) == 2


def test_failures_and_blank_replies_are_not_remembered(tmp_path: Path) -> None:
    """What failed is asked again by the next run."""
    with Cache(tmp_path / "c") as cache:
        for fault in (completion(""), completion(None), failure(402, "pay"), error_inside(429, "quota")):
            with Endpoint(Script(fault)) as endpoint:
                failed(*ask(Client(settings(endpoint, retries=0), cache), "?"))
                assert len(endpoint.requests) == 1
        assert cache.export(tmp_path / "out.jsonl") == 0


def test_recorded_replies_need_no_endpoint(tmp_path: Path) -> None:
    """A replay answers what it holds; all else has no judge."""
    file = tmp_path / "replies.jsonl"
    with Endpoint(Script(completion("1"))) as endpoint, Cache(tmp_path / "c") as cache:
        recorded = ask(Client(settings(endpoint), cache), "known", prompt="v1")
        cache.export(file)
    client = Client(JudgeSettings("judge-1"), Replay(file))
    assert ask(client, "known", prompt="v1") == recorded
    assert failed(*ask(client, "new")) == "no_judge: this request is not among the recorded replies"


def test_the_budget_of_calls_is_not_exceeded() -> None:
    """Also with many questions at once, and with tries that fail."""
    with Endpoint(Script(failure(500, "no"), Slow(completion("1"), 0.02))) as endpoint:
        client = Client(settings(endpoint, budget=Budget(calls=10)))
        outcomes = ask(client, *map(str, range(30)))
    assert len(endpoint.requests) == 10
    assert sum(isinstance(outcome, Reply) for outcome in outcomes) == 9
    told = {failed(outcome) for outcome in outcomes if isinstance(outcome, JudgeFailure)}
    assert told == {"judge_budget: the judge's budget is used up"}


def test_the_budget_of_tokens_is_not_exceeded_and_used() -> None:
    """Requests wait for what others give back, and stop before the next could go beyond."""
    with Endpoint(Script(Slow(billed("1", prompt=100, answer=4), 0.02))) as endpoint:
        client = Client(settings(endpoint, budget=Budget(tokens=2000)))
        ask(client, *("x" * 200 + str(number) for number in range(40)))
    spent = client.spending["score"]
    assert 1600 <= spent.prompt_tokens + spent.completion_tokens <= 2000
    assert spent.failures == 0  # the judge has no part in what the budget refuses


def test_unknown_costs_count_as_the_most_that_they_can_be() -> None:
    """A reply without a count of tokens takes all that was set aside for it."""
    silent = Json({"choices": [{"message": {"content": "1"}}]})
    with Endpoint(Script(silent)) as endpoint:
        ask(Client(settings(endpoint, budget=Budget(tokens=1000))), *("x" * 400 + str(n) for n in range(9)))
    assert len(endpoint.requests) == 2


@pytest.mark.parametrize("field", ["calls", "prompt_tokens", "completion_tokens", "cached_tokens"])
def test_a_remembered_cost_that_cannot_be_is_0(tmp_path: Path, field: str) -> None:
    """A reply whose record holds one is of use all the same, from a cache and from its export."""
    with Endpoint(Script(billed("1", prompt=9, answer=9, cached=9))) as endpoint:
        with Cache(tmp_path / "c") as cache:
            ask(Client(settings(endpoint), cache), "?")
        with sqlite3.connect(tmp_path / "c") as connection:
            huge = ("$." + field, "9" * 4300)
            connection.execute("UPDATE replies SET value = json_replace(value, ?, json(?))", huge)
        with Cache(tmp_path / "c") as cache:
            (reply,) = ask(Client(settings(endpoint), cache), "?")
            cache.export(tmp_path / "out.jsonl")
        replay = Replay(tmp_path / "out.jsonl")
        assert ask(Client(settings(), replay), "?") == [reply]
    assert len(endpoint.requests) == 1
    assert isinstance(reply, Reply)
    assert sorted([reply.calls, *reply.usage]) == ([0, 1, 9, 9] if field != "calls" else [0, 9, 9, 9])


def test_remembered_replies_cost_no_budget(tmp_path: Path) -> None:
    """The cache is asked first."""
    with Endpoint(Script(completion("1"))) as endpoint, Cache(tmp_path / "c") as cache:
        ask(Client(settings(endpoint), cache), "?")
        assert text(*ask(Client(settings(endpoint, budget=Budget(calls=0)), cache), "?")) == "1"


@pytest.mark.parametrize(
    "reply", [completion("1"), completion(""), completion(None), failure(429, "slow down", retry_after="60")]
)
def test_the_probe_is_content_with_a_living_judge(reply: Sent) -> None:
    """An answer, none at all or a call for patience all show that the judge is there."""
    with Endpoint(Script(reply)) as endpoint:
        asyncio.run(Client(settings(endpoint)).probe())
    assert len(endpoint.requests) == 1


def test_the_probe_names_what_is_wrong(dead_url: str) -> None:
    """Unreachable, refused, unknown model: one error with the remedy, after at most two requests each."""
    with (
        Endpoint(Script(failure(401, f"Incorrect API key provided: {KEY}"))) as locked,
        Endpoint(Script(failure(404, "The model `judge-1` does not exist"))) as empty,
    ):
        urls = (dead_url, locked.base_url, empty.base_url)
        with pytest.raises(JudgeFailure) as error:
            asyncio.run(Client(settings(base_urls=urls)).probe())
    assert str(error.value) == (
        "the judge 'judge-1' cannot be asked: "
        f"{urls[0]}: no reply ({refused(dead_url)}); "
        f"{urls[1]}: HTTP 401: Incorrect API key provided: ***; "
        f"{urls[2]}: HTTP 404: The model `judge-1` does not exist; "
        "check MMEVAL_JUDGE_BASE_URL, MMEVAL_JUDGE_API_KEY and MMEVAL_JUDGE_MODEL"
    )
    assert error.value.exit_code == 3
    assert len(locked.requests) == len(empty.requests) == 1


def test_the_probe_is_content_with_one_of_several(dead_url: str) -> None:
    """A fleet works while one of its members does."""
    with Endpoint(Script(completion("1"))) as endpoint:
        asyncio.run(Client(settings(base_urls=(dead_url, endpoint.base_url))).probe())


def test_a_client_serves_one_loop_after_the_other() -> None:
    """Loops of their own and the background loop; nothing of one reaches the next."""
    with Endpoint(Script(completion("1"))) as endpoint:
        client = Client(settings(endpoint))
        assert text(*ask(client, "a")) == "1"
        assert text(*ask(client, "b")) == "1"
        question = client.complete([{"role": "user", "content": "c"}], stage="match", max_tokens=8)
        assert submit(question).result(5).text == "1"
        submit(client.close()).result(5)


def test_no_secret_is_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Key, header and credentials of a URL: in no message, traceback, repr, log, cache or request log."""
    caplog.set_level(logging.DEBUG)
    secrets = [
        KEY,
        "pass%40word",
        "pass@word",
        "dXNlcjpwYXNzQHdvcmQ=",
    ]  # the last one: base64 of user:pass@word
    echo = failure(403, f"Bearer {KEY} and Basic {secrets[-1]} user:pass@word are not welcome")
    seen: list[str] = []
    with Cache(tmp_path / "c") as cache, Endpoint(Script(echo, completion("1"))) as endpoint:
        url = endpoint.base_url.replace("http://", "http://user:pass%40word@")
        for base_url in (url, endpoint.base_url, url.replace("127.0.0.1", "nobody.invalid")):
            client = Client(settings(base_urls=(base_url,), retries=0), cache)
            seen += [repr(client), repr(client.settings), str(client.settings)]
            for outcome in ask(client, base_url.rpartition("@")[2]):
                seen.append(repr(outcome))
                if isinstance(outcome, JudgeFailure):
                    seen += traceback.format_exception(outcome)
                    assert outcome.__context__ is None
        cache.export(tmp_path / "out.jsonl")
        seen += [repr(endpoint.requests), caplog.text]
    seen += [file.read_bytes().decode(errors="replace") for file in tmp_path.iterdir()]
    gc.collect()
    assert not [(secret, told) for secret in secrets for told in seen if secret in told]
    assert "HTTP 403: Bearer *** and Basic *** user:*** are not welcome" in "".join(seen)
