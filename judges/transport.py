"""Sends one request to one of a judge's base URLs and says what came of it; a fault is a value here."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote, urlsplit

from mmeval_pack.judges.outcome import Answer, Fault, of_body, of_status
from mmeval_pack.judges.settings import FULL_PATH, without_credentials

if TYPE_CHECKING:
    import openai

CONNECT_SECONDS: Final = 10.0
KEEPALIVE_SECONDS: Final = 30.0
SHORTEST_SECRET: Final = 4  # characters
# Asks the SDK for the reply as it came: reading it into the SDK's models costs as much as sending it.
RAW: Final = {"X-Stainless-Raw-Response": "true"}


class Transport:
    """The connections to the base URLs of one judge; belongs to one event loop.

    For each request the SDK's HTTP library looks at every connection of its pool, which from some 30 on costs
    more than the request. So each request in flight has a lane: an SDK client with a pool of its own. Setting
    up TLS takes 50 ms, so lanes share one pool where a URL needs it.

    Attributes:
        count: of base URLs; they are named by their place, from 0.
    """

    def __init__(self, urls: Sequence[str], api_key: str, *, timeout: float) -> None:
        self.count = len(urls)
        self._shown = [without_credentials(url) for url in urls]
        self._targets = [_target(url) for url in self._shown]
        self._credentials = [_basic_authorization(url) for url in urls]
        self._api_key = api_key
        self._secrets = _secrets(urls, api_key)
        self._timeout = timeout
        self._secure = any(urlsplit(url).scheme == "https" for url in urls)
        self._idle: list[openai.AsyncOpenAI] = []
        self._lanes: list[openai.AsyncOpenAI] = []

    @cached_property
    def _openai(self) -> ModuleType:
        """The SDK, which takes a second and a half to import: not before a request is sent."""
        import openai

        return openai

    def _pool(self, **options: Any) -> Any:
        limits = type(self._openai.DEFAULT_CONNECTION_LIMITS)(
            max_connections=None, max_keepalive_connections=None, keepalive_expiry=KEEPALIVE_SECONDS
        )
        connect = min(self._timeout, CONNECT_SECONDS)
        times = self._openai.Timeout(self._timeout, connect=connect, pool=None)
        return self._openai.DefaultAsyncHttpxClient(limits=limits, timeout=times, **options)

    @cached_property
    def _shared(self) -> Any:
        return self._pool()

    def _lane(self) -> openai.AsyncOpenAI:
        """A client that nobody uses at the moment."""
        if self._idle:
            return self._idle.pop()
        # An empty trust store: none is needed without TLS, and a redirect to TLS is not trusted unseen.
        trust_nobody = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        lane: openai.AsyncOpenAI = self._openai.AsyncOpenAI(
            api_key=self._api_key or "none",  # the SDK insists on one
            base_url=self._shown[0],
            http_client=self._shared if self._secure else self._pool(verify=trust_nobody),
            max_retries=0,
        )
        self._lanes.append(lane)
        return lane

    async def post(self, place: int, body: Mapping[str, Any], stage: str, seconds: float) -> Answer | Fault:
        """Sends a request to the base URL at a place and waits for its reply for so many seconds."""
        outcome = await self._attempt(place, body, stage, seconds)
        if isinstance(outcome, Answer):
            return outcome
        return outcome._replace(detail=f"{self._shown[place]}: {self._masked(outcome.detail)}")

    async def _attempt(
        self, place: int, body: Mapping[str, Any], stage: str, seconds: float
    ) -> Answer | Fault:
        headers = {"X-MMEval-Stage": stage, **RAW, **self._credentials[place]}
        lane = self._lane()
        try:
            async with asyncio.timeout(seconds):
                # Any: what RAW makes of it depends on the SDK's version, but has had http_response in all.
                response: Any = await lane.post(
                    self._targets[place], cast_to=object, body=body, options={"headers": headers}
                )
        except self._openai.APIStatusError as error:
            return of_status(error.status_code, error.response.text, error.response.headers)
        except (TimeoutError, self._openai.APITimeoutError):
            return Fault(f"no reply within {seconds:.3g} s", transient=True)
        except self._openai.APIConnectionError as error:
            cause = error.__cause__ or error
            return Fault(f"no reply ({type(cause).__name__}: {cause})", transient=True)
        except self._openai.OpenAIError as error:
            return Fault(f"{type(error).__name__}: {error}", transient=False)
        finally:
            self._idle.append(lane)
        return of_body(response.http_response.content)

    def _masked(self, text: str) -> str:
        """The text without secrets: some endpoints repeat the key that they refuse."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    async def close(self) -> None:
        """Closes all connections."""
        for lane in self._lanes:
            await lane.close()


class _Masked(str):
    """A header's value that no log shows: some versions of the SDK log the headers of a request."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def _target(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/") + FULL_PATH).geturl()


def _secrets(urls: Sequence[str], api_key: str) -> set[str]:
    """What must not be shown: the key, and passwords in URLs in each of their spellings."""
    secrets = {api_key}
    for url in urls:
        password = urlsplit(url).password or ""
        basic = _basic_authorization(url).get("Authorization", "").removeprefix("Basic ")
        secrets |= {password, unquote(password), basic}
    # To mask every "x" of a message because the key is "x", which is no secret, would hide the fault.
    return {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}


def _basic_authorization(url: str) -> dict[str, str]:
    """The header for credentials in a URL, which take the key's place there.

    They never reach the HTTP library, which would log them with the URL.
    """
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"Authorization": _Masked(f"Basic {b64encode(pair.encode()).decode()}")}
