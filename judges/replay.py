"""Recorded replies as JSONL: the file in which a cache travels, and the judge that answers from one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from mmeval_pack.judges.errors import InputError

COUNTS: Final = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens")
_KEY: Final = re.compile(r"[0-9a-f]{64}")

Value = Mapping[str, Any]


def fault_of(value: Value) -> str | None:
    """What keeps a record from being a reply, None when nothing does; a blank text does."""
    text, model = value.get("text"), value.get("model")
    if not isinstance(text, str) or not text.strip():
        return f"text is {text!r}, expected the judge's reply, which is never blank"
    if not isinstance(model, str) or not model:
        return f"model is {model!r}, expected the name of the judge"
    for name in COUNTS:
        count = value.get(name)
        if type(count) is not int or count < 0:
            return f"{name} is {count!r}, expected a whole number from 0"
    return None


def to_line(key: str, value: Value) -> str:
    """One reply as a line of the file; the same bytes each time."""
    return json.dumps({"key": key, **dict(sorted(value.items()))}) + "\n"


def read_lines(file: Path) -> Iterator[tuple[str, Value]]:
    """The keys and replies of a file.

    Raises:
        InputError: the file cannot be read, or a line is no recorded reply; it names the line.
    """
    seen: dict[str, int] = {}
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{file}: is no UTF-8 text; expected what mmeval-pack cache export writes") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{file}:{number}: no JSON: {error}") from None
        fault = _fault(record)
        if fault:
            raise InputError(f"{file}:{number}: {fault}")
        key = record.pop("key")
        if key in seen:
            raise InputError(f"{file}:{number}: the key of line {seen[key]} again; each key stands once")
        seen[key] = number
        yield key, record


def _fault(record: Any) -> str | None:
    """What keeps a line from being a recorded reply."""
    if not isinstance(record, dict):
        return f"a JSON {type(record).__name__}, expected an object"
    key = record.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        return f"key is {key!r}, expected the 64 lower-case hexadecimal digits of a sha256"
    return fault_of(record)


class Replay:
    """Recorded replies, read whole; nothing can be added.

    Attributes:
        path: the file.
        models: the judges that were asked, by the names that they were asked for by, sorted.
    """

    def __init__(self, path: Path) -> None:
        """Reads the file.

        Raises:
            InputError: see :func:`read_lines`.
        """
        self.path = path
        self._replies = dict(read_lines(path))
        self.models = tuple(sorted({_asked(value) for value in self._replies.values()}))

    def get(self, key: str) -> Value | None:
        """The reply to a request, None when the file has none."""
        return self._replies.get(key)


def _asked(value: Value) -> str:
    """The name that a reply was asked for by, a part of its key; `model` is the endpoint's own name."""
    asked = value.get("asked")
    return asked if isinstance(asked, str) and asked else str(value["model"])
