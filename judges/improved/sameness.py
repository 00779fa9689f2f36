"""Whether two short texts say the same: as words, as formulas, or as quantities."""

from __future__ import annotations

import math
import re
import unicodedata

from mmeval_pack.judges.improved.arithmetic import value
from mmeval_pack.judges.improved.formula import canonical, is_formula
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.units import quantity

_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_OPENING, _CLOSING = tuple("\"'([{"), tuple("\"')]}")
_WRAPPINGS = 4
_ACCENT = re.compile("[\u0300-\u036f]+")
_UNIT = re.compile(r"(?<=[\d)π])\s+[a-z]{2,}\.?$")
_SUM = re.compile(r"[\w)}]\s*[-+]\s*[\w\\(]")
_INITIALS = re.compile(r"\b(?:[^\W\d_]\.){1,8}[^\W\d_]\b")
_INNER = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])|,(?=\s)")


def same(text: str, reference: str) -> bool:
    """Whether a plain text says what the plain reference says."""
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
        return value(text) == truth.number
    expected = value(reference)
    number = given.number if given else value(_UNIT.sub("", text))
    if expected is None or number is None:
        return False
    return math.isclose(number, expected, rel_tol=1e-9, abs_tol=1e-12)


def opened(text: str) -> str:
    """The plain text in lower case, without article, accents, final punctuation and what it is wrapped in."""
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip().casefold()
    for _ in range(_WRAPPINGS):
        text = text.strip().rstrip(".,;:!?。，；！？ ")
        if text[:1] in _OPENING and text[-1:] in _CLOSING and not _is_structured(text):
            text = text[1:-1].strip()
        article = _ARTICLE.match(text)
        text = text[article.end() :] if article else text
    if not text.isascii():
        text = unicodedata.normalize("NFC", _ACCENT.sub("", unicodedata.normalize("NFD", text)))
    text = _INITIALS.sub(lambda found: found[0].replace(".", ""), text)
    return " ".join(_INNER.sub(" ", text).split())


def _is_structured(text: str) -> bool:
    """Whether the brackets around a text belong to it: of a pair, an interval, or two groups."""
    return text[:1] not in "\"'" and (len(text) < 3 or any(char in "([," for char in text[1:]))
