"""Unicode NFKC in linear time.

`unicodedata.normalize` sorts the marks behind a letter by insertion, which is quadratic in their number, and
needs some 0.2 µs for each character that it takes apart, of which U+FDFA alone makes 18. So the long runs of
marks of a long text are put in order beforehand (a stable sort by combining class changes no normal form).
Where characters that become several abound, they are replaced beforehand, with their marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from itertools import chain, islice
from typing import NamedTuple

LONG = 1024
"""Characters from which on a text is prepared for `unicodedata`."""

LIGATURES = {char: unicodedata.normalize("NFKC", char) for char in "\ufdfa\ufdfb"}

# Starters that can be the second half of a composed character; a test compares them with unicodedata, as it
# does the marks that pass for starters until they are decomposed.
JOINING_STARTERS = (
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u0fb5\u0fb7\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) + "".join(map(chr, chain(range(0x1161, 0x1176), range(0x11A8, 0x11C3))))
DISGUISED_MARKS = {char: unicodedata.normalize("NFKD", char) for char in "\u0f73\u0f75\u0f81\uff9e\uff9f"}
_JOINING = JOINING_STARTERS + "".join(DISGUISED_MARKS)

RUN = 128
"""Marks that `unicodedata` sorts by insertion as fast."""

_CHUNK = 8192

_LONG_RUN = re.compile(f"[^\0]{{{RUN},}}")

# The ligatures of a crowd are spelled in private characters meanwhile, and so is the first of these.
_ESCAPES = {"\ue000": "\ue000\ue001", "\ufdfa": "\ue000\ue002", "\ufdfb": "\ue000\ue003"}

_ASCII = "".join(map(chr, range(128)))

_nfkc = partial(unicodedata.normalize, "NFKC")


def _of_long(text: str) -> str:
    """`nfkc` of what a long text holds between the ASCII at its ends."""
    if len(text) < LONG:
        return _nfkc(text)
    crowded = any(text.count(ligature) > LONG for ligature in LIGATURES)
    if crowded:
        for char, escape in _ESCAPES.items():
            text = text.replace(char, escape)
    text = _spread(_ordered(text))
    if crowded:
        for char, escape in reversed(_ESCAPES.items()):
            text = text.replace(escape, char)
    return text


def nfkc(text: str, of_long: Callable[[str], str] = _of_long) -> str:
    """The text in NFKC, in time linear in its length.

    The two Arabic ligatures that stand for whole phrases (`LIGATURES`) stay as they are in a long text that
    is full of them; `spelled_out` replaces them where texts are compared. What happens in between treats both
    forms alike: they begin and end with a letter, have no case and hold nothing that a rule looks for.

    Args:
        text: of any length.
        of_long: what does it for the part of a long text between the ASCII at its ends.
    """
    if text.isascii():
        return text
    if len(text) < LONG:
        return _nfkc(text)
    start, end = len(text) - len(text.lstrip(_ASCII)), len(text.rstrip(_ASCII))
    if unicodedata.combining(text[start]) or text[start] in _JOINING:
        start = max(0, start - 1)
    return text[:start] + of_long(text[start:end]) + text[end:]


def of_parts() -> Callable[[str], str]:
    """`nfkc` for one text and its parts: what is not ASCII is often common to them, and done once."""
    return partial(nfkc, of_long=lru_cache(maxsize=2)(_of_long))


def spelled_out(text: str) -> str:
    """The text with the ligatures that `nfkc` left standing replaced by their phrases."""
    if not text.isascii():
        for ligature, phrase in LIGATURES.items():
            text = text.replace(ligature, phrase)
    return text


class _Tables(NamedTuple):
    """What is known of every character.

    Attributes:
        classes: at the place of each code point the character whose number is its combining class.
        forms: the NFKC of the starters that become several characters.
        expanding: finds these.
        marked: splits a text at what may be composed: marks and the like, with the character before them.
    """

    classes: str
    forms: dict[int, str]
    expanding: re.Pattern[str]
    marked: re.Pattern[str]


@cache
def _tables() -> _Tables:
    """Built on the first long text, in some 50 ms."""
    classes = bytearray(0x110000)
    forms: dict[int, str] = {}
    joining = set(map(ord, JOINING_STARTERS))
    # Left out are ideographs and syllables, which are neither marks nor become several characters.
    for code in chain(range(0xA0, 0x3400), range(0xA000, 0xAC00), range(0xD7A4, 0x1F300)):
        char = chr(code)
        classes[code] = unicodedata.combining(char)
        first = unicodedata.normalize("NFKD", char)[0]
        if unicodedata.combining(first) or first in JOINING_STARTERS:
            joining.add(code)
        elif first != char:
            form = _nfkc(char)
            if len(form) > 1 + any(map(unicodedata.combining, form)):  # else it saves nothing
                forms[code] = form
    near, far = (_class(code for code in joining if (code > 0xFFFF) == is_far) for is_far in (False, True))
    marked = re.compile(f"(.?(?:{near}|(?=[\U00010000-\U0010ffff]){far})+)", re.DOTALL)
    return _Tables(classes.decode("latin-1"), forms, re.compile(_class(forms)), marked)


def _class(codes: Iterable[int]) -> str:
    """A class of a regular expression, in ranges: `re` tries characters beyond U+FFFF one after the other."""
    ranges: list[list[int]] = []
    for code in sorted(codes):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"


def _ordered(text: str) -> str:
    """The text with the marks of each long run sorted by combining class, a stable sort."""
    for char, form in DISGUISED_MARKS.items():
        text = text.replace(char, form)
    classes = _tables().classes
    if not re.search("[^\0]{4}", text[:: RUN // 4].translate(classes)):
        return text  # a long run holds four of these places
    done, at = [], 0
    for run in _LONG_RUN.finditer(text.translate(classes)):
        done += [text[at : run.start()], _sorted(text[run.start() : run.end()], run[0])]
        at = run.end()
    return "".join([*done, text[at:]])


def _sorted(marks: str, classes: str) -> str:
    """The marks in the order of their classes."""
    kinds = sorted(set(classes))
    if re.fullmatch("".join(f"{re.escape(kind)}++" for kind in kinds), classes):
        return marks
    distinct = set(marks[:LONG])
    if len(distinct) == len(kinds) and not marks.strip("".join(distinct)):  # one mark a class: counted
        return "".join(mark * marks.count(mark) for mark in sorted(distinct, key=unicodedata.combining))
    buckets: dict[str, list[str]] = {kind: [] for kind in kinds}
    for at in range(0, len(marks), _CHUNK):  # as many as the processor's cache holds
        part: dict[str, list[str]] = {kind: [] for kind in kinds}
        put = {kind: bucket.append for kind, bucket in part.items()}
        for kind, mark in zip(classes[at : at + _CHUNK], marks[at : at + _CHUNK], strict=True):
            put[kind](mark)
        for kind, bucket in part.items():
            buckets[kind].append("".join(bucket))
    return "".join(chain.from_iterable(buckets.values()))


def _spread(text: str) -> str:
    """NFKC of a text whose marks are in order."""
    tables = _tables()
    if next(islice(tables.expanding.finditer(text), len(text) // 16, None), None) is None:
        return _nfkc(text)
    parts = tables.marked.split(text)
    bare = {piece: _nfkc(piece.translate(tables.forms)) for piece in set(parts[::2])}
    marked = {piece: _nfkc(piece) for piece in set(parts[1::2])}
    parts[::2] = map(bare.__getitem__, parts[::2])
    parts[1::2] = map(marked.__getitem__, parts[1::2])
    return "".join(parts)
