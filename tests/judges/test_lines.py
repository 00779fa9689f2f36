"""Lines of JSON objects that others wrote."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges import lines
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.lines import Line, Shard

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
DEEPEST = {"a": json.loads("[" * (lines.MAX_DEPTH - 1) + "]" * (lines.MAX_DEPTH - 1))}


def test_numbers_count_blank_lines() -> None:
    """A number is what an editor shows; blank lines are no lines of the data."""
    stream = [b"\xef\xbb\xbf{}\r\n", b"\r\n", b" \t\n", b"{ }"]
    assert list(lines.numbered(stream)) == [Line(1, b"{}\r\n"), Line(4, b"{ }")]


def test_a_byte_order_mark_within_the_file_is_a_fault() -> None:
    """Only the first line may have one."""
    (_, second) = lines.numbered([b"{}\n", b"\xef\xbb\xbf{}\n"])
    with pytest.raises(InputError, match=r"^not JSON: Unexpected UTF-8 BOM|^not JSON: Expecting value"):
        lines.read(second.data)


@given(st.integers(1, 7), st.integers(0, 30))
def test_shards_divide_the_lines(count: int, total: int) -> None:
    """Each line is in one shard, numbered from 1 or from 0; a shard begins with its own line."""
    stream = [b"{}"] * total
    for start in (0, 1):
        shards = [[*lines.numbered(stream, Shard(i, count))] for i in range(start, start + count)]
        assert sorted(line for shard in shards for line in shard) == [*lines.numbered(stream)]
    assert [line.number for line in lines.numbered(stream, Shard(1, count))] == [*range(1, total + 1, count)]


@pytest.mark.parametrize(("text", "shard"), [("1/1", (1, 1)), ("0/3", (0, 3)), ("3/3", (3, 3))])
def test_shard_texts(text: str, shard: tuple[int, int]) -> None:
    """As on the command line."""
    assert Shard.parse(text) == Shard(*shard)


@pytest.mark.parametrize("text", ["", "1", "/", "1/", "/2", "4/3", "-1/3", "0/0", "1/2/3", "1.0/2", "²/3"])
def test_other_shard_texts(text: str) -> None:
    """The message shows one that is right."""
    with pytest.raises(ValueError) as error:
        Shard.parse(text)
    assert str(error.value) == f"shard is {text!r}, expected I/N with I from 1 to N, such as 2/8"


@given(st.dictionaries(st.text(), JSON))
def test_what_is_written_reads_back(value: dict[str, Any]) -> None:
    """One line of ASCII, whatever the text holds: lone surrogates and line separators too."""
    data = lines.write(value)
    assert lines.read(data) == value
    assert data.isascii()
    assert len(data.splitlines()) == 1


@pytest.mark.parametrize("text", ["\ud800", "\udfff\ud800", "\u2028\x85\x0b\x00", "é"])
def test_odd_characters_survive(text: str) -> None:
    """The ones that hypothesis does not draw."""
    assert lines.read(lines.write({text: text})) == {text: text}


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'{"a": 1', "not JSON: Expecting ',' delimiter (column 8)"),
        (b"{} {}", "not JSON: Extra data (column 4)"),
        (b'{"a": NaN}', "not JSON: NaN is no JSON value; expected null or text"),
        (b'{"a": -Infinity}', "not JSON: -Infinity is no JSON value; expected null or text"),
        (b'{"a": "\xff"}', "not UTF-8: invalid start byte (byte 8)"),
        (b'{"a": "\xed\xa0\x80"}', "not UTF-8: invalid continuation byte (byte 8)"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a whole number with too many digits; write it as text"),
        (b"[1]", "a JSON list, expected an object"),
        (b"null", "a JSON NoneType, expected an object"),
        (b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}", "nested more than 200 levels deep"),
        (b'{"a": ' + b"[" * 100_000, "nested more than 200 levels deep"),
        (b'{"a":' * 100_000, "nested more than 200 levels deep"),
    ],
)
def test_faults(data: bytes, fault: str) -> None:
    """Each names what is wrong, and where if it can."""
    with pytest.raises(InputError) as error:
        lines.read(data)
    assert str(error.value) == fault


def test_depth_is_not_number() -> None:
    """The deepest object is read, and so is one with many brackets side by side or in its text."""
    for value in (DEEPEST, {"a": [[]] * 500, "b": "[{" * 500}):
        assert lines.read(lines.write(value)) == value


def test_the_last_of_equal_keys_holds() -> None:
    """As in most readers of JSON."""
    assert lines.read(b'{"a": 1, "a": 2}') == {"a": 2}


def test_numbers_out_of_range_are_not_written() -> None:
    """JSON has them, as digits; a double has not."""
    assert lines.read(b'{"a": 1e999}') == {"a": math.inf}
    with pytest.raises(InputError) as error:
        lines.write({"a": math.inf})
    assert str(error.value) == "a number beyond the range of a double; write it as text"


def test_chunks_are_bounded() -> None:
    """By lines and by bytes; a line of any size is one of them."""
    sizes = [len(c.lines) for c in lines.chunks(3, [Line(n, b"{}") for n in range(600)])]
    assert sizes == [256, 256, 88]
    huge = [Line(1, b" " * 200_000), Line(2, b" " * 200_000), Line(3, b"{}"), Line(4, b" " * 3_000_000)]
    assert [[line.number for line in c.lines] for c in lines.chunks(3, huge)] == [[1, 2], [3, 4]]
    assert {c.file for c in lines.chunks(3, huge)} == {3}
    assert list(lines.chunks(0, [])) == []
