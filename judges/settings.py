"""Reads the values that configure a judge; knows no environment, only names and texts."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from mmeval_pack.judges.errors import InputError

FULL_PATH: Final = "/chat/completions"
_MOST_DIGITS: Final = 15
_LONGEST_QUOTE: Final = 80  # characters
_HOST: Final = r"(?:\[[0-9a-fA-F:.]*\]?|[\w.-]+)"
_PORT: Final = r":[0-9]{1,5}(?=[/?#]|$)"
_PATH: Final = r"(?:/[^\s?#]*)?"
# What a text that is no URL shows of itself. A word alone may be a key in the wrong place, and what stands
# behind a colon and is no port a password.
_SHOWN: Final = re.compile(
    rf"(?P<shown>[a-zA-Z][\w+.-]*://{_HOST}?(?:{_PORT})?{_PATH}|{_HOST}{_PORT}{_PATH})"
)
_SHOWN_BEHIND_AT: Final = re.compile(rf"[^?#]*@(?P<shown>{_HOST}(?:{_PORT})?{_PATH})(?:[?#].*)?", re.DOTALL)


class Budget(NamedTuple):
    """What a run may spend; None is without limit.

    Attributes:
        calls: requests sent, those that fail included.
        tokens: of prompts and replies together.
    """

    calls: int | None = None
    tokens: int | None = None


UNLIMITED: Final = Budget()


def first_given(given: Mapping[str, str], names: Sequence[str]) -> str | None:
    """The first of the names that has a value."""
    return next((name for name in names if given.get(name)), None)


def base_urls(name: str, text: str) -> tuple[str, ...]:
    """The base URLs in a text, separated by commas, without duplicates.

    The suffix ``/chat/completions`` comes off, a bare host gets ``/v1``, anything else stays as it is.

    Raises:
        InputError: one is no http URL, or there is none; what may be a secret in it is not shown.
    """
    urls = tuple(dict.fromkeys(_base_url(name, part.strip()) for part in text.split(",") if part.strip()))
    if not urls:
        raise InputError(f"{name}={text!r}: holds no URL, expected one such as http://localhost:8000/v1")
    return urls


def _base_url(name: str, url: str) -> str:
    try:
        parts = urlsplit(url)
        good = (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:  # a port that is no number, an unclosed IPv6 bracket
        good = False
    if not good or any(character.isspace() or not character.isprintable() for character in url):
        raise InputError(
            f"{name}={_without_secrets(url)!r}: no http URL, expected one such as http://localhost:8000/v1"
        )
    if url.endswith(FULL_PATH):
        return url.removesuffix(FULL_PATH)
    return f"{url.rstrip('/')}/v1" if _is_bare(parts) else url


def _without_secrets(text: str) -> str:
    """What is no URL, with *** for all that may be a secret."""
    match = _SHOWN_BEHIND_AT.fullmatch(text) if "@" in text else _SHOWN.match(text)
    if match is None:
        return "***"
    start, end = match.span("shown")
    return f"{'***@' if start else ''}{match['shown']}{'***' if end < len(text) else ''}"


def _is_bare(parts: SplitResult) -> bool:
    return parts.path in ("", "/") and not parts.query and not parts.fragment


def without_credentials(url: str) -> str:
    """The URL without the part before ``@``."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def fit_to_show(url: str) -> str:
    """The URL without credentials and without its query and fragment, which may hold a key."""
    return urlsplit(without_credentials(url))._replace(query="", fragment="").geturl()


def limits(given: Mapping[str, str]) -> dict[str, Any]:
    """The settings that bound the judge, as far as they are given.

    Raises:
        InputError: one is malformed.
    """
    return {
        setting: read(name, given[name])
        for setting, read in _LIMITS.items()
        if given.get(name := f"MMEVAL_JUDGE_{setting.upper()}")
    }


def whole_number(name: str, text: str, least: int) -> int:
    """A whole number in digits.

    Raises:
        InputError: it is none, or below the least one.
    """
    if not _is_number(text) or int(text) < least:
        raise InputError(f"{name}={_quoted(text)}: expected a whole number from {least}")
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "...")


def seconds(name: str, text: str) -> float:
    """A time in seconds.

    Raises:
        InputError: it is no number above 0.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise InputError(f"{name}={_quoted(text)}: expected seconds, a number above 0")
    return value


def budget(name: str, text: str) -> Budget:
    """A budget such as ``calls:500``, ``tokens:200000`` or both with a comma.

    Raises:
        InputError: it is none of these.
    """
    limits: dict[str, int] = {}
    for part in text.split(","):
        unit, _, number = (piece.strip() for piece in part.partition(":"))
        if unit not in Budget._fields or unit in limits or not _is_number(number):
            raise InputError(
                f"{name}={_quoted(text)}: expected calls:500, tokens:200000, or both with a comma"
            )
        limits[unit] = int(number)
    return Budget(**limits)


def api_key(name: str, text: str) -> str:
    """A key, which a header must be able to carry; it is never shown.

    Raises:
        InputError: it holds a character that no header carries.
    """
    for place, character in enumerate(text, start=1):
        if not (character.isascii() and character.isprintable()):
            raise InputError(f"{name}: character {place} of the key is none that a header can carry (ASCII)")
    return text


_LIMITS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "concurrency": lambda name, text: whole_number(name, text, 1),
    "timeout": seconds,
    "retries": lambda name, text: whole_number(name, text, 0),
    "budget": budget,
}
