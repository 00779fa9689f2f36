"""Bytes -> the JSON object they hold; what JSON allows and no metadata file may have is refused."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NoReturn

MAX_BYTES = 5_000_000  # of a file; published ones have less than 20,000
MAX_DEPTH = 30  # of objects and lists within each other; published files have 6
MAX_INTEGER = 2**63  # what tables and YAML readers hold

Path = tuple[str | int, ...]


class JsonError(ValueError):
    """Bytes that hold no JSON object."""


def load(data: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object in a file, and the keys that stand twice in one object of it.

    Raises:
        JsonError: the bytes hold no JSON object, or too much of it.
    """
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(items)
        if len(value) < len(items):
            twice.extend(key for key, count in Counter(key for key, _ in items).items() if count > 1)
        return value

    try:
        value = json.loads(
            _decoded(data), object_pairs_hook=pairs, parse_int=_integer, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        raise JsonError(f"is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise JsonError(f"is nested too deeply, expected {MAX_DEPTH} levels at most") from None
    if not isinstance(value, dict):
        raise JsonError("holds no JSON object at its top level, expected {name, release_date, subsets}")
    return value, twice


def _decoded(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise JsonError(f"is larger than {MAX_BYTES:,} bytes")
    if not data.strip():
        raise JsonError("is empty, expected a JSON object")
    if data.startswith(b"\xef\xbb\xbf"):
        raise JsonError("begins with a byte order mark; save it as UTF-8 without one")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise JsonError(f"is not UTF-8: byte {error.start}, 0x{data[error.start]:02x}") from None


def _integer(digits: str) -> int:
    # longer ones are refused like all above MAX_INTEGER; Python would not read them at all
    return int(digits[:100])


def _refuse_constant(name: str) -> NoReturn:
    raise JsonError(f"holds {name}, which is no JSON")


def walk(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """All values of a document with their paths, each before what it holds; nothing below ``MAX_DEPTH``."""
    yield path, value
    if len(path) > MAX_DEPTH:
        return
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from walk(item, (*path, key))


def misfit(path: Path, value: Any) -> str | None:
    """What is wrong with a value as such, wherever it stands; None when nothing is."""
    if len(path) > MAX_DEPTH:
        return f"is nested too deeply, expected {MAX_DEPTH} levels at most"
    if isinstance(value, float) and abs(value) == float("inf"):
        return "is a number too large, expected a finite one"
    if isinstance(value, int) and abs(value) >= MAX_INTEGER:
        return "is an integer too large, expected 64 bits at most"
    texts = (value,) if isinstance(value, str) else value.keys() if isinstance(value, dict) else ()
    if any("\ud800" <= character <= "\udfff" for text in texts for character in text):
        return "holds half of a surrogate pair, which no UTF-8 file can hold"
    return None
