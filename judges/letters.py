"""Reading several option letters at once, from a truth or from a response."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmeval_pack.judges.text import Response, normal

Letters = tuple[str, ...]
"""Distinct letters in order; empty when no letters were read."""

_BRACKETS = str.maketrans("", "", "()[].:;*")
_PIECE = re.compile(r"[^,;/&\s]+")
_AND = re.compile(r"\band\b", re.IGNORECASE)
_CUE = re.compile(
    r"final answers?|the answers? (?:are|is)|answers? (?:are|is)|answers?\s*+[:\-：]|最终答案|答案",
    re.IGNORECASE,
)
_SHORTEST_CUE = len("answer:")


def bare(text: str) -> str:
    """The text without brackets, full stops, colons, semicolons, stars and whitespace."""
    return "".join(text.translate(_BRACKETS).split())


def truth_letters(text: str) -> Letters:
    """The letters that a truth stands for by its shape: one letter A-Z, or several of A-H with separators."""
    single = bare(text).upper()
    if len(single) == 1 and "A" <= single <= "Z":
        return (single,)
    found = []
    for piece in _pieces(text):
        letter = piece.upper()
        if len(letter) != 1 or not "A" <= letter <= "H" or letter in found:
            return ()
        found.append(letter)
    return tuple(sorted(found)) if len(found) > 1 else ()


def _pieces(text: str) -> Iterator[str]:
    """The parts between separators and the word "and", one at a time: most texts end at the first."""
    for match in _PIECE.finditer(text):
        piece = match[0]
        if len(piece) > 2 and "and" in piece.lower():
            yield from filter(None, _AND.split(piece))
        else:
            yield piece


def segment(text: str, candidates: frozenset[str]) -> Letters:
    """The letters that a normal text lists and nothing else: ``A, C``, ``a and c``, ``AC``."""
    text = text.rstrip(".。")
    if len(text) == 1:
        letter = text.upper()
        if len(letter) == 1:
            return (letter,) if letter in candidates else ()
    found: list[str] = []
    size = len(candidates)
    for piece in _pieces(text):
        letters = piece.upper()
        if len(letters) > size and len(letters) > 1:
            return ()
        for letter in letters:
            if letter not in candidates or letter in found:
                return ()
            found.append(letter)
    return tuple(sorted(found))


def letter_set(response: Response, candidates: frozenset[str]) -> Letters:
    """The letters of one that names nothing else: in its last tag, behind its last cue, or as a whole."""
    if response.letters is None:
        response.letters = _letter_set(response, candidates)
    return response.letters


def _letter_set(response: Response, candidates: frozenset[str]) -> Letters:
    text = response.text
    if (tagged := response.tagged) is not None and (letters := segment(normal(tagged), candidates)):
        return letters
    if len(text) >= _SHORTEST_CUE or not text.isascii():
        behind = _behind_last_cue(response)
        if behind is not None and (letters := segment(normal(behind), candidates)):
            return letters
    return segment(response.normal, candidates)


def _behind_last_cue(response: Response) -> str | None:
    if "answer" not in response.folded and "答案" not in response.text:
        return None
    cue = None
    for cue in _CUE.finditer(response.text):  # noqa: B007 (the last one is wanted)
        pass
    return None if cue is None else response.text[cue.end() :]
