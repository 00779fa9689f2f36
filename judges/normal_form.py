"""Unicode NFKC in linear time.

`unicodedata.normalize` sorts the marks of a run by insertion, which is quadratic on alternating combining
classes, and needs some 0.2 µs for each character it writes, of which U+FDFA alone makes 18. Long texts are
therefore normalised piece by piece; the result is the same (NFKC never looks across a starter that cannot
join the character before it, and a stable sort of a run of marks by combining class is its canonical order).
"""

from __future__ import annotations

import re
import unicodedata
from itertools import chain

LONG = 1024
"""Characters from which on a text is normalised piece by piece."""

FEW = 32
"""Up to so many distinct characters are faster replaced one after the other."""

MANY = 256
"""From so many distinct characters on, pieces of a text are rarely the same."""

# Shorter runs are sorted by insertion as fast.
_LONG_RUN = re.compile("-?m{64,}")

LIGATURES = {char: unicodedata.normalize("NFKC", char) for char in "\ufdfa\ufdfb"}

# Starters that can be the second half of a composed character; a test compares them with unicodedata.
JOINING_STARTERS = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u0fb5\u0fb7\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) | frozenset(map(chr, chain(range(0x1161, 0x1176), range(0x11A8, 0x11C3))))


def nfkc(text: str) -> str:
    """The text in NFKC, in time linear in its length.

    The two Arabic ligatures that stand for whole phrases (`LIGATURES`) stay as they are in a long text that
    is full of them; `spelled_out` replaces them where texts are compared. What happens in between treats both
    forms alike: they begin and end with a letter, have no case and hold nothing that a rule looks for.
    """
    if text.isascii():
        return text
    if len(text) < LONG:
        return unicodedata.normalize("NFKC", text)
    return _long_nfkc(text)


def spelled_out(text: str) -> str:
    """The text with the ligatures that `nfkc` left standing replaced by their phrases."""
    if len(text) >= LONG and not text.isascii():
        for ligature, phrase in LIGATURES.items():
            text = text.replace(ligature, phrase)
    return text


def _long_nfkc(text: str) -> str:
    characters = distinct(text)
    crowds = "".join(char for char in LIGATURES if text.count(char) > LONG)
    marks = "".join(filter(_joins, characters))
    if marks and len(characters) > MANY:
        return _by_runs(
            text, {**dict.fromkeys(map(ord, characters), "-"), **dict.fromkeys(map(ord, marks), "m")}, crowds
        )
    forms = ((char, unicodedata.normalize("NFKC", char)) for char in characters.difference(crowds))
    table = {char: form for char, form in forms if form != char}
    if marks:
        # Most pieces occur often and are looked up.
        escaped = re.escape(marks)
        pieces = re.findall(rf"(?s)[^{escaped}]?[{escaped}]+|[^{escaped}]+(?![{escaped}])", text)
        text = "".join(map(_Pieces().__getitem__, pieces))
    return _replaced(text, table)


def _by_runs(text: str, mask: dict[int, str], crowds: str) -> str:
    """NFKC of a text of many characters: its long runs of marks are put in order, the rest is unicodedata's.

    A class of that many marks would be slow in a regular expression, which searches the masked text instead:
    ``m`` stands for a character that may join the one in front of it, ``-`` for any other.
    """
    done, at = [], 0
    for run in _LONG_RUN.finditer(text.translate(mask)):
        done += [text[at : run.start()], _ordered(text[run.start() : run.end()])]
        at = run.end()
    text = "".join([*done, text[at:]])
    parts = re.split(f"([{crowds}])", text) if crowds else [text]
    return "".join(part if part in LIGATURES else unicodedata.normalize("NFKC", part) for part in parts)


def distinct(text: str) -> set[str]:
    """The characters of the text. Those of a long text of few characters are found by taking them out."""
    found = set(text[:LONG])
    if len(found) > FEW:
        return set(text)
    for char in found:
        text = text.replace(char, "")
    while text and len(found) < FEW:
        found.add(text[0])
        text = text.replace(text[0], "")
    return found.union(text)


def _replaced(text: str, table: dict[str, str]) -> str:
    """The text with each character replaced by its form; no form holds a character of the table."""
    if len(table) > FEW:
        return text.translate({ord(char): form for char, form in table.items()})
    for char, form in table.items():
        text = text.replace(char, form)
    return text


def _joins(char: str) -> bool:
    """Whether the character may combine with, or be sorted before, the one in front of it."""
    first = unicodedata.normalize("NFKD", char)[0]
    return unicodedata.combining(first) > 0 or first in JOINING_STARTERS


class _Pieces(dict[str, str]):
    """NFKC of each distinct piece (one character and its marks); pieces without marks stay as they are."""

    def __missing__(self, piece: str) -> str:
        if not _joins(piece[-1]):
            form = piece
        elif len(piece) < LONG:
            form = unicodedata.normalize("NFKC", piece)
        else:
            form = unicodedata.normalize("NFKC", _ordered(piece))
        self[piece] = form
        return form


def _ordered(piece: str) -> str:
    """The piece decomposed, each run of marks in the order of combining classes."""
    forms = {char: form for char in distinct(piece) if (form := unicodedata.normalize("NFKD", char)) != char}
    decomposed = _replaced(piece, forms)
    marks = "".join(re.escape(char) for char in distinct(decomposed) if unicodedata.combining(char))
    return re.sub(f"[{marks}]+", lambda run: _sorted_marks(run[0]), decomposed) if marks else decomposed


def _sorted_marks(run: str) -> str:
    """The marks sorted by combining class, those of one class in their order."""
    marks = distinct(run)
    buckets: dict[int, list[str]] = {}
    put = {char: buckets.setdefault(unicodedata.combining(char), []).append for char in marks}
    if len(buckets) == len(marks):
        # One mark a class: to count them is faster.
        return "".join(char * run.count(char) for char in sorted(marks, key=unicodedata.combining))
    for char in run:
        put[char](char)
    return "".join(chain.from_iterable(marks for _, marks in sorted(buckets.items())))
