"""Whether a response says yes or no, in its own words."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import conditional, last_word, refuses

_YES = (
    r"yes|yep|yeah|yup|yea|aye|sim|s[ií]|oui|ja|da|да|evet|tak|igen|ναι|हाँ|हां"
    r"|はい|네|예|是的?|对|對|正确|有的|نعم|أجل"
)
_NO = (
    r"(?:absolutely|definitely|certainly|of course|probably|surely|clearly|obviously) not|no|nope"
    r"|nah|nay|not|n[ãa]o|non|nein|nee|nej|net|нет"
    r"|hayır|nie|nem|όχι|नहीं|いいえ|아니요|아니오|不是的?|否|不对|不對|没有|沒有|错误?|錯|لا|كلا"
)
_YES_ALONE = (
    r"ya|sure|true|correct|right|affirmative|positive|indeed|definitely"
    r"|certainly|absolutely|of course|agreed|that's (?:right|correct|true)"
)
_NO_ALONE = r"false|incorrect|wrong|negative|untrue|never|by no means"
_WORD = re.compile(
    rf"[\s\"'(\[,.:{SHOWN}-]*(?:(?:probably|likely|clearly|obviously|well|hmm|a|the|answer|is"
    rf"|would be|most|it|that|i think|i believe|i'd say|so)\b[\s,]*)*"
    rf"(?:({_NO}|(?:{_NO_ALONE})(?=\W*$|[.,!;\n]))|({_YES}|(?:{_YES_ALONE})(?=\W*$"
    rf"|[.,!;\n])))(?![a-zà-ɏа-я]|['’][a-z])"
    r"(?!\s+(?:answers?|options?|choices?|one|statements?|images?|pictures?|letter|side|hand)\b)",
    re.IGNORECASE,
)
_NO_DETERMINER = re.compile(
    r"no(?:t)?\s+(?![,.:;!-])(?!it\b|there\b|they\b|he\b|she\b|this\b|that\b|the\b|i\b|because\b"
    r"|since\b|as\b|you\b|we\b|at all|really|true\b|correct\b|right\b|exactly|quite"
    r"|fits\b|is\b|would\b|seems\b|matches\b|yes\b)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"no\.?\s*\d", re.IGNORECASE)
_FIRST_LETTER = {"y": "yes", "n": "no", "t": "yes", "f": "no"}
_ANYWHERE = re.compile(r"(?<![a-zà-ɏ])(?:(yes)|(no))(?!\s*\?|[a-zà-ɏ]|['’][a-z])", re.IGNORECASE)
_DENIED_YES = re.compile(
    r"\bnot (?:true|the case|correct) that\b[^.\n]{0,40}\byes\b|\b(?:would|could|can"
    r"|do)(?: ?n[o']t| not)\b[^.\n,]{0,20}\b(?:say|answer)\s+yes\b",
    re.IGNORECASE,
)
_PREDICATE = re.compile(
    r"(?:it|they|he|she|this|that|there|the \w+|the \w+ \w+)\s*(?:is|are|does|do|has|have|can|was"
    r"|were|will|did|'s)(n't\b|\s+not\b)?\b\s*([^.!\n]*)[.!]?",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(
    r"\byes\b[\s,\"']{0,3}(?:or|and|/|oder|ou)\s*[\"']?no\b|\bno\b[\s,\"']{0,3}(?:or|and|/|oder"
    r"|ou)\s*[\"']?yes\b|\byes\s*/\s*no\b|\byes\W+but\s+no\b(?!\s+\w)",
    re.IGNORECASE,
)


def said(text: str, question: str = "") -> str | None:
    """``yes`` or ``no`` as the plain response finally says it, None when it says neither.

    Args:
        text: the plain response.
        question: what was asked; a sentence such as "It is not closed" answers by repeating its words.
    """
    text = last_word(text)
    if _ALTERNATIVES.search(text):
        return None
    for statement in statements(text):
        if not statement.negated and (word := _first(statement.content)):
            return word
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip()
    if word := _FIRST_LETTER.get(text.rstrip(".!").lower()):
        return word
    literal = re.match(r"\W*(?:yes|no)\b", text, re.IGNORECASE)
    if conditional(text) or (refuses(text) and not literal):
        return None
    if word := _first(text):
        return word
    if refuses(text):
        return None
    return _in_passing(text) or _by_repeating(text, question)


def _first(text: str) -> str | None:
    """The word that the text begins with, unless it belongs to a phrase (``no idea``, ``No. 5``)."""
    found = _WORD.match(text)
    if not found:
        return None
    if found[2]:
        return "yes"
    start = found.start(1)
    if found[1].lower() == "not" and text[start:].strip(" .!\n").lower() not in (
        "not",
        "not at all",
        "not really",
        "not true",
        "not correct",
    ):
        return None
    if _NUMBERED.match(text, start) or _NO_DETERMINER.match(text, start):
        return None
    return "no"


def _in_passing(text: str) -> str | None:
    """The only one of the two words in a short text, or its denial."""
    found = {
        match[0].lower()
        for match in _ANYWHERE.finditer(text)
        if not _NO_DETERMINER.match(text, match.start()) and not _NUMBERED.match(text, match.start())
    }
    if (found != {"yes"} and found != {"no"}) or len(text) > 200:
        return None
    (word,) = found
    if _DENIED_YES.search(text):
        return "no"
    place = text.lower().rindex(word)
    if re.search(
        r"\bnot\b|n't\b|\bnever\b|\bif\b|\bwhether\b|\bwanted\b|\bno\s+\w", text[:place], re.IGNORECASE
    ):
        return None
    return word


def _by_repeating(text: str, question: str) -> str | None:
    """The answer of one sentence that affirms or denies what was asked in the words of the question."""
    found = _PREDICATE.fullmatch(text)
    if not found:
        return None
    asked = set(re.findall(r"\w+", question.lower()))
    if "or" in asked or "not" in asked or "n't" in question:
        return None
    rest = re.findall(r"\w+", found[2].lower())
    if not set(rest) <= asked:
        return None
    return "no" if found[1] else "yes"
