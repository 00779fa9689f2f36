"""Reading the one option letter that a response puts in a place where answers stand, and nothing looser."""

from __future__ import annotations

import re

from mmeval_pack.judges.question import Question
from mmeval_pack.judges.text import Response, folded, normal

_END = r"(?=[\s.),:;]|$)"
_LABEL = re.compile(rf"(?i:answer|option|choice) ?[:\-]? ?([A-Z]){_END}")
_CUED = re.compile(rf"(?i:final answer|the answer is|answer is|choice is|option is) ?[:\-]? ?([A-Z]){_END}")
_CUE_WORDS = ("answer", "choice", "option")


def label(response: Response, question: Question) -> str | None:
    """The candidate that the whole text is, that it begins with (``B.``), or that its first cue names."""
    tagged, candidates = response.tagged, question.letters
    text = response.normal if tagged is None else normal(tagged)
    if not text:
        return None
    whole = text.upper()
    if whole in candidates:
        return whole
    first = text[0]
    if "A" <= first <= "Z" and first in candidates and text[1:2] in (".", ")", ":"):
        return first
    if len(text) < len("option A") - 1:
        return None
    lower = folded(text)
    if not any(word in lower for word in _CUE_WORDS):
        return None
    start = _LABEL.match(text)
    if start and start[1] in candidates:
        return start[1]
    cued = _CUED.search(text)
    return cued[1] if cued and cued[1] in candidates else None
