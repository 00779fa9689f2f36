"""Whether a response in free text gives the truth, and nothing that takes it back."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator

from mmeval_pack.judges.anls import similarity
from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.formula import canonical, is_formula, value
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END, plain
from mmeval_pack.judges.improved.stance import last_word, negated_after, negated_before
from mmeval_pack.judges.improved.units import quantity
from mmeval_pack.judges.params import Params

_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_OPENING, _CLOSING = tuple("\"'([{"), tuple("\"')]}")
_WRAPPINGS = 4
_FRAME = re.compile(
    r"(?:(?:well|so|thus|hence|therefore|yes|okay|ok)\b,?\s*)?(?:i\s+(?:think|believe|guess|would say|can see|see|read)\s+(?:that\s+)?)?"
    r"(?:(?:it|this|that|they|these|he|she|there|(?:the|its|his|her|their)\s+(?:[\w'-]+\s+){1,4}?)\s*(?:'s|is|are|was|were|says?|reads?|shows?|equals?|must be|should be|is called|is named)\b\s*:?\s*)?"
    r"(?:(?:probably|clearly|definitely|approximately|about|around|a picture of|an image of)\s+)?",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^\W\d]+(?: [^\W\d]+)?:\s+")
_ASSIGNED = re.compile(r"(?:m?\s?(?:\\angle\b|∠)\s*)?[a-zA-Z]\w{0,2}\s*=\s*(?=[^=]+$)")
_REMARK = re.compile(
    r"\s*(?:[.!?。]\s+(?=\S)|\n|;\s|,?\s+(?:because|since|as|which|where|so)\b|\s+(?:is|are)\s+(?:what|shown|visible|written|the (?:answer|correct|right))\b"
    r"|\s+(?:long|wide|tall|high|deep|away|old)\b|\s+(?:approximately|in total|fits better|in the (?:image|picture|figure)))",
    re.IGNORECASE,
)
_ACCENT = re.compile("[\u0300-\u036f]+")
_UNIT = re.compile(r"(?<=[\d)π])\s+[a-z]{2,}\.?$")
_SUM = re.compile(r"[\w)}]\s*[-+]\s*[\w\\(]")
_INNER = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])|,(?=\s)")
_QUOTED = re.compile(r"\"([^\"]+)\"(?=\s*(?:[.!?}\n]|$|,\s*\"\w+\"\s*:))")
_OTHERS = re.compile(r"\b(?:or|either|between|versus)\b|[,、，;/]", re.IGNORECASE)


def references_of(truth: object) -> list[str]:
    """The plain texts of a truth: of the items of a list that are not null, or of the one value; blank ones left out."""
    values = truth if isinstance(truth, list) else [truth]
    return [text for value in values if value is not None and (text := plain(str(value)))]


def says(text: str, truth: object, params: Params) -> str | None:
    """The part of the plain response that is one of the truth's references, None when no part is."""
    references = references_of(truth)
    text, _ = last_word(text)
    for candidate in _candidates(text):
        if any(same(candidate, reference) for reference in references):
            return candidate
        if params.string_match == "anls" and similarity(candidate, references or [""], params.threshold) > 0:
            return None if negated_before(f"{candidate} ", 1) or candidate.lower().startswith("not ") else candidate
    if params.string_match == "contains":
        return next((reference for reference in references if _contains(text, reference)), None)
    return None


def same(text: str, reference: str) -> bool:
    """Whether two plain texts say the same: as words, as formulas, or as quantities."""
    form = opened(text)
    if form and form == opened(reference):
        return True
    if not (is_formula(reference) and is_formula(text)):
        return False
    if canonical(text) == canonical(reference):
        return True
    return _equal_values(text, reference)


def _equal_values(text: str, reference: str) -> bool:
    if _SUM.search(text) and not _SUM.search(reference):
        return False
    truth, given = quantity(reference), quantity(text)
    if truth and given:
        return truth.kind == given.kind and math.isclose(truth.value, given.value, rel_tol=1e-9)
    if truth:
        return truth.kind == "angle" and value(text) == truth.number
    expected = value(reference)
    number = given.number if given else value(_UNIT.sub("", text))
    if expected is None or number is None:
        return False
    return math.isclose(number, expected, rel_tol=1e-9, abs_tol=1e-12)


def opened(text: str) -> str:
    """The plain text in lower case without article, wrapping quotes and brackets, final punctuation and hyphens."""
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip().casefold()
    for _ in range(_WRAPPINGS):
        text = text.strip().rstrip(".,;:!?。，；！？ ")
        if text[:1] in _OPENING and text[-1:] in _CLOSING and not _is_structured(text):
            text = text[1:-1].strip()
        article = _ARTICLE.match(text)
        text = text[article.end() :] if article else text
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    return " ".join(_INNER.sub(" ", text).split())


def _is_structured(text: str) -> bool:
    """Whether the brackets around a text belong to it: of a pair, an interval, or two groups."""
    return text[:1] not in "\"'" and (len(text) < 3 or any(char in "([," for char in text[1:]))


def _candidates(text: str) -> Iterator[str]:
    """The parts that may be the answer: behind the last cue, else the whole; each also without what surrounds a value."""
    stated = [statement for statement in statements(text)]
    if all(not statement.negated for statement in stated):
        yield text.replace(SHOWN, "").replace(SHOWN_END, "")
    for statement in stated[:3]:
        if not statement.negated:
            yield from _bared(statement.content)
    if not stated:
        yield from _bared(text)


def _bared(text: str) -> Iterator[str]:
    text = text.replace(SHOWN, "").replace(SHOWN_END, "").strip()
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


def _contains(text: str, reference: str) -> bool:
    """Whether the text holds the reference as whole words, not taken back and not beside an alternative."""
    haystack, needle = text.casefold(), opened(reference)
    place = haystack.find(needle) if needle else -1
    while place >= 0:
        end = place + len(needle)
        apart = not (haystack[place - 1 : place].isalnum() and needle[0].isalnum()) and not (
            haystack[end : end + 1].isalnum() and needle[-1].isalnum()
        )
        if apart and not negated_before(haystack, place) and not negated_after(haystack, end):
            return _OTHERS.search(haystack[:place] + haystack[end:]) is None
        place = haystack.find(needle, place + 1)
    return False
