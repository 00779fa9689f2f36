"""Reading numbers and comparing them."""

from __future__ import annotations

import re

_FIRST = re.compile(r"-?\d+(?:\.\d+)?%?")
_CUE = re.compile(r"answer(?:(?<=final answer)| is| ?[:\-])|=")
_MAY_BEGIN = frozenset("0123456789+-.,ni ")
_MAY_END = frozenset("0123456789.%nfy ")  # as 1, 1., 1%, nan, inf and infinity do


def number(text: str) -> float | None:
    """The number that an opened text (`text.opened`) is as a whole, None when it is none.

    Commas count for nothing, a percent sign divides by 100, and all that `float` reads is a number
    (``1e5``, ``1_000``, ``nan``, ``inf``, digits of any script).
    """
    if not text or (text[0] not in _MAY_BEGIN and text.isascii()):
        return None
    text = text.replace(",", "")
    if not text or (text[-1] not in _MAY_END and text.isascii()):
        return None
    percent = text[-1] == "%"
    try:
        value = float(text.rstrip("% ") if percent else text)
    except ValueError:
        return None
    return value / 100 if percent else value


def number_in(text: str) -> str | None:
    """The first number behind the last cue of an opened text, else the first one anywhere, as text."""
    start = 0
    if "=" in text or "answer" in text:
        for cue in _CUE.finditer(text):
            start = cue.end()
    found = _FIRST.search(text, start) or (_FIRST.search(text) if start else None)
    return found[0] if found else None


def equal(value: float, truth: float, rel_tol: float, abs_tol: float) -> bool:
    """Whether two numbers agree: equal, or within the absolute, or within the relative tolerance.

    A relative tolerance is a share of the truth and never helps a truth of zero; nan agrees with nothing.
    """
    if value == truth:
        return True
    distance = abs(value - truth)
    if abs_tol > 0 and distance <= abs_tol:
        return True
    return rel_tol > 0 and truth != 0 and distance / abs(truth) <= rel_tol
