"""Files of one JSON object a line, as others wrote them: numbering, reading and writing of lines."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn

from mmeval_pack.judges.errors import InputError

# Far below Python's own limit, which counts from wherever the call stack stands: a line that one process
# can read must not fail in another.
MAX_DEPTH: Final = 200
TOO_DEEP: Final = f"nested more than {MAX_DEPTH} levels deep"

_BLANK: Final = b" \t\r\n"
_LINES, _BYTES = 256, 1 << 18  # a chunk ends at the first of these


class Line(NamedTuple):
    """A line of a file.

    Attributes:
        number: its place, from 1; blank lines count.
        data: its bytes.
    """

    number: int
    data: bytes


class Chunk(NamedTuple):
    """Lines that are scored together.

    Attributes:
        file: index of the file that they are from.
        lines: the lines.
    """

    file: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Shard:
    """Every N-th line: those whose number divided by ``count`` leaves the remainder of ``index``.

    Attributes:
        index: from 1 to ``count``; 0 means ``count``, so that numbering from 0 works as well.
        count: at least 1.
    """

    index: int = 1
    count: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """The shard of a text such as ``2/8``.

        Raises:
            ValueError: it is none.
        """
        index, slash, count = text.partition("/")
        if slash and index.isdecimal() and count.isdecimal() and 0 <= int(index) <= int(count) > 0:
            return cls(int(index), int(count))
        raise ValueError(f"shard is {text!r}, expected I/N with I from 1 to N, such as 2/8")


def numbered(stream: Iterable[bytes], shard: Shard = Shard()) -> Iterator[Line]:
    """The lines of a shard. Blank ones are left out, and so is a byte order mark before the first line."""
    wanted = shard.index % shard.count
    for number, data in enumerate(stream, start=1):
        if number % shard.count == wanted and data.strip(_BLANK):
            yield Line(number, data.removeprefix(codecs.BOM_UTF8) if number == 1 else data)


def chunks(file: int, stream: Iterable[Line]) -> Iterator[Chunk]:
    """The lines of a file in chunks of bounded size."""
    held: list[Line] = []
    size = 0
    for line in stream:
        held.append(line)
        size += len(line.data)
        if len(held) == _LINES or size >= _BYTES:
            yield Chunk(file, tuple(held))
            held, size = [], 0
    if held:
        yield Chunk(file, tuple(held))


def read(data: bytes) -> dict[str, Any]:
    """The object of a line. Where a key stands twice its last value holds.

    Raises:
        InputError: the bytes are not UTF-8, not JSON (NaN and Infinity are not) or no object; or they are
            nested more than ``MAX_DEPTH`` levels deep.
    """
    try:
        value = _DECODER.decode(data.rstrip(_BLANK).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason} (byte {error.start + 1})") from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise InputError(TOO_DEEP) from None
    except ValueError:  # the one that is left: Python bounds the digits of whole numbers
        raise InputError("a whole number with too many digits; write it as text") from None
    if not isinstance(value, dict):
        raise InputError(f"a JSON {type(value).__name__}, expected an object")
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _too_deep(value):
        raise InputError(TOO_DEEP)
    return value


def write(value: dict[str, Any]) -> bytes:
    """An object as a line. ASCII: so lone surrogates survive, and no character of a text ends a line.

    Raises:
        InputError: it holds a number that JSON cannot, as ``1e999`` becomes one.
    """
    try:
        return _ENCODER.encode(value).encode("ascii") + b"\n"
    except ValueError:
        raise InputError("a number beyond the range of a double; write it as text") from None


def _refuse(constant: str) -> NoReturn:
    raise InputError(f"not JSON: {constant} is no JSON value; expected null or text")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
_ENCODER: Final = json.JSONEncoder(allow_nan=False, check_circular=False)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _children(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
