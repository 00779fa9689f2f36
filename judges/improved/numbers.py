"""The numbers of a text, in the notations that people and models write."""

from __future__ import annotations

import re
from typing import NamedTuple

from mmeval_pack.judges.improved.number_words import with_digits

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d])|\d+,\d+(?![\d,.])|\d+(?:\.\d+)?|\.\d+)"
_NUMBER = re.compile(
    rf"(?<![\w.,^])(?<!\d:)(?P<sign>[-+](?=[€£¥₹]?\s?\.?\d))?(?:[€£¥₹]\s?|(?:usd|eur"
    rf"|rs)\.?\s?)?(?:(?P<whole>\d+)\s+(?=\d+\s?/\s?\d))?(?P<digits>{_DIGITS})"
    rf"(?:\s?/\s?(?P<below>\d+(?:\.\d+)?)(?![\d/]))?(?:[eE](?P<e>[-+]?\d{{1,3}})(?![\w.])"
    rf"|\s?[*x]\s?10\s?\^?\s?\{{?\s?(?P<power>[-+]?\d{{1,3}})\}}?)?"
    rf"\s?(?P<percent>%|percent\b|per\s?cent\b|por\s?ciento\b|por\s?cento\b|prozent\b|pour\s?cent\b"
    rf"|процент\w*)?(?!:\d|\d|(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"\\frac\s*\{?\s*(-?\d+(?:\.\d+)?)\s*\}?\s*\{?\s*(\d+(?:\.\d+)?)\s*\}?")
_SPACED = re.compile(r"\A-?[1-9]\d{0,2}(?: \d{3})+(?=\D*\Z)")
_GROUPED = re.compile(r"(?<=\d)_(?=\d{3}(?!\d))")
_LABEL = re.compile(
    r"(?:\b(?:fig(?:ure)?|image|picture|photo|table|chart|graph|panel|step|page|section|chapter"
    r"|line|row|column|question|problem|part|case|frame|slide"
    r"|angle|point|option|nr|number|mark|room|level|grade|class|type|version|item|example"
    r"|equation|eq|theorem|rule|year)s?\b\.?|#)\s*\(?$"
    r"|\bno\.\s*$|\b(?:from|than|since|until|versus|vs\.?|by|compared (?:to|with)|instead of"
    r"|out of)\s+(?:about\s+|only\s+)?$",
    re.IGNORECASE,
)


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


class Mention(NamedTuple):
    """A number and where it stands in the prepared text."""

    number: Number
    start: int
    end: int


def numbers_in(text: str) -> list[Number]:
    """All numbers of a plain text."""
    return [mention.number for mention in mentions_in(prepared(text))]


def prepared(text: str) -> str:
    """The plain text with fractions, grouped digits and number words as plain digits."""
    text = _GROUPED.sub("", _FRACTION.sub(r" \1/\2", text))
    text = _SPACED.sub(lambda found: found[0].replace(" ", ""), text)
    return with_digits(text.replace("°", "° "))


def mentions_in(text: str) -> list[Mention]:
    """All numbers of a prepared text, with their places."""
    found = []
    for match in _NUMBER.finditer(text):
        number = _number(match)
        if number is not None:
            found.append(Mention(number, match.start(), match.end()))
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


def is_label(before: str) -> bool:
    """Whether the words before a number make it the name of a thing, a start or a step size, and no value."""
    return _LABEL.search(before) is not None
