"""Reads the 0/1 verdict in a judge's reply, and none where the reply does not clearly hold one."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from mmeval_pack.judges.reasoning import separate

KEYS: Final = frozenset({"judgement", "judgment", "verdict", "score", "is_correct"})
WORDS: Final = {"0": 0, "1": 1, "yes": 1, "no": 0, "true": 1, "false": 0}

# Possessive quantifiers: a run of marks is scanned once and never taken back, which keeps the search linear.
_MARKS = r"[\s*_`\"'()\[\]{}]*+"
_LABELLED: Final = re.compile(
    rf"\b(?:judge?ment|verdict|score){_MARKS}(?P<sign>:|is\b|isn['\u2019]t\b){_MARKS}:?+{_MARKS}(?:"
    # A number in any notation, so that 10, 0.5 or 1/2 are seen whole, and refused; a word must end its clause
    # ("the judgement is no different" is none).
    r"(?P<value>[-+]?\d[\w.,/%]*+|(?:yes|no|true|false)(?=[*_`\"')\]}]*+(?:[.,;!\r\n]|\s*+$)))"
    # "1 or 0", "1 out of 5", "1 only if", "0 - 1", "[0, 1]", "1 is wrong" name no verdict.
    r"(?P<hedged>[ \t*_`\"']*+(?:(?:or|of|out|if|only|unless|when|vs|versus)\b|%"
    r"|(?:and\b|to\b|[-–/])[ \t]*+\d|(?:is|was|seems|would be)[ \t]++(?:not|wrong|incorrect)\b)"
    r"|(?<!\.)[^\w\n(]++[01]\b(?![.,]\d))?"
    r"|(?P<word>(?:not|incorrect|correct|wrong|right|neither|none|unclear|unknown)\b))?+",
    re.IGNORECASE | re.ASCII,
)
_REMARK: Final = re.compile(r"\b(?:for|of|on|behind|about) (?:(?:the|my|this|that) )?$", re.IGNORECASE)
_LONGEST_REMARK: Final = len(" behind this ")
_MARKUP: Final = "*_`"
_BRACKETS: Final = "()[]{}"


def read_verdict(reply: str) -> int | None:
    """The verdict of a judge that was asked for 0 or 1.

    Reasoning blocks come off first; then the first of these rules that applies decides: a JSON object with a
    verdict key; the last labelled verdict; the whole reply is a verdict word; the first line is 0 or 1 alone.

    Returns:
        0 or 1; None when the reply holds no verdict, or one that was not offered.
    """
    text = separate(reply).answer
    if text is None:
        return None
    text = text.strip()
    fields = _json_object(text)
    if fields is not None and not KEYS.isdisjoint(fields):
        return _of_fields(fields)
    labelled = [label for label in _LABELLED.finditer(text) if _is_verdict(label)]
    if labelled:
        return _of_label(labelled[-1])
    whole = _bare(text, _MARKUP + _BRACKETS).lower()
    return WORDS[whole] if whole in WORDS else _of_first_line(text)


def _json_object(text: str) -> dict[str, Any] | None:
    """The JSON object that spans from the first brace to the last, whatever stands around it."""
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        return None
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return {key.lower(): item for key, item in value.items()}


def _of_fields(fields: dict[str, Any]) -> int | None:
    verdicts = {_of_value(fields[key]) for key in KEYS & fields.keys()}
    return verdicts.pop() if len(verdicts) == 1 else None


def _of_value(value: Any) -> int | None:
    if isinstance(value, bool | int):
        return int(value) if value in (0, 1) else None
    return WORDS.get(value.strip().lower()) if isinstance(value, str) else None


def _is_verdict(label: re.Match[str]) -> bool:
    """Whether a verdict is stated here, readable or not; "reason for the score: 1 is not 2" states none."""
    start = label.start()
    if _REMARK.search(label.string, max(0, start - _LONGEST_REMARK), start):
        return False
    return bool(label["value"] or label["word"]) or label["sign"].lower() != "is"


def _of_label(label: re.Match[str]) -> int | None:
    if not label["value"] or label["hedged"] or label["sign"].lower().startswith("isn"):
        return None
    return WORDS.get(label["value"].lower().rstrip(".,"))


def _of_first_line(text: str) -> int | None:
    """The digit that stands alone in the first line; one parenthesis behind it is the judge's remark."""
    line = text.partition("\n")[0].strip()
    digit, bracket, remark = line.partition("(")
    digit = digit.strip().strip(_MARKUP)
    if digit not in ("0", "1") or (bracket and not _is_parenthesis(bracket + remark)):
        return None
    return int(digit)


def _is_parenthesis(text: str) -> bool:
    """Whether the bracket that opens the text is closed by the text's last character and not before."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return place == len(text) - 1
    return False


def _bare(text: str, marks: str) -> str:
    """The text without the marks and blanks around it and without one final dot."""
    marks += " \t\r\n"
    return text.strip(marks).removesuffix(".").strip(marks)
