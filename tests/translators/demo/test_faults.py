"""Replies that misbehave, over real sockets."""

import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mmeval_pack.translators.demo.endpoint import PATH, Endpoint, completion
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


def post(endpoint: Endpoint, timeout: float = 5) -> tuple[int, bytes]:
    """Status and body of one POST on a connection of its own."""
    host = endpoint.base_url.removeprefix("http://").removesuffix("/v1")
    connection = http.client.HTTPConnection(host, timeout=timeout)
    try:
        connection.request("POST", PATH, b"{}")
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_a_script_gives_its_replies_in_turn_and_the_last_one_for_ever() -> None:
    """Three replies, four requests."""
    with Endpoint(Script(completion("a"), completion("b"), completion("c"))) as endpoint:
        bodies = [json.loads(post(endpoint)[1]) for _ in range(4)]
    assert [body["choices"][0]["message"]["content"] for body in bodies] == ["a", "b", "c", "c"]


def test_a_slow_reply_takes_its_time() -> None:
    """It comes, but not before."""
    with Endpoint(Script(Slow(completion("a"), 0.2))) as endpoint:
        started = time.monotonic()
        assert post(endpoint)[0] == 200
        assert time.monotonic() - started >= 0.2


def test_a_hang_ends_with_the_client_or_with_the_endpoint() -> None:
    """The client's time-out ends it; a client that waits holds up no stop."""
    before = threading.active_count()
    with Endpoint(Script(Hang())) as endpoint:
        with pytest.raises(TimeoutError):
            post(endpoint, timeout=0.2)
        waiting = ThreadPoolExecutor(1).submit(post, endpoint)
        while len(endpoint.requests) < 2:
            time.sleep(0.01)
        started = time.monotonic()
    assert time.monotonic() - started < 2
    with pytest.raises(http.client.RemoteDisconnected):
        waiting.result(5)
    assert threading.active_count() <= before + 1  # the pool's


def test_a_connection_drops() -> None:
    """Nothing comes back."""
    with Endpoint(Script(Dropped())) as endpoint, pytest.raises(http.client.RemoteDisconnected):
        post(endpoint)


def test_half_a_body() -> None:
    """The head promises more than there is."""
    half = Raw(b'{"cho', announced=100)
    with Endpoint(Script(half)) as endpoint, pytest.raises(http.client.IncompleteRead) as error:
        post(endpoint)
    assert error.value.partial == b'{"cho'


def test_garbage_and_nothing() -> None:
    """Any bytes, and none."""
    with Endpoint(Script(Raw(b"\x00\xff"), Raw(b""))) as endpoint:
        assert post(endpoint) == (200, b"\x00\xff")
        assert post(endpoint) == (200, b"")


def test_errors_refusals_and_costs_inside_a_success() -> None:
    """They have the shapes of the API."""
    with Endpoint(Script(error_inside(429, "quota"), refusal("no"), billed("1", 40, 3, 32))) as endpoint:
        error, refused, cost = (json.loads(post(endpoint)[1]) for _ in range(3))
    assert error == {"error": {"code": 429, "message": "quota"}}
    assert refused["choices"][0]["message"] == {"role": "assistant", "content": None, "refusal": "no"}
    assert cost["usage"] == {
        "prompt_tokens": 40,
        "completion_tokens": 3,
        "total_tokens": 43,
        "prompt_tokens_details": {"cached_tokens": 32},
    }


def test_the_log_tells_when_requests_came_and_how_many_at_once(tmp_path: Path) -> None:
    """In memory and in the file."""
    log = tmp_path / "requests.jsonl"
    started = time.monotonic()
    with Endpoint(Script(Slow(completion("a"), 0.3)), log=log) as endpoint:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(lambda _: post(endpoint), range(4)))
        post(endpoint)
    lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [line["in_flight"] for line in lines] == [1, 2, 3, 4, 1]
    assert [line["arrived"] for line in lines] == [request.arrived for request in endpoint.requests]
    assert started < lines[0]["arrived"] <= lines[3]["arrived"] <= lines[4]["arrived"] - 0.3
