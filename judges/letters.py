"""Reading several option letters at once, from a truth or from a response."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmeval_pack.judges.text import Response

Letters = tuple[str, ...]
"""Distinct letters in order; empty when no letters were read."""

_ALONE: dict[str, Letters] = {
    char: (char.upper(),) for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzıſ"
}
"""The characters whose upper case is one of A-Z."""
_BRACKETS = str.maketrans("", "", "()[].:;*")
# One character among those that `bare` takes away.
_SINGLE = re.compile(r"[()\[\].:;*\s]*+(\S)[()\[\].:;*\s]*+")
_PIECE = re.compile(r"[^,;/&\s]+")
_AND = re.compile(r"\band\b", re.IGNORECASE)
_CUE = re.compile(r"answer(?:(?<=final answer)s?|s? (?:are|is)|s?\s*+[:\-：])|答案")
_NEVER_FIRST = frozenset("0123456789-+$\\<>='\"{}|^_~`!?@#%")  # in a truth that lists letters
_SHORTEST_CUE = len("answer:")  # of a text in ASCII
_BEFORE_LETTERS = frozenset(",;/& aA")  # separators, and how the word "and" begins


def bare(text: str) -> str:
    """The text without brackets, full stops, colons, semicolons, stars and whitespace."""
    return "".join(text.translate(_BRACKETS).split())


def truth_letters(text: str) -> Letters:
    """The letters that a truth stands for by its shape: one letter A-Z, or several of A-H with separators."""
    if len(text) < 2:
        return _ALONE.get(text, ())
    if text[0] in _NEVER_FIRST or (text[:2].isalnum() and text[:3].lower() != "and"):
        return ()
    single = _SINGLE.fullmatch(text)
    if single and single[1] in _ALONE:
        return _ALONE[single[1]]
    found: list[str] = []
    for match in _PIECE.finditer(text):
        for piece in _without_and(match[0]):
            letter = piece.upper()
            if len(letter) != 1 or not "A" <= letter <= "H" or letter in found:
                return ()
            found.append(letter)
    return tuple(sorted(found)) if len(found) > 1 else ()


def _without_and(piece: str) -> Sequence[str]:
    """The parts of a piece on both sides of the word "and"."""
    if len(piece) < 3 or "and" not in piece.lower():
        return (piece,)
    return [part for part in _AND.split(piece) if part]


def segment(text: str, candidates: frozenset[str]) -> Letters:
    """The letters that a normal text lists and nothing else: ``A, C``, ``a and c``, ``AC``."""
    text = text.rstrip(".。")
    first = text[:1]
    if first.isascii():  # most texts are settled by their first character
        if first.upper() not in candidates:
            if first not in _BEFORE_LETTERS:
                return ()
        elif len(text) == 1:
            return (first.upper(),)
    found: list[str] = []
    longest = max(len(candidates), len("and"))  # of a piece, since no letter may come twice
    for match in _PIECE.finditer(text):
        if match.end() - match.start() > longest:
            return ()
        for piece in _without_and(match[0]):
            for letter in piece.upper():
                if letter not in candidates or letter in found:
                    return ()
                found.append(letter)
    return tuple(sorted(found))


def letter_set(response: Response, candidates: frozenset[str]) -> Letters:
    """The letters of one that names nothing else: in its last tag, behind its last cue, or as a whole."""
    short = len(response.text) < _SHORTEST_CUE and response.text.isascii()
    return (() if short else _marked(response, candidates)) or segment(response.normal(), candidates)


def _marked(response: Response, candidates: frozenset[str]) -> Letters:
    """What the last tag lists, or what stands behind the last cue."""
    text = response.text
    if "</" in text and (tagged := response.tagged_normal()) is not None:
        letters = segment(tagged, candidates)
        if letters:
            return letters
    cue = None
    for cue in _CUE.finditer(response.cue_ground()):  # noqa: B007 (the last one is wanted)
        pass
    return () if cue is None else segment(response.normal_of(text[cue.end() :]), candidates)
