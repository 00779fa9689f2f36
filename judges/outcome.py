"""What came of one request to a judge: an answer, or a fault as a value."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urljoin

from mmeval_pack.judges.settings import FULL_PATH, fit_to_show

TRANSIENT: Final = frozenset({408, 409, 429})
_PARAMETERS: Final = ("max_tokens", "max_completion_tokens", "temperature")
_SHOWN: Final = 300  # characters of an endpoint's own words
_MOST: Final = 2**53  # up to here a number in JSON is exact; what claims more counted nothing

Mask = Callable[[str], str]  # the text without secrets; some endpoints repeat the key that they refuse


class Usage(NamedTuple):
    """Tokens of one or several requests; ``cached`` ones are part of ``prompt``."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0

    def plus(self, other: Usage) -> Usage:
        """The sum."""
        return Usage(*(mine + its for mine, its in zip(self, other, strict=True)))


class Answer(NamedTuple):
    """A reply with text; ``usage`` is None where the endpoint reports none."""

    text: str
    model: str | None
    usage: Usage | None


class Fault(NamedTuple):
    """A request without a usable reply.

    Attributes:
        detail: what happened, fit to be shown.
        transient: whether trying again may help.
        wait: seconds that the endpoint asked to wait (Retry-After), None when it did not.
        parameters: whether the endpoint complained about a parameter that some models do not take.
        usage: what the endpoint reports as spent nevertheless; None when it may have spent any amount.
        alive: whether the endpoint nevertheless works as a judge: it said nothing, or asked for patience.
    """

    detail: str
    transient: bool
    wait: float | None = None
    parameters: bool = False
    usage: Usage | None = None
    alive: bool = False


def of_status(status: int, body: str, headers: Mapping[str, str], url: str, mask: Mask) -> Fault:
    """The fault in a reply whose status says no success.

    Args:
        status: for instance 404.
        body: what came with it.
        headers: by names in any case.
        url: that was asked.
        mask: takes secrets out.
    """
    location = headers.get("location")
    told = _redirect(url, location) if status // 100 == 3 and location else _message(body)
    return Fault(
        f"HTTP {status}: {shown(told, mask)}",
        transient=status in TRANSIENT or status >= 500,
        wait=_retry_after(headers.get("retry-after")),
        parameters=status == 400 and any(name in body for name in _PARAMETERS),
        usage=Usage(),  # nobody bills for an error
        alive=status == 429 and "insufficient_quota" not in body,
    )


def of_body(content: bytes, mask: Mask) -> Answer | Fault:
    """The answer in a reply whose status says success, or what it holds in an answer's place."""
    try:
        payload = json.loads(content)
    except (ValueError, RecursionError):
        told = shown(content.decode(errors="replace"), mask)
        return Fault(f"a reply that is no JSON: {told!r}", transient=True)
    if not isinstance(payload, dict):
        return Fault(f"a reply that is a JSON {type(payload).__name__}, expected an object", transient=True)
    usage = _usage(payload.get("usage"))
    if payload.get("error"):
        return Fault(
            f"an error inside a reply: {shown(_message(content), mask)}", transient=True, usage=usage
        )
    try:
        choice = payload["choices"][0]
        text = choice["message"]["content"]
    except (LookupError, TypeError):
        return Fault("a reply without choices[0].message.content", transient=True, usage=usage)
    if not isinstance(text, str) or not text.strip():
        kind = "null" if text is None else "blank" if isinstance(text, str) else f"a {type(text).__name__}"
        ended = shown(_written(choice.get("finish_reason")), mask)
        return Fault(
            f"a reply without text: content is {kind}, finish_reason {ended}",
            transient=True,
            usage=usage,
            alive=True,
        )
    model = payload.get("model")
    return Answer(printable(text), printable(model) if isinstance(model, str) else None, usage)


def _redirect(url: str, location: str) -> str:
    """What a redirect says; its target may hold a secret as well as a base URL."""
    try:
        target = fit_to_show(urljoin(url, location))
    except ValueError:  # a bracket that is not closed
        return "redirects to what is no URL"
    if not target.endswith(FULL_PATH):  # a page to log in, say
        return f"redirects to {target}"
    return f"redirects to {target}; give {target.removesuffix(FULL_PATH)} as the base URL"


def _message(body: str | bytes) -> str:
    """The message of an error in the shape of the OpenAI API, else the whole body."""
    try:
        error = json.loads(body)["error"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return body if isinstance(body, str) else body.decode(errors="replace")
    message = (error.get("message") or error) if isinstance(error, dict) else error
    return message if isinstance(message, str) else _written(message)


def _written(value: Any) -> str:
    try:
        return repr(value)
    except RecursionError:  # writing a value takes more depth than reading it
        return f"a JSON {type(value).__name__}"


def shown(text: str, mask: Mask) -> str:
    """The beginning of an endpoint's own words, in one line."""
    # Masked first: no mask fits half a secret, or one that was changed.
    text = " ".join(printable(mask(text)).split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt = value.get("prompt_tokens")
    if type(prompt) is not int or prompt > _MOST:
        return None
    details = value.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    return Usage(counted(prompt), counted(value.get("completion_tokens")), counted(cached))


def counted(value: Any) -> int:
    """A count that others tell; 0 for what none can be, a number with thousands of digits for instance."""
    return value if type(value) is int and 0 < value <= _MOST else 0


def _retry_after(value: str | None) -> float | None:
    """Seconds from a Retry-After header, which holds seconds or an HTTP date (RFC 9110, 10.2.3)."""
    if value is None:
        return None
    try:
        wait = float(value)
    except ValueError:
        try:
            wait = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(wait, 0.0) if wait == wait else None


def printable(text: str) -> str:
    """The text with U+FFFD for half a surrogate pair, which JSON can hold and UTF-8 cannot."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
