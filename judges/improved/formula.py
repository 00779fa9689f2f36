"""One way of writing a short formula, without a computer algebra system."""

from __future__ import annotations

import re

_LONGEST = 160  # characters of a formula that is looked at
DEEPEST = 12

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
_TIMES = re.compile(r"\*(?!\d)|(?<!\d)\*")
_SYMBOLIC = re.compile(r"[\d\\√π^=<>+*/]|sqrt")


def is_formula(text: str) -> bool:
    """Whether a text is short enough, and enough of a formula, to be compared as one."""
    return len(text) <= _LONGEST and _SYMBOLIC.search(text) is not None


def canonical(text: str) -> str:
    """One way of writing the formula: no spaces, no LaTeX dress, equations and sums in sorted order."""
    text = text.strip().rstrip(".,;").strip()
    ranged = _RANGE.fullmatch(text)
    text = one_line(f"[{ranged[1]},{ranged[2]}]" if ranged else text)
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


def one_line(text: str) -> str:
    """The formula in the operators of one line, without spaces and LaTeX dress."""
    text = text[:_LONGEST].strip().rstrip(".,;").strip()
    for pattern, form in _REWRITES:
        text = pattern.sub(form, text)
    return "".join(_without_braces(text).replace("{", "(").replace("}", ")").split())


def _without_braces(text: str) -> str:
    """Roots and fractions with round brackets, from the inside out."""
    for _ in range(DEEPEST):
        text, roots = _ROOT.subn(r"sqrt(\1)", text)
        text, fractions = _FRAC.subn(r"((\1)/(\2))", text)
        if not roots + fractions:
            break
    return text


def _sorted_terms(side: str) -> str:
    """The terms of a sum in sorted order; a text with brackets or commas stays as it is."""
    if any(char in side for char in "()[],"):
        return side if any(char in side for char in "[],") else _TIMES.sub("", side)
    terms = re.findall(r"[-+]?[^-+]+", side if side[:1] in "-+" else f"+{side}")
    return _TIMES.sub("", "".join(sorted(terms)))
