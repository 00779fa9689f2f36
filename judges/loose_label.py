"""Reading the one option letter of a response by every rule there is, the surest first."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mmeval_pack.judges.question import Question
from mmeval_pack.judges.text import Response

_BOXED = re.compile(r"\\boxed\{\s*+(?:\\[A-Za-z]++\s*+\{\s*+)?+[(*]*+\s*+([A-Za-z])")
_CUE = re.compile(r"answer(?: is|\s*+:|(?<=final answer))|option is|答案|选")
_CORRECT = re.compile(r"correct\s++(?:option|answer|choice)(?:\s++is)?+")
_CUED = re.compile(r"\s*+(?:[:\-：]\s*+)?[(（*]{0,4}([A-Z])[)）*]{0,4}(?=[\s.),:;、，。]|$)")
_LAST_CUE = re.compile(r"answer(?: is|\s*+[:\-：]|(?<=final answer))|option is|choice is")
_TAIL = re.compile(r"\s*+[(（*]{0,4}([A-Za-z])[)）*]{0,4}\s*+(?:[.。!！]\s*+)?\Z")
_START = re.compile(r"\s*+\*{0,2}\(?([A-Z])\)?\s*+[:.)]\s")
_BOLD = re.compile(r"\*\*\s*+\(?([A-Z])\)?\s*+[:.]")
_TOKEN = re.compile(r"[^\s.()\[\],:;!*#{}：；，。、！？「」『』（）【】《》]+")
_ASCII_SEPARATORS = bytes.maketrans(b".()[],:;!*#{}", b" " * 13)


def loose_label(response: Response, question: Question) -> str | None:
    """The candidate that the first successful rule reads, None when no rule reads one."""
    text, candidates = response.text, question.letters()
    if not text:
        return None
    whole = _unwrapped(response.normal()).upper()
    if whole in candidates:
        return whole
    return (
        ("</" in text and _in_tags(response, question))
        or ("\\boxed{" in text and _boxed(text, candidates))
        or ((lower := response.cue_ground()) and _behind_cue(text, lower, candidates))
        or token(text, candidates)
        or _at_start(text, candidates)
        or ("**" in text and _in_bold(text, candidates))
        or restated(text, question.texts)
    )


def _unwrapped(text: str) -> str:
    text = text[1:] if text[:1] in ("(", "[") else text
    return (text[:-1] if text[-1:] in (")", "]", ".") else text).strip()


def _in_tags(response: Response, question: Question) -> str | None:
    inner = response.tagged()
    if inner is None:
        return None
    if inner.upper() in question.letters():
        return inner.upper()
    return token(inner, question.letters()) or restated(inner, question.texts)


def _boxed(text: str, candidates: frozenset[str]) -> str | None:
    """The last candidate that begins a box; the first letter counts, whatever follows it."""
    found = None
    for box in _BOXED.finditer(text):
        if (letter := box[1].upper()) in candidates:
            found = letter
    return found


def _behind_cue(text: str, lower: str, candidates: frozenset[str]) -> str | None:
    return _at_cue(text, lower, candidates) or _at_end(text, lower, candidates)


def _at_cue(text: str, lower: str, candidates: frozenset[str]) -> str | None:
    """The last candidate right behind a cue."""
    found, last = None, -1
    for pattern in (_CUE, _CORRECT):
        for cue in pattern.finditer(lower):
            letter = _CUED.match(text, cue.end())
            if letter and letter[1] in candidates and letter.start(1) > last:
                found, last = letter[1], letter.start(1)
    return found


def _at_end(text: str, lower: str, candidates: frozenset[str]) -> str | None:
    """The letter of any case that is all that follows the last cue."""
    cue = None
    for cue in _LAST_CUE.finditer(lower):  # noqa: B007 (the last one is wanted)
        pass
    letter = _TAIL.match(text, cue.end()) if cue else None
    return letter[1].upper() if letter and letter[1].upper() in candidates else None


def token(text: str, candidates: frozenset[str]) -> str | None:
    """The only candidate among the words, if it first stands near the end or the text is very short."""
    if text.isascii():  # translate is the faster of the two, and fastest on bytes
        words = text.encode().translate(_ASCII_SEPARATORS).decode().split()
    else:
        words = _TOKEN.findall(text)
    found = candidates.intersection(words)
    if len(found) != 1:
        return None
    (letter,) = found
    near_end = words.index(letter) >= len(words) - 4
    return letter if near_end or (len(words) <= 5 and words.count(letter) == 1) else None


def restated(text: str, texts: Mapping[str, str]) -> str | None:
    """The only option whose text the response repeats, if it is not much longer than all of them."""
    limit = 2 * sum(map(len, texts.values()))
    if len(text) > limit:
        return None
    lower = text.lower()
    if len(lower) > limit:
        return None
    found = None
    for letter, option in texts.items():
        if option and option.strip().lower() in lower:
            if found is not None:
                return None
            found = letter
    return found


def _at_start(text: str, candidates: frozenset[str]) -> str | None:
    start = _START.match(text)
    if start is None or start[1] not in candidates or len(text.strip()) > 80:
        return None
    return start[1]


def _in_bold(text: str, candidates: frozenset[str]) -> str | None:
    found = candidates.intersection(match[1] for match in _BOLD.finditer(text))
    return next(iter(found)) if len(found) == 1 else None
