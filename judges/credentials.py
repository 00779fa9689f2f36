"""The secrets of a judge: how they are sent, and how they stay out of what an endpoint says."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from mmeval_pack.judges.outcome import Mask

# Characters that a secret has at least. To mask every "x" of a message because the key is "x" would hide the
# fault; to mask words such as "none" and "EMPTY", which some servers want as a key, would change a verdict.
_LEAST_IN_FAULT: Final = 4
_LEAST_IN_REPLY: Final = 6
_NO_SECRETS: Final = frozenset({"ollama", "lm-studio"})  # longer such words, which stand in models' names too
_SECRET_NAME: Final = re.compile(r"auth|code|cred|key|pass|secret|sig|token", re.IGNORECASE)


class _Masked(str):
    """A header's value that no log shows: some versions of the SDK log the headers of a request."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def basic_authorization(url: str) -> dict[str, str]:
    """The header for credentials in a URL, which take the key's place there.

    They never reach the HTTP library, which would log them with the URL.
    """
    parts = urlsplit(url)
    if parts.username is None and parts.password is None:
        return {}
    pair = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
    return {"Authorization": _Masked(f"Basic {b64encode(pair.encode()).decode()}")}


def fault_mask(urls: Sequence[str], api_key: str) -> Mask:
    """Masks the key, and whatever may be a secret in a URL: credentials and all of its query."""
    secrets = _secrets(urls, api_key)
    for url in urls:
        secrets |= {urlsplit(url).query, *(value for _, value in parse_qsl(urlsplit(url).query))}
    return _mask(secrets, _LEAST_IN_FAULT)


def reply_mask(urls: Sequence[str], api_key: str) -> Mask:
    """The same for text that counts: what is hardly a secret, as a version in a query, stays in it."""
    secrets = _secrets(urls, api_key)
    for url in urls:
        secrets |= {value for name, value in parse_qsl(urlsplit(url).query) if _SECRET_NAME.search(name)}
    return _mask(secrets - _NO_SECRETS, _LEAST_IN_REPLY)


def _secrets(urls: Sequence[str], api_key: str) -> set[str]:
    """The key, and the passwords in URLs; a name without a password is one."""
    secrets = {api_key}
    for url in urls:
        parts = urlsplit(url)
        basic = basic_authorization(url).get("Authorization", "").removeprefix("Basic ")
        secrets |= {unquote(parts.password or parts.username or ""), basic}
    return secrets


def _mask(secrets: Iterable[str], least: int) -> Mask:
    spellings = {each for secret in secrets if len(secret) >= least for each in _spellings(secret)}
    longest_first = sorted(spellings, key=len, reverse=True)  # one may hold another

    def mask(text: str) -> str:
        for spelling in longest_first:
            text = text.replace(spelling, "***")
        return text

    return mask


def _spellings(secret: str) -> set[str]:
    """A secret as it is, in a URL, in HTML, and in a string of JSON or Python inside other text."""
    in_python = secret.replace("\\", "\\\\")
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {
        secret,
        quote(secret),
        quote(secret, safe=""),
        html.escape(secret),
        in_python,
        in_python.replace("'", "\\'"),
        *in_json,
        *(spelling.replace("/", "\\/") for spelling in in_json),
    }
