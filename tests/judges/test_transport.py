"""One request and what comes of it: a real transport over loopback HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mmeval_pack.judges.outcome import Answer, Fault, Usage
from mmeval_pack.judges.transport import Transport
from mmeval_pack.translators.demo.endpoint import Endpoint, Json, Reply, completion
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
