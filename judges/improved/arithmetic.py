"""The value of a short formula of numbers."""

from __future__ import annotations

import math
import re

from mmeval_pack.judges.improved.formula import DEEPEST, one_line

_MOST = 60  # symbols of a formula

_SYMBOL = re.compile(r"\d+(?:\.\d+)?|\.\d+|sqrt|[a-zA-Zπ]|[-+*/^()]")
_MIXED = re.compile(r"(\d)\s*(?=\\[dt]?frac)")


def value(text: str) -> float | None:
    """The value of a formula of numbers, π, roots, powers and the four operations; None of anything else."""
    text = one_line(_MIXED.sub(r"\1+", text))
    symbols = _SYMBOL.findall(text)
    if not symbols or "".join(symbols) != text or len(symbols) > _MOST:
        return None
    try:
        result = _Evaluator(symbols).whole()
    except (ValueError, ZeroDivisionError, OverflowError, IndexError):
        return None
    return result if math.isfinite(result) else None


class _Evaluator:
    """Recursive descent over the symbols of one formula; what stands side by side is multiplied.

    Raises ValueError for what is no formula, and where brackets nest deeper than `DEEPEST`.
    """

    def __init__(self, symbols: list[str]) -> None:
        self.symbols = [*symbols, ""]
        self.at = 0
        self.depth = 0

    def whole(self) -> float:
        result = self.sum()
        if self.symbols[self.at]:
            raise ValueError("trailing symbols")
        return result

    def take(self, *symbols: str) -> str:
        if self.symbols[self.at] in symbols:
            self.at += 1
            return self.symbols[self.at - 1]
        return ""

    def sum(self) -> float:
        result = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            result = result + term if sign == "+" else result - term
        return result

    def product(self) -> float:
        result = self.signed()
        while (following := self.symbols[self.at]) and following not in "+-)^":
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
        symbol = self.symbols[self.at]
        self.at += 1
        if symbol == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                raise ValueError("brackets too deep")
            result = self.sum()
            if not self.take(")"):
                raise ValueError("bracket left open")
            self.depth -= 1
            return result
        if symbol == "sqrt":
            return math.sqrt(self.atom())
        if symbol == "π":
            return math.pi
        return float(symbol)
