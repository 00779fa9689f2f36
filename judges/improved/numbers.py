"""Which number a response gives as its answer."""

from __future__ import annotations

import re
from typing import NamedTuple

from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.number_words import with_digits
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import conditional, last_word, negated_after, negated_before, refuses

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+,\d+(?![\d,.])|\d+(?:\.\d+)?|\.\d+)"
_NUMBER = re.compile(
    rf"(?<![\w.,^])(?<!\d:)(?P<sign>[-+](?=[€£¥₹]?\s?\.?\d))?(?:[€£¥₹]\s?|(?:usd|eur|rs)\.?\s?)?(?:(?P<whole>\d+)\s+(?=\d+\s?/\s?\d))?(?P<digits>{_DIGITS})"
    rf"(?:\s?/\s?(?P<below>\d+(?:\.\d+)?)(?![\d/]))?(?:[eE](?P<e>[-+]?\d{{1,3}})(?![\w.])|\s?[*x]\s?10\s?\^?\s?\{{?\s?(?P<power>[-+]?\d{{1,3}})\}}?)?"
    rf"\s?(?P<percent>%|percent\b|per\s?cent\b|por\s?ciento\b|por\s?cento\b|prozent\b|pour\s?cent\b|процент\w*)?(?!:\d|\d|(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\\frac\s*\{?\s*(-?\d+(?:\.\d+)?)\s*\}?\s*\{?\s*(\d+(?:\.\d+)?)\s*\}?")
_SPACED = re.compile(r"\A-?[1-9]\d{0,2}(?: \d{3})+(?=\D*\Z)")
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_LABEL = re.compile(
    r"(?:\b(?:fig(?:ure)?|image|picture|photo|table|chart|graph|panel|step|page|section|chapter|line|row|column|question|problem|part|case|frame|slide"
    r"|angle|point|option|no|nr|number|mark|room|level|grade|class|type|version|item|example|equation|eq|theorem|rule|year)s?\b\.?|#)\s*\(?$"
    r"|\b(?:from|than|since|until|versus|vs\.?|by|compared (?:to|with)|instead of|out of)\s+(?:about\s+|only\s+)?$",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:in|of|since|by|year|during)\s+(?:the year\s+)?$", re.IGNORECASE)
_CONCLUDES = re.compile(r"\b(?:so|hence|therefore|thus|altogether|in total|total(?:s|ing)?|leav(?:es|ing)|gives|makes|equals|becomes)\b[^.\n\d]{0,40}$", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"[^\w\n]{0,3}\w{0,10}[^\w\n]{0,2}\s?(?:,|;|\bor\b|\bto\b|\band\b|-|/)\s*(?:(?:about|maybe|perhaps|possibly|or)\s+)*(?=[-+€£¥]?\.?\d)", re.IGNORECASE)
_BOUND = re.compile(r"\b(?:between|either|from|at least|at most|over|under|up to|below|above)\s+\S{0,3}$", re.IGNORECASE)
_OPERATED = re.compile(r"\s*[-+*/x^]\s*[\d(]")
_SENTENCE = re.compile(r"\n|(?<=[.!?;])\s+(?=\D)|。")
_FAR = 60  # characters between a cue and the number it announces


class Number(NamedTuple):
    """A number as read.

    Attributes:
        value: a percentage already divided by 100.
        percent: whether it was written as a percentage.
        text: as it stands in the response.
    """

    value: float
    percent: bool
    text: str


class _Mention(NamedTuple):
    number: Number
    start: int
    end: int


def stated(text: str) -> Number | None:
    """The number that the plain response finally gives, None when there is none or there are several."""
    text, _ = last_word(_prepared(text))
    for statement in statements(text):
        if not statement.negated and (found := _announced(statement.content)):
            return found if isinstance(found, Number) else None
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip()
    return None if refuses(text) or conditional(text) else _concluded(text)


def numbers_in(text: str) -> list[Number]:
    """All numbers of a plain text."""
    return [mention.number for mention in _mentions(_prepared(text))]


def _prepared(text: str) -> str:
    text = _GROUPED.sub("", _FRACTION.sub(r" \1/\2", text))
    text = _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
    return with_digits(text.replace("°", "° "))


def _mentions(text: str) -> list[_Mention]:
    found = []
    for match in _NUMBER.finditer(text):
        number = _number(match)
        if number is not None:
            found.append(_Mention(number, match.start(), match.end()))
    return found


def _number(match: re.Match[str]) -> Number | None:
    """The value of a match; None for a fraction over zero and what is too large for a float."""
    digits = match["digits"]
    if "," in digits:
        thousands = re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", digits)
        digits = digits.replace(",", "" if thousands else ".")
    try:
        value = float(digits)
        value = value / float(match["below"]) if match["below"] else value
        value = (value + float(match["whole"] or 0)) * 10.0 ** int(match["e"] or match["power"] or 0)
    except (ZeroDivisionError, OverflowError, ValueError):
        return None
    value = -value if match["sign"] == "-" else value
    percent = match["percent"] is not None
    return Number(value / 100 if percent else value, percent, match[0].strip())


def _announced(content: str) -> Number | bool:
    """The first number behind a cue; True where it is taken back or one of several, False where none stands there."""
    sentence = _SENTENCE.split(content, maxsplit=1)[0]
    if "=" in sentence:
        return _of_equation(sentence) or True
    for mention in _mentions(sentence):
        if mention.start > _FAR:
            break
        if _is_label(sentence, mention):
            continue
        if _taken_back(sentence, mention) or conditional(sentence) or _is_one_of_several(sentence, mention):
            return True
        return mention.number
    return False


def _taken_back(text: str, mention: _Mention) -> bool:
    return negated_before(text, mention.start) or negated_after(text, mention.end)


def _is_label(text: str, mention: _Mention) -> bool:
    """Whether the number names a figure, a step, a year, a start or a step size."""
    before = text[max(0, mention.start - 24) : mention.start]
    if _LABEL.search(before):
        return True
    return 1000 <= mention.number.value <= 2100 and len(mention.number.text) == 4 and _YEAR.search(before) is not None


def _is_one_of_several(text: str, mention: _Mention) -> bool:
    if _BOUND.search(text[max(0, mention.start - 12) : mention.start]):
        return True
    return (_ALTERNATIVE.match(text, mention.end) or _OPERATED.match(text, mention.end)) is not None


def _concluded(text: str) -> Number | None:
    """The number of a text without a cue: the only one, or the one that the last sentence concludes with."""
    sentences = [sentence for sentence in _SENTENCE.split(text) if any(char.isdigit() for char in sentence)]
    if not sentences:
        return None
    if len(sentences) == 1 and _is_lone_year(text):
        return _mentions(text)[0].number
    first, *others = text.split("\n")
    if others and len(first) < 25 and len(alone := _mentions(first)) == 1 and not _is_label(first, alone[0]):
        return None if _taken_back(first, alone[0]) else alone[0].number
    equations = [sentence for sentence in sentences if "=" in sentence]
    if equations and equations[-1] is sentences[-1]:
        return _of_equation(equations[-1])
    for sentence in reversed(sentences):
        concluding = [mention for mention in _mentions(sentence) if _CONCLUDES.search(sentence, max(0, mention.start - _FAR), mention.start)]
        if concluding and not _is_label(sentence, concluding[-1]) and not _taken_back(sentence, concluding[-1]):
            return None if _is_one_of_several(sentence, concluding[-1]) else concluding[-1].number
    return _only(text, _mentions(text))


def _only(text: str, mentions: list[_Mention]) -> Number | None:
    """The one value that is mentioned as more than a label, and not taken back."""
    kept = [mention for mention in mentions if not _is_label(text, mention) and not _is_aside(text, mention)]
    if any(_is_one_of_several(text, mention) for mention in kept):
        return None
    kept = [mention for mention in kept if not _taken_back(text, mention)]
    values = {mention.number.value for mention in kept}
    return kept[0].number if len(values) == 1 else None


def _is_aside(text: str, mention: _Mention) -> bool:
    """Whether the number stands in brackets behind a statement."""
    start = max(0, mention.start - _FAR)
    opened, closed = text.rfind("(", start, mention.start), text.rfind(")", start, mention.start)
    return opened > closed and opened > start and any(char.isdigit() for char in text[start:opened])


def _is_lone_year(text: str) -> bool:
    mentions = _mentions(text)
    return len(mentions) == 1 and len(mentions[0].number.text) == 4 and len(text) < 40 and not _taken_back(text, mentions[0])


def _of_equation(sentence: str) -> Number | None:
    """The value of the sides that are nothing but a number (``n = 42 = 30 + 12``), if it is one value."""
    values = {}
    for side in re.split(r"=|≈", sentence):
        side = side.strip().rstrip(".,;")
        mentions = _mentions(side)
        rest = side[: mentions[0].start] + side[mentions[0].end :] if len(mentions) == 1 else "+"
        if not re.search(r"[-+*/^\d√]|\bor\b|\bnot\b", rest):
            values[mentions[0].number.value] = mentions[0].number
    return next(iter(values.values())) if len(values) == 1 else None
