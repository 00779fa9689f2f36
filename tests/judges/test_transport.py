"""One request and what comes of it: a real transport over loopback HTTP."""

from __future__ import annotations

import asyncio
import errno
import gzip
import html
import json
import os
import tracemalloc
import zlib
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from mmeval_pack.judges.body import LARGEST
from mmeval_pack.judges.outcome import Answer, Fault, Usage
from mmeval_pack.judges.transport import Transport
from mmeval_pack.translators.demo.endpoint import Endpoint, Json, Reply, completion, failure
from mmeval_pack.translators.demo.faults import Script

KEY = "sk-very-secret"
BODY: dict[str, Any] = {"model": "judge-1", "messages": [{"role": "user", "content": "?"}]}


def outcomes(url: str, count: int = 1, key: str = KEY) -> list[Answer | Fault]:
    """What comes of requests, one after the other."""

    async def sent() -> list[Answer | Fault]:
        transport = Transport([url], key, timeout=5.0)
        try:
            return [await transport.post(0, BODY, "score", 5.0) for _ in range(count)]
        finally:
            await transport.close()

    return asyncio.run(sent())


def detail(reply: Reply) -> str:
    """What a fault says, without the base URL in front."""
    with Endpoint(Script(reply)) as endpoint:
        (fault,) = outcomes(endpoint.base_url)
        assert isinstance(fault, Fault)
        return fault.detail.removeprefix(f"{endpoint.base_url}: ")


def redirect(status: int, location: str) -> Json:
    """A redirect."""
    return Json({}, status, {"Location": location})


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int) -> None:
    """Nothing is sent to another host, be it the request or a GET; the fault names the other base URL."""
    with Endpoint(Script(completion("1"))) as other:
        target = f"{other.base_url}/chat/completions"
        with Endpoint(Script(redirect(status, f"{target}?key=SECRETQ#SECRETQ"))) as endpoint:
            (outcome,) = outcomes(endpoint.base_url)
    told = f"HTTP {status}: redirects to {target}; give {other.base_url} as the base URL"
    assert outcome == Fault(f"{endpoint.base_url}: {told}", transient=False, usage=Usage())
    assert (len(endpoint.requests), len(other.requests)) == (1, 0)


@pytest.mark.parametrize(
    ("location", "told"),
    [
        ("/v2/chat/completions", "redirects to {host}/v2/chat/completions; give {host}/v2 as the base URL"),
        (
            "https://u:SECRETQ@h/v1/chat/completions",
            "redirects to https://h/v1/chat/completions; give https://h/v1 as the base URL",
        ),
        ("https://h/login?next=SECRETQ", "redirects to https://h/login"),
        ("http://[::1", "redirects to what is no URL"),
        ("http://h/" + "x" * 5000, "redirects to http://h/" + "x" * 278 + "..."),
        ("", "{}"),
    ],
)
def test_a_redirect_says_where_to(location: str, told: str) -> None:
    """As a base URL where it looks like one, without secrets; an empty one says nothing."""
    with Endpoint(Script(redirect(307, location))) as endpoint:
        (fault,) = outcomes(endpoint.base_url)
    assert isinstance(fault, Fault)
    host = endpoint.base_url.removesuffix("/v1")
    assert fault.detail == f"{endpoint.base_url}: HTTP 307: {told.replace('{host}', host)}"


@pytest.mark.parametrize("status", [300, 305, 399])
def test_other_statuses_that_are_no_success(status: int) -> None:
    """They are faults too."""
    assert detail(Json({"error": "no"}, status)).startswith(f"HTTP {status}: ")


GOOD = json.dumps(completion("1").payload).encode()
HEADLESS = zlib.compressobj(wbits=-zlib.MAX_WBITS)  # deflate without a head, as some send it
PACKED = {
    "gzip": gzip.compress(GOOD),
    "X-GZIP": gzip.compress(GOOD),
    "deflate": zlib.compress(GOOD),
    " Deflate ": HEADLESS.compress(GOOD) + HEADLESS.flush(),
    "identity": GOOD,
    "": GOOD,
}


@dataclass(frozen=True)
class Encoded:
    """Any bytes in an encoding."""

    body: bytes
    encoding: str
    status: int = 200

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes head and body."""
        http.send_response(self.status)
        http.send_header("Content-Encoding", self.encoding)
        http.send_header("Content-Length", str(len(self.body)))
        http.end_headers()
        http.wfile.write(self.body)


@dataclass(frozen=True)
class Endless:
    """A body without an end, of which the head says no length."""

    status: int = 200
    sent: list[int] = field(default_factory=list)

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes until nobody reads."""
        http.close_connection = True
        http.send_response(self.status)
        http.send_header("Transfer-Encoding", "chunked")
        http.end_headers()
        for _ in range(10_000):
            http.wfile.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")
            self.sent.append(65_536)


@pytest.mark.parametrize("encoding", PACKED)
def test_a_packed_reply_is_unpacked(encoding: str) -> None:
    """In the encodings that a request asks for, and their other names."""
    with Endpoint(Script(Encoded(PACKED[encoding], encoding))) as endpoint:
        (outcome,) = outcomes(endpoint.base_url)
    assert outcome == Answer("1", "loopback", Usage())
    assert endpoint.requests[0].headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "gzip"])
def test_what_cannot_be_unpacked_is_a_passing_fault(encoding: str) -> None:
    """Garbage, and what nobody asked for."""
    with Endpoint(Script(Encoded(GOOD, encoding))) as endpoint:
        told = f"{endpoint.base_url}: a reply that cannot be unpacked"
        assert outcomes(endpoint.base_url) == [Fault(told, transient=True)]


def test_a_packed_error_is_unpacked() -> None:
    """It is shown like others."""
    packed = gzip.compress(b'{"error": {"message": "no such model"}}')
    assert detail(Encoded(packed, "gzip", 404)) == "HTTP 404: no such model"
    assert detail(Encoded(packed, "br", 404)) == "HTTP 404: a reply that cannot be unpacked"


def test_a_cut_packed_reply_is_a_fault() -> None:
    """What came of it is no JSON."""
    told = detail(Encoded(PACKED["gzip"][:40], "gzip"))
    assert told.startswith("a reply that is no JSON: ")


@pytest.mark.parametrize("size", [LARGEST, LARGEST + 1])
@pytest.mark.parametrize("encoding", ["identity", "gzip", "deflate"])
def test_the_largest_reply(size: int, encoding: str) -> None:
    """One of that size is read, one with a byte more is not."""
    plain = GOOD + b" " * (size - len(GOOD))
    body = {"identity": plain, "gzip": gzip.compress(plain), "deflate": zlib.compress(plain)}[encoding]
    with Endpoint(Script(Encoded(body, encoding))) as endpoint:
        (outcome,) = outcomes(endpoint.base_url)
        large = Fault(f"{endpoint.base_url}: a reply of more than 4 MiB", transient=True)
    assert outcome == (Answer("1", "loopback", Usage()) if size == LARGEST else large)


@pytest.mark.parametrize(
    ("status", "told", "transient"),
    [
        (200, "a reply of more than 4 MiB", True),
        (401, "HTTP 401: a reply of more than 4 MiB", False),
        (500, "HTTP 500: a reply of more than 4 MiB", True),
    ],
)
def test_an_endless_reply_is_left(status: int, told: str, transient: bool) -> None:
    """What is sent is hardly more than what is read; the next request is answered."""
    endless = Endless(status)
    with Endpoint(Script(endless, completion("1"))) as endpoint:
        fault, answer = outcomes(endpoint.base_url, 2)
        assert isinstance(fault, Fault)
        assert (fault.detail, fault.transient) == (f"{endpoint.base_url}: {told}", transient)
    assert isinstance(answer, Answer)
    assert sum(endless.sent) < 16 * LARGEST  # the system's own buffers take some


@pytest.mark.parametrize("status", [200, 400])
def test_a_reply_that_grows_in_unpacking_takes_little_memory(status: int) -> None:
    """Of 300 MB no more than the largest reply is unpacked."""
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS + 16)
    bomb = b"".join(packer.compress(b" " * 1_000_000) for _ in range(300)) + packer.flush()
    with Endpoint(Script(completion("1"), Encoded(bomb, "gzip", status))) as endpoint:
        outcomes(endpoint.base_url)  # loads the SDK
        tracemalloc.start()
        (fault,) = outcomes(endpoint.base_url)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert fault.detail.endswith("a reply of more than 4 MiB")  # type: ignore[union-attr]
    assert peak < 8 * LARGEST


def chat(content: str | None, model: str = "loopback", finish_reason: Any = "stop") -> Json:
    """A chat completion."""
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": finish_reason}
    return Json({"model": model, "choices": [choice]})


def echoes(key: str) -> dict[str, Reply]:
    """Replies that are faults and repeat a key."""
    nested = json.dumps({"error": {"message": f"{key} is unknown"}})
    return {
        "message": Json({"error": {"message": f"no {key}"}}, 401),
        "message that is an object": Json({"error": {"message": {"told": f'no "{key}"'}}}, 401),
        "error that is an object": Json({"error": {"code": f"'no' {key}"}}, 401),
        "JSON in a message": Json({"error": {"message": f"upstream said {nested}"}}, 401),
        "JSON in plain text": Encoded(f"upstream said {nested}".encode(), "", 502),
        "half JSON": Encoded(nested[:-3].encode(), "", 502),
        "slashes in half JSON": Encoded(nested[:-3].replace("/", "\\/").encode(), "", 502),
        "HTML": Encoded(f"<p>{html.escape(key)}</p>".encode(), "", 502),
        "plain text": Encoded(key.encode(), ""),
        "error inside": Json({"error": f"no {key}"}),
        "at the border": Encoded(f"{'x' * 290} {key}".encode(), "", 500),
        "reason": chat(None, finish_reason=f"no {key}"),
        "reason that is an object": chat(None, finish_reason={"told": f"no {key}"}),
        "redirect": redirect(302, f"http://h/{quote(key)}/x"),
    }


@pytest.mark.parametrize("kind", echoes("k"))
@pytest.mark.parametrize(
    "key", [KEY, "sk  two  blanks", "sk\\back\\slash", 'sk-"quote"', "sk-'quote'", "sk/sl+ash==", "sk&<amp>"]
)
def test_no_fault_shows_the_key(kind: str, key: str) -> None:
    """Neither whole nor in part, as it is or as it is written in JSON, HTML or a URL."""
    with Endpoint(Script(echoes(key)[kind])) as endpoint:
        (fault,) = outcomes(endpoint.base_url, key=key)
    assert isinstance(fault, Fault)
    assert "***" in fault.detail
    assert "sk" not in fault.detail


@pytest.mark.parametrize(
    ("credentials", "query"),
    [("user:sk%2Fpass@", ""), ("sk-name@", ""), ("", "?x=sk%2Fquery"), ("", "?sk-query")],
)
def test_no_fault_shows_what_a_url_holds(credentials: str, query: str) -> None:
    """Password, a name without one, a query with or without a name; as they stand there and as meant."""
    secret = f"{credentials.rpartition(':')[2].removesuffix('@')}{query.removeprefix('?').removeprefix('x=')}"
    with Endpoint(Script(failure(500, f"{secret} {unquote(secret)}"))) as endpoint:
        url = endpoint.base_url.replace("://", f"://{credentials}") + query
        (fault,) = outcomes(url)
    assert isinstance(fault, Fault)
    assert fault.detail == f"{endpoint.base_url}: HTTP 500: *** ***"


@pytest.mark.parametrize(
    ("url", "key", "secret"),
    [
        ("", KEY, KEY),
        ("", "any text", "any text"),
        ("u:password@", "", "password"),
        ("?api-key=s/cret", "", "s/cret"),
    ],
)
def test_no_answer_holds_a_secret(url: str, key: str, secret: str) -> None:
    """They go into the cache and into lines."""
    with Endpoint(Script(chat(f"1, by {secret}", f"m-{secret}"))) as endpoint:
        named = (
            endpoint.base_url + url if url.startswith("?") else endpoint.base_url.replace("//", f"//{url}")
        )
        assert outcomes(named, key=key) == [Answer("1, by ***", "m-***", None)]


@pytest.mark.parametrize(
    ("query", "key", "said"),
    [
        ("", "EMPTY", "EMPTY"),
        ("", "none", "none"),
        ("", "ollama", "ollama/llama3"),
        ("?api-version=2024-05-13", KEY, "m-2024-05-13"),
    ],
)
def test_what_is_hardly_a_secret_stays_in_an_answer(query: str, key: str, said: str) -> None:
    """Words that stand in for a key, and versions: a verdict may hold them for itself."""
    with Endpoint(Script(chat(said, said))) as endpoint:
        assert outcomes(endpoint.base_url + query, key=key) == [Answer(said, said, None)]


@pytest.mark.parametrize(
    "reason", ["x" * 100_000, ["x" * 100_000], {"x" * 100_000: 1}], ids=["str", "list", "dict"]
)
def test_a_long_reason_is_shortened(reason: Any) -> None:
    """As an endpoint's other words are."""
    assert len(detail(chat(None, finish_reason=reason))) < 400


def test_half_a_surrogate_pair_is_replaced() -> None:
    """In all that is kept or shown: UTF-8 cannot hold it."""
    half = chat("1 \ud800", "m\ud800")
    with Endpoint(Script(half, failure(500, "no \udc00"))) as endpoint:
        answer, fault = outcomes(endpoint.base_url, 2)
    assert answer == Answer("1 \ufffd", "m\ufffd", None)
    assert isinstance(fault, Fault)
    assert fault.detail == f"{endpoint.base_url}: HTTP 500: no \ufffd"


def test_certificates_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault that names what is wrong, for good; without TLS nobody reads them."""
    garbage = tmp_path / "no.pem"
    garbage.write_text("no certificate")
    named = "https://localhost:1/v1: the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"
    for file, why in (
        (tmp_path / "missing.pem", os.strerror(errno.ENOENT)),
        (tmp_path, ""),
        (garbage, ""),
    ):
        monkeypatch.setenv("SSL_CERT_FILE", str(file))
        (fault,) = outcomes("https://localhost:1/v1")
        assert isinstance(fault, Fault)
        assert fault.detail.startswith(f"{named} ({why}")
        assert not fault.transient
        with Endpoint(Script(completion("1"))) as endpoint:
            assert outcomes(endpoint.base_url) == [Answer("1", "loopback", Usage())]
