"""Lists of options at the beginning of a text: letters and marked option texts, one or several."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mmeval_pack.judges.improved.letters import LATIN, LETTER, letter_of
from mmeval_pack.judges.improved.options import MARK, Options, key_of
from mmeval_pack.judges.improved.plain import SHOWN
from mmeval_pack.judges.improved.stance import negated_after

Keys = tuple[str, ...]
"""The options chosen, in order; empty when the text names none."""

_FILLER = re.compile(
    rf"(?:[\s\"'(\[{{<:=*,{SHOWN}]|-(?=\s)|\b(?:options?|choices?|letters?|answers?|both|is|are|was"
    rf"|definitely|clearly|probably|likely|most"
    rf"|certainly|actually|just|simply|only|image|picture|figure|point|letra|lettre|alternativa"
    rf"|opción|opção|buchstabe|it|be|will|to|indeed"
    rf"|correct|right|either(?=\s+of))\b"
    rf"|\b(?:a|la|o|el|the|an|l)\s+(?=letra|lettre|opción|opção|alternativa|option|choice|letter"
    rf"|correct|right|one\b|{MARK}|\(|[A-Z]\b)"
    rf"|选项|選項|是|为|為|第)*",
    re.IGNORECASE,
)
_ITEM = re.compile(rf"[\s\"'(\[{{<]*(?:(?:(?:[Tt]he|[Aa]n?)\s+)?({MARK})|({LETTER}))[\"')\]}}>]*")
_LEAD = re.compile(
    r"[✅✔👉➡️⭐\s]*(?:(?:both|options?|choices?|letters?|alternatives?|alternativa|opción|opção|letra|just|only"
    r"|选项|選項)\s*)*",
    re.IGNORECASE,
)
_COMPACT = re.compile(rf"[\"'(\[]*([A-Z]{{2,10}})(?![{LATIN}]|\s?[-+=^*/])")
_OWN_TEXT = re.compile(rf"\s*[.):,、-]*\s*[\"'(]*(?:(?:the|an?)\s+)?({MARK})[\"')]*", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\s*(?:[,;、/&+，]\s*(?:and\b|or\b)?|[.)]\s|\band\b|\bor\b|\by\b|\be\b|\bet\b|\bund\b|\boder\b"
    r"|\bou\b|和|及|與|与|或)\s*(?:options?|choices?)?|\s+",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|\boder\b|\bou\b|或", re.IGNORECASE)
_JOINS = re.compile(r"[&/+]|[^\W\d]")
_WORD_BEHIND = re.compile(r"[ ]+([a-zà-ɏ]+|[A-Z][a-z]+)")
_CLOSING = frozenset("\"')]}>")
_PLAIN_LINK = re.compile(r"and|or|is|because|since|as|so", re.IGNORECASE)
_GOES_ON = re.compile(
    r"and|or|is|are|was|because|since|as|so|for|but|which|while|y|e|et|und|oder|ou|due|given|with|shows|matches|fits"
    r"|looks|seems|best|would|must|should|option|based|instead|rather|from",
    re.IGNORECASE,
)


class Unclear(Exception):  # noqa: N818 (it ends a reading and never leaves the package)
    """The response names alternatives, or says two things."""


class _Item(NamedTuple):
    key: str
    end: int
    joint: str
    """What stands between the item and the one before it."""


def listed(text: str, options: Options, *, lead: bool = False, strict: bool = False) -> Keys:
    """The options that the marked text begins with, by letter or text; empty when it denies them.

    Args:
        text: marked text (`options.marked`).
        options: what can be chosen.
        lead: the text is the whole response, and nothing announces the letters.
        strict: a word behind a letter makes it a word too, even where it is no article.

    Raises:
        Unclear: they are alternatives (``A or B``), or a letter stands with another option's text.
    """
    place = announced_from(text, lead=lead)
    if not lead and negated_after(text, place):
        return ()
    compact = _COMPACT.match(text, place)
    if compact and len(set(compact[1])) == len(compact[1]) and options.letters.issuperset(compact[1]):
        return tuple(compact[1])
    items = list(_items(text, place, options, strict=strict))
    if items and negated_after(text, items[-1].end):
        if _JOINS.search(items[-1].joint):
            return ()
        items.pop()
    keys = tuple(dict.fromkeys(item.key for item in items))
    if len(keys) > 1 and any(_OR.search(item.joint) for item in items):
        raise Unclear
    return keys


def announced_from(text: str, *, lead: bool = False) -> int:
    """Where the list begins, behind words such as "option" that may stand before it."""
    filler = (_LEAD if lead else _FILLER).match(text)
    return filler.end() if filler else 0


def letter_at(text: str, place: int) -> bool:
    """Whether a letter that may stand for an option, and no option's text, is at the place."""
    item = _ITEM.match(text, place)
    return item is not None and item[2] is not None


def _items(text: str, place: int, options: Options, *, strict: bool) -> Iterator[_Item]:
    joint = ""
    while item := _ITEM.match(text, place):
        key = _key(item, text, options, strict=joint.isspace() if joint else strict)
        if key is None:
            if joint and _is_foreign(item, joint, text, options):
                raise Unclear
            return
        end = _own_text_end(item, key, text, options)
        yield _Item(key, end, joint)
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            return
        joint, place = separator[0], separator.end()


def _own_text_end(item: re.Match[str], key: str, text: str, options: Options) -> int:
    """Where the item ends, with the option's own text behind its letter."""
    own = _OWN_TEXT.match(text, item.end()) if item[2] else None
    if own is None:
        return item.end()
    if key_of(own[1], options) != key:
        raise Unclear
    return own.end()


def _key(item: re.Match[str], text: str, options: Options, *, strict: bool) -> str | None:
    """The option of an item, None where the letter is a word (an article, a pronoun) or no option's."""
    if item[1]:
        return key_of(item[1], options)
    letter = letter_of(item[2])
    if letter not in options.letters:
        return None
    behind = _WORD_BEHIND.match(text, item.end())
    if behind is None or text[item.end() - 1] in _CLOSING:
        return letter
    if letter == "I" and strict and not _PLAIN_LINK.fullmatch(behind[1]):
        return None
    is_word = strict or letter in "AIEOY" or item[2].islower()
    return None if is_word and not _GOES_ON.fullmatch(behind[1]) else letter


def _is_foreign(item: re.Match[str], joint: str, text: str, options: Options) -> bool:
    """Whether a list of letters ends with one that is no option's."""
    letter = item[2] or ""
    at_end = not text[item.end() :].strip(" .")
    return letter.isupper() and letter not in options.letters and not joint.isspace() and at_end
