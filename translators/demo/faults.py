"""Replies of endpoints that misbehave, for the loopback endpoint.

Endpoint(Script(failure(429, "slow down", retry_after="2"), Dropped(), completion("1")))
"""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler

from mmeval_pack.translators.demo.endpoint import Json, Reply, Request, completion


class Script:
    """A handler that gives its replies in turn, and the last one from then on."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = list(replies)
        self._lock = threading.Lock()

    def __call__(self, _request: Request) -> Reply:
        """The next reply, whatever is asked."""
        with self._lock:
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]


@dataclass(frozen=True, slots=True)
class Slow:
    """A reply that comes late."""

    reply: Reply
    seconds: float

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes the reply after the time is over."""
        time.sleep(self.seconds)
        self.reply.send(http)


@dataclass(frozen=True, slots=True)
class Hang:
    """No reply, on a connection that stays open until the client gives up or the endpoint stops."""

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes nothing."""
        http.close_connection = True
        with suppress(OSError):  # reset by the client
            http.connection.recv(1)


@dataclass(frozen=True, slots=True)
class Dropped:
    """No reply: the connection breaks."""

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes nothing and hangs up."""
        http.close_connection = True
        with suppress(OSError):
            http.connection.shutdown(socket.SHUT_RDWR)


@dataclass(frozen=True, slots=True)
class Raw:
    """Any bytes under a status of success: garbage, an empty body, or half a body.

    Attributes:
        body: what is sent.
        announced: the length that the head promises, None for the true one; after less the connection breaks.
        content_type: what the head says that the body is.
    """

    body: bytes
    announced: int | None = None
    content_type: str = "application/json"

    def send(self, http: BaseHTTPRequestHandler) -> None:
        """Writes head and body."""
        length = len(self.body) if self.announced is None else self.announced
        http.send_response(200)
        http.send_header("Content-Type", self.content_type)
        http.send_header("Content-Length", str(length))
        http.end_headers()
        http.wfile.write(self.body)
        http.close_connection = length != len(self.body)


def error_inside(code: int, message: str) -> Json:
    """An error in a reply whose status says success, as proxies send it."""
    return Json({"error": {"code": code, "message": message}})


def refusal(message: str) -> Json:
    """A completion that holds a refusal in the place of content."""
    payload = completion(None).payload
    choice = payload["choices"][0]
    return Json({**payload, "choices": [{**choice, "message": {**choice["message"], "refusal": message}}]})


def billed(content: str, prompt: int, answer: int, cached: int = 0) -> Json:
    """A completion that reports how many tokens it cost, and how many of the prompt's came from the cache."""
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": cached},
    }
    return Json({**completion(content).payload, "usage": usage})
