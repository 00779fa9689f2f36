"""Texts of others (publishers, endpoints, users' files) as a terminal can show them."""

from __future__ import annotations

from collections.abc import Callable
from unicodedata import category

# categories of characters: control, format (those that turn the direction of writing among them), half of a
# surrogate pair, separators of lines and paragraphs
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """The text with escapes for what a terminal would obey or hide; line ends and tabs stay."""
    return escaped(text, lambda character: character.encode("unicode_escape").decode())


def escaped(text: str, escape: Callable[[str], str]) -> str:
    """The text with each such character replaced by what ``escape`` makes of it."""
    if text.isprintable():
        return text
    return "".join(escape(one) if category(one) in _UNSEEN and one not in "\n\t" else one for one in text)
