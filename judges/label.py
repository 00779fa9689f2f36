"""Reading the one option letter that a response puts in a place where answers stand, and nothing looser."""

from __future__ import annotations

import re

from mmeval_pack.judges.question import Question
from mmeval_pack.judges.text import Response, cue_ground

_SHORTEST = len("optionA")
_WORDS = ("answer", "option", "choice")
_CUE = re.compile(r"answer(?: is|(?<=final answer))|option is|choice is")
_LETTER = re.compile(r" ?[:\-]? ?([A-Z])(?=[\s.),:;]|$)")


def label(response: Response, question: Question) -> str | None:
    """The candidate that the whole text is, that it begins with (``B.``), or that its first cue names."""
    text, candidates = response.normal(), question.letters()
    if "</" in response.text and (tagged := response.tagged_normal()) is not None:
        text = tagged
    if not text:
        return None
    whole = text.upper()
    if whole in candidates:
        return whole
    first = text[0]
    if "A" <= first <= "Z" and first in candidates and text[1:2] in (".", ")", ":"):
        return first
    if len(text) < _SHORTEST:
        return None
    lower = response.cue_ground() if text is response.text else cue_ground(text)
    return _behind_cue(text, lower, candidates) if lower else None


def _behind_cue(text: str, lower: str, candidates: frozenset[str]) -> str | None:
    """The letter behind a label at the start of the text, else behind the first cue that has a letter."""
    if lower.startswith(_WORDS):
        letter = _LETTER.match(text, len("answer"))
        if letter and letter[1] in candidates:
            return letter[1]
    for cue in _CUE.finditer(lower):
        if letter := _LETTER.match(text, cue.end()):
            return letter[1] if letter[1] in candidates else None
    return None
