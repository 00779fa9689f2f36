"""Sends one request to one of a judge's base URLs and says what came of it; a fault is a value here."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping, Sequence
from functools import cached_property
from http.cookiejar import DefaultCookiePolicy
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from mmeval_pack.judges.body import PACKED, keep, kept
from mmeval_pack.judges.credentials import basic_authorization, fault_mask, reply_mask
from mmeval_pack.judges.outcome import Answer, Fault, of_body, of_status, shown
from mmeval_pack.judges.settings import FULL_PATH, fit_to_show, without_credentials

if TYPE_CHECKING:
    import openai

CONNECT_SECONDS: Final = 10.0
KEEPALIVE_SECONDS: Final = 30.0
# Has the SDK leave the reply alone: reading it into the SDK's models costs as much as sending it.
RAW: Final = {"X-Stainless-Raw-Response": "stream"}
# What the SDK tells of the machine in each request: an eighth of the SDK's work, and nobody's business.
TOLD: Final = ("Lang", "Package-Version", "OS", "Arch", "Runtime", "Runtime-Version", "Async")

_NO_TRUST: Final = "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"


class Transport:
    """The connections to the base URLs of one judge; belongs to one event loop.

    They are aiohttp's, through the SDK's own client for it: at 64 requests in flight the SDK's default client
    looks through its pool for longer than a request costs.

    Attributes:
        count: of base URLs; they are named by their place, from 0.
    """

    def __init__(self, urls: Sequence[str], api_key: str, *, timeout: float) -> None:
        self.count = len(urls)
        self._shown = [fit_to_show(url) for url in urls]
        self._targets = [_target(without_credentials(url)) for url in urls]
        self._proxies = [_unusable_proxy(target) for target in self._targets]
        self._credentials = [basic_authorization(url) for url in urls]
        self._api_key = api_key
        self._fault_mask = fault_mask(urls, api_key)
        self._reply_mask = reply_mask(urls, api_key)
        self._timeout = timeout
        self._secure = any(urlsplit(url).scheme == "https" for url in urls)

    @cached_property
    def _openai(self) -> ModuleType:
        """The SDK, which takes a second and a half to import: not before a request is sent."""
        import openai

        return openai

    @cached_property
    def _lost(self) -> tuple[type[Exception], ...]:
        """What a request without a reply ends in; the SDK wraps only some of its HTTP library's errors.

        Codecs that are no text's (``charset=hex`` in a reply's head) raise AssertionError.
        """
        import aiohttp

        return TimeoutError, self._openai.APIConnectionError, aiohttp.ClientError, ValueError, AssertionError

    @cached_property
    def _client(self) -> openai.AsyncOpenAI:
        # No connections at most stands for no limit in aiohttp; how many there are is the caller's business.
        limits = type(self._openai.DEFAULT_CONNECTION_LIMITS)(
            max_connections=0, keepalive_expiry=KEEPALIVE_SECONDS
        )
        times = self._openai.Timeout(self._timeout, connect=min(self._timeout, CONNECT_SECONDS), pool=None)
        # Reading the trust store takes 0.1 s, and without TLS none is needed.
        trust = True if self._secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        # What is asked goes to the hosts that the user named and to no others: no redirect is followed.
        http = self._openai.DefaultAioHttpClient(
            limits=limits,
            timeout=times,
            verify=trust,
            follow_redirects=False,
            event_hooks={"response": [keep]},
        )
        http.headers["Accept-Encoding"] = PACKED
        http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=()))  # a judge needs none
        omitted: dict[str, Any] = {f"X-Stainless-{name}": self._openai.Omit() for name in TOLD}
        client: openai.AsyncOpenAI = self._openai.AsyncOpenAI(
            api_key=self._api_key or "none",  # the SDK insists on one
            base_url=self._shown[0],
            http_client=http,
            default_headers=omitted,
            max_retries=0,
        )
        return client

    async def post(self, place: int, body: Mapping[str, Any], stage: str, seconds: float) -> Answer | Fault:
        """Sends a request to the base URL at a place and waits for its reply for so many seconds."""
        outcome = await self._attempt(place, body, stage, seconds)
        if isinstance(outcome, Fault):
            return outcome._replace(detail=f"{self._shown[place]}: {outcome.detail}")
        model = self._reply_mask(outcome.model) if outcome.model else None
        return Answer(self._reply_mask(outcome.text), model, outcome.usage)

    async def _attempt(
        self, place: int, body: Mapping[str, Any], stage: str, seconds: float
    ) -> Answer | Fault:
        headers = {"X-MMEval-Stage": stage, **RAW, **self._credentials[place]}
        if proxy := self._proxies[place]:
            return Fault(f"the environment names a proxy {proxy}, expected http://", transient=False)
        try:
            try:
                client = self._client  # the first time the SDK is imported, which is not the judge's time
            except OSError as error:
                return Fault(f"{_NO_TRUST} ({error.strerror or error})", transient=False)
            async with asyncio.timeout(seconds):
                # Any: what RAW makes of it depends on the SDK's version, but has had http_response in all.
                response: Any = await client.post(
                    self._targets[place], cast_to=object, body=body, options={"headers": headers}
                )
        except self._openai.APIStatusError as error:
            content = kept(error.response)
            told = content.detail if isinstance(content, Fault) else content.decode(errors="replace")
            url, mask = self._targets[place], self._fault_mask
            return of_status(error.status_code, told, error.response.headers, url, mask)
        except self._lost as error:
            return Fault(shown(_connection_fault(error, seconds), self._fault_mask), transient=True)
        except self._openai.OpenAIError as error:
            return Fault(shown(f"{type(error).__name__}: {error}", self._fault_mask), transient=False)
        content = kept(response.http_response)
        return content if isinstance(content, Fault) else of_body(content, self._fault_mask)

    async def close(self) -> None:
        """Closes all connections."""
        if "_client" in vars(self):
            await self._client.close()


def _connection_fault(error: BaseException, seconds: float) -> str:
    """What kept a reply from coming: the innermost cause, since the SDK calls a lost connection a timeout."""
    while error.__cause__ and not isinstance(error, TimeoutError):
        error = error.__cause__
    if isinstance(error, TimeoutError):
        return f"no reply within {seconds:.3g} s"
    return f"no reply ({type(error).__name__}: {error})"


def _unusable_proxy(url: str) -> str | None:
    """The scheme of the proxy that the environment names for a URL, if it is none that is spoken here."""
    parts = urlsplit(url)
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all") or ""
    scheme, marked, _ = proxy.lower().partition("://")
    if not marked or scheme in ("http", "https") or proxy_bypass(parts.hostname or ""):
        return None
    return f"{scheme}://"


def _target(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(path=parts.path.rstrip("/") + FULL_PATH).geturl()
