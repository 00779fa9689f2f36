"""Numbers written in English words, as digits."""

from __future__ import annotations

import re

_UNITS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_SCALES = {"thousand": 1000, "million": 10**6, "billion": 10**9}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "tenth": 10,
    "tenths": 10,
}

_ANY = "|".join([*_UNITS, *_TENS, *_SCALES, "hundred"])
_NUMERAL = re.compile(
    rf"(?<![\w'])(?:(?:{_ANY})(?:[\s-]+(?:and\s+)?(?=(?:{_ANY})\b))?){{1,20}}(?![\w'])", re.IGNORECASE
)
_SPLIT = re.compile(r"[\s-]+")
_BEFORE_PRONOUN = re.compile(
    r"\b(?:(?:the|this|that)\s+(?:(?!is\b|are\b|was\b)\w+\s+)?|(?:which|no|any|each|every|only|other)\s+)$",
    re.IGNORECASE,
)
_BEHIND_PRONOUN = re.compile(r"\s+(?:of|can|could|would|might|should|must|another|by)\b", re.IGNORECASE)
_PARTED = re.compile(rf"(?<![\w.])(\d+|a|an)[\s-]+({'|'.join(_PARTS)})(?!\w)", re.IGNORECASE)
_HALF = re.compile(r"\A(?:a |one )?half\W*\Z", re.IGNORECASE)
_MINUS = re.compile(r"\b(?:minus|negative)\s+(?=\.?\d)", re.IGNORECASE)


def with_digits(text: str) -> str:
    """The text with its number words as digits: ``negative five`` -> ``-5``, ``three quarters`` -> ``3/4``.

    The pronoun "one" stays as it is.
    """
    text = _NUMERAL.sub(_digits, _HALF.sub("1/2", text))
    text = _PARTED.sub(_fraction, text)
    return _MINUS.sub("-", text)


def _digits(found: re.Match[str]) -> str:
    text, start = found.string, found.start()
    if found[0].lower() == "one" and (
        _BEFORE_PRONOUN.search(text, max(0, start - 24), start) or _BEHIND_PRONOUN.match(text, found.end())
    ):
        return found[0]
    return str(_value(found[0]))


def _fraction(found: re.Match[str]) -> str:
    count = found[1] if found[1].isdigit() else "1"
    return f"{count}/{_PARTS[found[2].lower()]}"


def _value(words: str) -> int:
    total = group = 0
    for word in _SPLIT.split(words.lower()):
        if word in _SCALES:
            total += max(group, 1) * _SCALES[word]
            group = 0
        elif word == "hundred":
            group = max(group, 1) * 100
        else:
            group += _UNITS.get(word, 0) + _TENS.get(word, 0)
    return total + group
