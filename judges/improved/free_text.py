"""Whether a response in free text gives the truth, and nothing that takes it back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mmeval_pack.judges.anls import similarity
from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END, plain
from mmeval_pack.judges.improved.sameness import opened, same
from mmeval_pack.judges.improved.stance import last_word, negated_after, negated_before
from mmeval_pack.judges.params import Params

_FRAME = re.compile(
    r"(?:(?:well|so|thus|hence|therefore|yes|okay|ok)\b,?\s*)?(?:i\s+(?:think|believe|guess"
    r"|would say|can see|see|read)\s+(?:that\s+)?)?"
    r"(?:(?:it|this|that|they|these|he|she|there|(?:the|its|his|her"
    r"|their)\s+(?:[\w'-]+\s+){1,4}?)\s*(?:'s|is|are|was|were|says?|reads?|shows?|equals?|must be"
    r"|should be|is called|is named)\b\s*:?\s*)?"
    r"(?:(?:probably|clearly|definitely|approximately|about|around|a picture of|an image of)\s+)?",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^\W\d]+(?: [^\W\d]+)?:\s+")
_ASSIGNED = re.compile(r"(?:m?\s?(?:\\angle\b|∠)\s*)?[a-zA-Z]\w{0,2}\s*=\s*(?=[^=]+$)")
_REMARK = re.compile(
    r"\s*(?:[.!?。]\s+(?=\S)|\n|;\s|,?\s+(?:because|since|as|which|where|so)\b|\s+(?:is"
    r"|are)\s+(?:what|shown|visible|written|the (?:answer|correct|right))\b"
    r"|\s+(?:long|wide|tall|high|deep|away|old)\b|\s+(?:approximately|in total|fits better"
    r"|in the (?:image|picture|figure)))",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(r"\W*(?:not|no|never)\b", re.IGNORECASE)
_QUOTED = re.compile(r"\"([^\"]+)\"(?=\s*(?:[.!?}\n]|$|,\s*\"\w+\"\s*:))")
_OTHERS = re.compile(r"\b(?:or|either|between|versus)\b|[,、，;/]", re.IGNORECASE)
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_TYPING_ERRORS = 0.85  # similarity above which a text is the reference misspelt and no other text
_STATED = 3  # statements of a response that are compared, the last ones
_SHOWN_MOST = 200  # characters of an extraction that matches nothing


def references_of(truth: object) -> list[str]:
    """The plain texts of a truth, of each item where it is a list; null and blank ones left out."""
    values = truth if isinstance(truth, list) else [truth]
    return [text for value in values if value is not None and (text := plain(str(value)))]


def says(text: str, truth: object, params: Params) -> tuple[bool, str]:
    """Whether the plain response gives one of the truth's references, and the part of it that was read."""
    references = references_of(truth)
    text = last_word(text)
    for candidate in _candidates(text):
        if any(same(candidate, reference) for reference in references):
            return True, candidate
        if params.string_match == "anls" and _resembles(candidate, references, params):
            return True, candidate
    if params.string_match == "contains":
        for reference in references:
            if _contains(text, reference):
                return True, reference
    return False, _last_stated(text)


def _resembles(text: str, references: list[str], params: Params) -> bool:
    if not references or _NEGATIVE.match(text):
        return False
    if any(_OR.search(text) and not _OR.search(reference) for reference in references):
        return False
    return similarity(text, references, max(params.threshold, _TYPING_ERRORS)) > 0


def _last_stated(text: str) -> str:
    contents = (statement.content for statement in statements(text) if not statement.negated)
    return _unmarked(next(contents, text))[:_SHOWN_MOST]


def _candidates(text: str) -> Iterator[str]:
    """The parts that may be the answer: the whole, and what stands behind the last cues.

    Each comes also without what surrounds a value: a frame, a remark behind it.
    """
    stated = statements(text)
    if not any(statement.negated for statement in stated):
        yield _unmarked(text)
    for statement in stated[:_STATED]:
        if not statement.negated:
            yield from _bared(statement.content)
    if not stated:
        yield from _bared(text)


def _unmarked(text: str) -> str:
    return text.replace(SHOWN, "").replace(SHOWN_END, "").strip()


def _bared(text: str) -> Iterator[str]:
    text = _unmarked(text)
    yield text
    if quoted := _QUOTED.match(text):
        yield quoted[1]
    frame = _FRAME.match(text)
    inner = text[frame.end() :] if frame and not negated_before(text, frame.end()) else text
    if labelled := _LABELLED.match(text):
        yield text[labelled.end() :]
    for part in (inner, text):
        yield part
        if remark := _REMARK.search(part):
            part = part[: remark.start()]
            yield part
        if assigned := _ASSIGNED.match(part):
            yield part[assigned.end() :]
        elif part.count("=") > 1:
            yield part.rsplit("=", 1)[1]


def _contains(text: str, reference: str) -> bool:
    """Whether the text holds the reference as whole words, not taken back and not beside an alternative."""
    haystack, needle = text.casefold(), opened(reference)
    place = haystack.find(needle) if needle else -1
    while place >= 0:
        end = place + len(needle)
        glued = haystack[place - 1 : place].isalnum() and needle[0].isalnum()
        glued = glued or (haystack[end : end + 1].isalnum() and needle[-1].isalnum())
        if not glued and not negated_before(haystack, place) and not negated_after(haystack, end):
            return _OTHERS.search(haystack[:place] + haystack[end:]) is None
        place = haystack.find(needle, place + 1)
    return False
