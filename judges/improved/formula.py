"""Equality of short formulas and of quantities with units, without a computer algebra system."""

from __future__ import annotations

import math
import re

_LONGEST = 160  # characters of a formula that is looked at
_DEEPEST = 12

_REWRITES = tuple(
    (re.compile(pattern), form)
    for pattern, form in (
        (r"\\(?:left|right|displaystyle|big|Big)\b|\\[,;:! ()\[\]]|[$~]", ""),
        (r"\\[dt]?frac\s*(\d)\s*(\d)", r"((\1)/(\2))"),
        (r"√\s*(\d+(?:\.\d+)?|[a-zA-Zπ])", r"sqrt(\1)"),
        (r"√\s*(?=[({])", "sqrt"),
        (r"\\sqrt\s*(\d|[a-zA-Z])(?![\w{])", r"sqrt(\1)"),
        (r"\\sqrt\b", "sqrt"),
        (r"sqrt\s+(\d+)", r"sqrt(\1)"),
        (r"\\(?:times|cdot)\b|[×·⋅]", "*"),
        (r"\\div\b|÷", "/"),
        (r"\\(?:le|leq|leqslant)\b|≤", "<="),
        (r"\\(?:ge|geq|geqslant)\b|≥", ">="),
        (r"\\infty\b|∞|\binfinity\b", "∞"),
        (r"\\pm\b", "±"),
        (r"\\?\bpi\b", "π"),
        (r"\^?\{?\\circ\}?|\\degrees?\b|\bdegrees?\b|\bdeg\b", "°"),
        (r"\\(alpha|beta|theta|gamma|phi)\b", r"\1"),
        (r"\*\*", "^"),
    )
)
_FRAC = re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_ROOT = re.compile(r"sqrt\s*\{([^{}]*)\}")
_RANGE = re.compile(r"(?:from\s+)?(\S+)\s+to\s+(\S+)")
_BOUNDED = re.compile(r"([^<>=]+)(<=?)[a-zA-Z](<=?)([^<>=]+)")
_TOKEN = re.compile(r"\d+(?:\.\d+)?|\.\d+|sqrt|[a-zA-Zπ]|[-+*/^()]")
_SYMBOLIC = re.compile(r"[\d\\√π^=<>+*/]|sqrt")


def is_formula(text: str) -> bool:
    """Whether a text is short enough, and enough of a formula, to be compared as one."""
    return len(text) <= _LONGEST and _SYMBOLIC.search(text) is not None


def canonical(text: str) -> str:
    """One way of writing the formula: no spaces, no LaTeX dress, equations and sums in sorted order."""
    text = text[:_LONGEST].strip().rstrip(".,;").strip()
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    text = _without_braces(text)
    if ranged := _RANGE.fullmatch(text.strip()):
        text = f"[{ranged[1]},{ranged[2]}]"
    text = "".join(text.replace("{", "(").replace("}", ")").split())
    text = re.sub(r"(?<![a-zA-Z0-9)])\((\w)\)", r"\1", text)
    text = re.sub(r"\^\((\w)\)", r"^\1", text)
    if bounded := _BOUNDED.fullmatch(text):
        opening, closing = ("[" if bounded[2] == "<=" else "("), ("]" if bounded[3] == "<=" else ")")
        text = f"{opening}{bounded[1]},{bounded[4]}{closing}"
    parts = text.strip("()").split(",")
    if len(parts) > 1 and all(part.count("=") == 1 for part in parts):
        text = f"({','.join(part.split('=')[1] for part in parts)})"
    sides = [_sorted_terms(side) for side in text.split("=")]
    return "=".join(sorted(sides))


def _without_braces(text: str) -> str:
    """Roots and fractions with round brackets, from the inside out."""
    for _ in range(_DEEPEST):
        text, roots = _ROOT.subn(r"sqrt(\1)", text)
        text, fractions = _FRAC.subn(r"((\1)/(\2))", text)
        if not roots + fractions:
            break
    return text


def _sorted_terms(side: str) -> str:
    """The terms of a sum in sorted order; a text with brackets or commas stays as it is."""
    if any(char in side for char in "()[],"):
        return side.replace("*", "") if not any(char in side for char in "[],") else side
    return "".join(sorted(re.findall(r"[-+]?[^-+]+", side if side[:1] in "-+" else f"+{side}"))).replace("*", "")


def value(text: str) -> float | None:
    """The value of a formula of numbers, π, roots, powers and the four operations; None of anything else."""
    text = canonical_parts(text)
    tokens = _TOKEN.findall(text)
    if not tokens or "".join(tokens) != text or len(tokens) > 60:
        return None
    try:
        result = _Evaluator(tokens).whole()
    except (ValueError, ZeroDivisionError, OverflowError, IndexError):
        return None
    return result if math.isfinite(result) else None


def canonical_parts(text: str) -> str:
    """The formula in one line of the operators that `value` knows."""
    text = text[:_LONGEST].strip().rstrip(".,;").strip()
    text = re.sub(r"(\d)\s*(?=\\[dt]?frac)", r"\1+", text)
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    text = _without_braces(text)
    return "".join(text.replace("{", "(").replace("}", ")").split())


class _Evaluator:
    """Recursive descent over the tokens of one formula; what stands side by side is multiplied.

    Raises ValueError for what is no formula, and where brackets nest deeper than `_DEEPEST`.
    """

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = [*tokens, ""]
        self.at = 0
        self.depth = 0

    def whole(self) -> float:
        result = self.sum()
        if self.tokens[self.at]:
            raise ValueError("trailing tokens")
        return result

    def take(self, *tokens: str) -> str:
        if self.tokens[self.at] in tokens:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def sum(self) -> float:
        result = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            result = result + term if sign == "+" else result - term
        return result

    def product(self) -> float:
        result = self.signed()
        while (following := self.tokens[self.at]) and following not in "+-)^":
            if self.take("/"):
                result /= self.signed()
            else:
                self.take("*")
                result *= self.signed()
        return result

    def signed(self) -> float:
        sign = self.take("-", "+")
        return -self.power() if sign == "-" else self.power()

    def power(self) -> float:
        base = self.atom()
        if self.take("^"):
            result = base ** self.signed()
            if isinstance(result, complex):
                raise ValueError("root of a negative number")
            return float(result)
        return base

    def atom(self) -> float:
        token = self.tokens[self.at]
        self.at += 1
        if token == "(":
            self.depth += 1
            if self.depth > _DEEPEST:
                raise ValueError("brackets too deep")
            result = self.sum()
            if not self.take(")"):
                raise ValueError("bracket left open")
            self.depth -= 1
            return result
        if token == "sqrt":
            return math.sqrt(self.atom())
        if token == "π":
            return math.pi
        return float(token)
