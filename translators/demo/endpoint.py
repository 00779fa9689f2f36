"""The project's only loopback endpoint: OpenAI-compatible, on a real socket, for demo, tests and bench.

What it answers is a handler's business: a function from a :class:`Request` to a :class:`Reply`. A reply
writes itself to the connection, so a new kind (slow, cut short, garbage) is one more class with ``send``.

    with Endpoint(lambda request: completion("B")) as endpoint:
        OpenAI(base_url=endpoint.base_url, api_key="any")
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

PATH = "/v1/chat/completions"
SECRET_WORDS = ("auth", "key", "token", "cookie", "secret")


@dataclass(frozen=True, slots=True)
class Request:
    """One request that was understood.

    Attributes:
        headers: by lower-case name, without those that may hold a secret.
        body: the JSON object that was sent.
        arrived: when it had been read, in seconds of the machine's monotonic clock.
        in_flight: how many requests were being answered then, this one included.
    """

    headers: Mapping[str, str]
    body: Mapping[str, Any]
    arrived: float = 0.0
    in_flight: int = 1


class Reply(Protocol):
    """Anything that can write itself as the answer to the request that ``http`` has just read."""

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes status, headers and body, or deliberately less."""


@dataclass(frozen=True, slots=True)
class Json:
    """A complete JSON answer."""

    payload: Mapping[str, Any]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes the answer in one go."""
        body = json.dumps(self.payload).encode()
        http.send_response(self.status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(body)),
            **self.headers,
        }.items():
            http.send_header(name, value)
        http.end_headers()
        http.wfile.write(body)


Handler = Callable[[Request], Reply]


def completion(content: str | None, model: str = "loopback") -> Json:
    """A chat completion with one choice."""
    message = {"role": "assistant", "content": content}
    return Json(
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
        }
    )


def failure(status: int, message: str, **headers: str) -> Json:
    """An error in the shape of the OpenAI API; in the names of headers ``_`` stands for ``-``."""
    error = {"message": message, "type": "loopback_error", "code": None}
    return Json({"error": error}, status, {name.replace("_", "-"): value for name, value in headers.items()})


class Endpoint:
    """A running endpoint; a context manager that starts it in a thread and stops it with all its connections.

    Attributes:
        requests: every request that reached the handler, in the order of arrival.
    """

    def __init__(self, handler: Handler, log: Path | None = None) -> None:
        """Binds a free port of 127.0.0.1.

        Args:
            handler: called for every well-formed request, from several threads at once.
            log: a JSONL file to which every request is appended.
        """
        self.requests: list[Request] = []
        self._handler = handler
        self._log = log
        self._lock = threading.Lock()
        self._in_flight = 0
        self._server = _Server(self._answer)
        # A short poll only shortens the stop; requests are served at once.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """The URL that OpenAI clients call ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.disconnect()
        self._server.server_close()

    @contextmanager
    def _answer(self, request: Request) -> Iterator[Reply]:
        """The handler's reply; the request is in flight until the block ends."""
        with self._lock:
            self._in_flight += 1
            request = replace(request, arrived=time.monotonic(), in_flight=self._in_flight)
            self.requests.append(request)
            if self._log:
                with self._log.open("a", encoding="utf-8") as log:
                    log.write(json.dumps(asdict(request), ensure_ascii=False) + "\n")
        try:
            yield self._handler(request)
        finally:
            with self._lock:
                self._in_flight -= 1


class _Server(ThreadingHTTPServer):
    """Knows its open connections, so that a stop waits for no client that keeps one alive."""

    daemon_threads = False  # server_close then joins every thread
    request_queue_size = 512  # clients that connect at once

    def __init__(self, answer: Callable[[Request], AbstractContextManager[Reply]]) -> None:
        self.answer = answer
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Http)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)  # before its thread starts, so that a stop misses none
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may hang up
            super().handle_error(request, client_address)

    def disconnect(self) -> None:
        for connection in tuple(self.connections):
            with suppress(OSError):  # the client was faster
                connection.shutdown(socket.SHUT_RDWR)


class _Http(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"  # keep-alive
    # Head and body leave in one segment at once; else each answer waits 40 ms for the client's delayed ACK.
    wbufsize = -1
    disable_nagle_algorithm = True

    def finish(self) -> None:
        with suppress(OSError):  # the client hung up on an answer
            super().finish()

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        request = self._request(self.rfile.read(int(length)) if length.isdecimal() else b"")
        if isinstance(request, Json):
            request.send(self)
        else:
            # A reply is buffered and leaves after the block: the count falls before the client asks again.
            with self.server.answer(request) as reply:
                reply.send(self)

    def do_GET(self) -> None:
        failure(404, f"nothing at {self.path}, only POST {PATH}").send(self)

    def _request(self, raw: bytes) -> Request | Json:
        """What was asked, or the answer to what cannot be read."""
        if self.path.partition("?")[0] != PATH:
            return failure(404, f"nothing at {self.path}, only POST {PATH}")
        try:
            body = json.loads(raw)
        except ValueError as error:
            return failure(400, f"the body is no JSON: {error}")
        if not isinstance(body, dict):
            return failure(400, f"the body is a JSON {type(body).__name__}, expected an object")
        headers = {name.lower(): value for name, value in self.headers.items()}
        public = {k: v for k, v in headers.items() if not any(word in k for word in SECRET_WORDS)}
        return Request(public, body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the standard library
        """Keeps quiet: Endpoint.requests is the log."""
