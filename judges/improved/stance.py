"""Words that take a statement back: negation, exclusion, refusal, a change of mind."""

from __future__ import annotations

import re

_NEGATING = (
    r"not|never|neither|nor|no|cannot|without|except|excluding|exclude|excludes|eliminate"
    r"|eliminating|ignore|ignoring"
    r"|reject|discard|avoid|incorrect|wrong|false|worst|untrue|unlikely|rather than|instead of"
    r"|unlike|anything but"
    r"|all but|everything but|rule out|ruling out|ruled out|other than|apart from|besides|than"
    r"|at first|first (?:thought|wanted|guess)|initially|doubt|hardly|barely"
    r"|originally|wanted|nicht|kein|keine|nao|não|pas|ni|нет|не|ليس|ليست|لا"
)
_NEGATED = re.compile(rf"\b(?:{_NEGATING})\b|n't\b|不|非|除了|排除|没|沒|错|錯|ない", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[.;:!?\n,，。；！？(]|\bbut\b|\bso\b|\bthen\b", re.IGNORECASE)
_BEFORE = 48

_NEGATED_AFTER = re.compile(
    r"['\")\]]*\s*(?:(?:options?|choices?|answers?)\s+)?(?:(?:is|are|was|were|does|do|did|has"
    r"|seems?|looks?|can|would|will|could|must)\s*"
    r"(?:not\b|n't\b|never\b|(?:be\s+|both\s+|all\s+|also\s+|clearly\s+|definitely\s+)*(?:wrong"
    r"|incorrect|false|impossible"
    r"|ruled out|eliminated|excluded|out\b|no\b|unlikely|too\b))|(?:cannot|can't|couldn't|isn't"
    r"|aren't|doesn't|don't|won't|wouldn't|fails?)\b"
    r"|(?:could|might|may|would)\s+(?:also\s+|both\s+)?be\b|and\b[^.\n]{0,20}\bcould\b|(?:is|are"
    r"|was|were)\s+(?:missing|absent|gone)\b|(?:选项|選項)?都?是?(?:错|錯|不))",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:can(?:no|')t|cannot|could ?n[o']t|unable to|impossible to|not (?:possible|able) to"
    r"|hard to|difficult to)\s+"
    r"(?:be\s+)?(?:\w+ly\s+)?(?:determined?|tell|say|answer(?:ed)?|decide|identify|see|help|assist"
    r"|know|be sure|provide|view|process"
    r"|choose|pick|select|judge|make out|read)\b"
    r"|\b(?:do(?:n't| not)|did(?:n't| not)) (?:really )?know\b|\bno (?:idea|way to (?:tell|know"
    r"|say|be sure)|image|picture|clue)\b"
    r"|\bneed\w*\s[^.\n]{0,40}\bto (?:answer|tell|decide|know)\b|\bnot (?:enough|sufficient)\b"
    r"|\binsufficient\b|\bn/?a\b|\bnot (?:sure|certain|clear|visible)\b|\bundetermined\b"
    r"|\bunknown\b|\bunanswerable\b|\b(?:rate limited|api error|failed to obtain)\b|^error\b|无法"
    r"|不知道|不确定|わかりません|모르",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|otherwise|depending on|depends on)\b|如果|否则", re.IGNORECASE)
_RETRACTION = re.compile(
    r"\b(?:wait|hold on|scratch that|correction|sorry|oops|on second thoughts?"
    r"|let me (?:re)?(?:check|think|consider|correct)"
    r"(?: again)?|i mean[t]?|actually|i was wrong|my mistake|rectif\w+)\b[\s,.:;!-]*"
    r"|(?<=[.!?,;…-])\s*\bno[,:;.]\s+(?:it\b|the\b|that\b|answer\b|i\b)",
    re.IGNORECASE,
)


def negated_before(text: str, place: int) -> bool:
    """Whether a word of the same clause takes back what stands at the place."""
    before = text[max(0, place - _BEFORE) : place]
    clause = 0
    for end in _CLAUSE_END.finditer(before):
        clause = end.end()
    return _NEGATED.search(before, clause) is not None


def negated_after(text: str, place: int) -> bool:
    """Whether what follows takes back, or leaves open, what ends at the place."""
    return _NEGATED_AFTER.match(text, place) is not None


def conditional(text: str) -> bool:
    """Whether the text makes what it says depend on something."""
    return _CONDITION.search(text) is not None


def refuses(text: str) -> bool:
    """Whether the text says that there is no answer to give."""
    return _REFUSAL.search(text) is not None


def last_word(text: str) -> str:
    """What the text says after it last changed its mind; the whole text when it never did."""
    end = 0
    for mark in _RETRACTION.finditer(text):
        if any(char.isalnum() for char in text[mark.end() : mark.end() + 200]):
            end = mark.end()
            if mark[0].lstrip()[:2].lower() == "no":  # the pronoun behind "no," belongs to what follows
                end = mark.start() + mark[0].lower().index("no") + 2
    return text[end:].lstrip(" ,.:;-") if end else text
