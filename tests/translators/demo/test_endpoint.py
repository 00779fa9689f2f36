"""The loopback endpoint, over real sockets."""

import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import openai
import pytest

from mmeval_pack.translators.demo.endpoint import PATH, Endpoint, Json, Request, completion, failure

ASK = {"model": "m", "messages": [{"role": "user", "content": "Which one?"}]}


def echo(request: Request) -> Json:
    """Answers with the text of the question."""
    return completion(request.body["messages"][0]["content"])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    """A running endpoint that answers with the question."""
    with Endpoint(echo) as running:
        yield running


def connect(endpoint: Endpoint) -> http.client.HTTPConnection:
    """A bare connection to the endpoint."""
    host = endpoint.base_url.removeprefix("http://").removesuffix("/v1")
    return http.client.HTTPConnection(host, timeout=5)


def post(connection: http.client.HTTPConnection, body: str, path: str = PATH) -> tuple[int, Any]:
    """Status and JSON of one POST."""
    connection.request("POST", path, body.encode())
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def test_the_openai_client_gets_the_handlers_completion(endpoint: Endpoint) -> None:
    """The real client understands the answer, and the log holds the body that it sent."""
    client = openai.OpenAI(base_url=endpoint.base_url, api_key="sk-secret", max_retries=0)
    answer = client.chat.completions.create(**ASK)
    assert answer.choices[0].message.content == "Which one?"
    assert answer.choices[0].finish_reason == "stop"
    assert [request.body for request in endpoint.requests] == [ASK]


def test_no_secret_is_kept(tmp_path: Path) -> None:
    """The key stands neither in the log in memory nor in the file; other headers do."""
    log = tmp_path / "requests.jsonl"
    with Endpoint(echo, log=log) as endpoint:
        client = openai.OpenAI(base_url=endpoint.base_url, api_key="sk-secret", max_retries=0)
        client.chat.completions.create(
            **ASK, extra_headers={"X-MMEval-Stage": "score", "Api-Key": "sk-secret"}
        )
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert "sk-secret" not in line + repr(endpoint.requests)
    assert json.loads(line)["body"] == ASK
    assert json.loads(line)["headers"]["x-mmeval-stage"] == "score"


def test_content_may_be_empty_or_null() -> None:
    """Both reach the client as they are."""
    for content in ("", None):
        with Endpoint(lambda _, content=content: completion(content)) as endpoint:
            client = openai.OpenAI(base_url=endpoint.base_url, api_key="x", max_retries=0)
            assert client.chat.completions.create(**ASK).choices[0].message.content == content


def test_a_failure_carries_its_status_message_and_headers() -> None:
    """The client raises the error of the status; ``x-should-retry: false`` keeps it from asking again."""
    refusal = failure(500, "no such row", x_should_retry="false")
    with Endpoint(lambda _: refusal) as endpoint:
        client = openai.OpenAI(base_url=endpoint.base_url, api_key="x", max_retries=3)
        with pytest.raises(openai.InternalServerError, match="no such row"):
            client.chat.completions.create(**ASK)
    assert len(endpoint.requests) == 1


def test_wrong_paths_and_methods_are_404(endpoint: Endpoint) -> None:
    """Only POST /v1/chat/completions is served, and the message says so; the handler sees nothing."""
    connection = connect(endpoint)
    message = f"nothing at /v1/completions, only POST {PATH}"
    expected = {"error": {"message": message, "type": "loopback_error", "code": None}}
    assert post(connection, json.dumps(ASK), "/v1/completions") == (404, expected)
    connection.request("GET", PATH)
    assert connection.getresponse().status == 404
    assert endpoint.requests == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            '{"a":',
            "the body is no JSON: Expecting value: line 1 column 6 (char 5)",
        ),
        ("", "the body is no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "the body is a JSON list, expected an object"),
    ],
)
def test_a_body_that_is_no_json_object_is_400(endpoint: Endpoint, body: str, message: str) -> None:
    """The message says what is wrong; the connection stays usable."""
    connection = connect(endpoint)
    status, answer = post(connection, body)
    assert (status, answer["error"]["message"]) == (400, message)
    assert post(connection, json.dumps(ASK))[0] == 200


def test_a_connection_is_kept_and_answers_come_without_delay(endpoint: Endpoint) -> None:
    """Fifty calls over one socket; an answer in two segments would cost 40 ms each, two seconds in all."""
    connection = connect(endpoint)
    post(connection, json.dumps(ASK))
    first = connection.sock
    started = time.monotonic()
    for _ in range(50):
        assert post(connection, json.dumps(ASK))[0] == 200
    assert time.monotonic() - started < 1
    assert connection.sock is first


def test_requests_are_served_at_the_same_time() -> None:
    """Eight requests meet at a barrier that opens only when all of them are in the handler."""
    barrier = threading.Barrier(8, timeout=5)

    def meet(request: Request) -> Json:
        barrier.wait()
        return echo(request)

    with Endpoint(meet) as endpoint, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(connect(endpoint), json.dumps(ASK))[0], range(8)))
    assert answers == [200] * 8
    assert len(endpoint.requests) == 8


def test_a_stop_waits_for_no_idle_client_and_frees_the_port() -> None:
    """A client that keeps its connection holds nothing up; then nobody listens and no thread is left."""
    before = threading.active_count()
    with Endpoint(echo) as endpoint:
        connection = connect(endpoint)
        post(connection, json.dumps(ASK))
        started = time.monotonic()
    assert time.monotonic() - started < 2
    assert threading.active_count() == before
    connection.close()
    with pytest.raises(ConnectionRefusedError):
        post(connect(endpoint), json.dumps(ASK))
