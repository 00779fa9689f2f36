"""Which number a response gives as its answer."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.numbers import Mention, Number, is_label, mentions_in, prepared
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import conditional, last_word, negated_after, negated_before, refuses

_YEAR = re.compile(r"\b(?:in|of|since|by|year|during)\s+(?:the year\s+)?$", re.IGNORECASE)
_CONCLUDES = re.compile(
    r"\b(?:so|hence|therefore|thus|altogether|in total|total(?:s|ing)?|leav(?:es|ing)|gives|makes"
    r"|equals|becomes)\b[^.\n\d]{0,40}$",
    re.IGNORECASE,
)
_ALTERNATIVE = re.compile(
    r"[^\w\n]{0,3}\w{0,10}[^\w\n]{0,2}\s?(?:,|;|\bor\b|\bto\b|\band\b|-|/)\s*(?:(?:about|maybe"
    r"|perhaps|possibly|or)\s+)*(?=[-+€£¥]?\.?\d)",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:between|either|from|at least|at most|over|under|up to|below|above)\s+\S{0,3}$", re.IGNORECASE
)
_OPERATED = re.compile(r"\s*[-+*/x^]\s*[\d(]")
_SENTENCE = re.compile(r"\n|(?<=[.!?;])\s+(?=\D)|。")
_FAR = 60  # characters between a cue and the number it announces
_SHORT_LINE = 24
_MANY = 40  # numbers of a text that states none outright


def stated(text: str) -> Number | None:
    """The number that the plain response finally gives, None when there is none or there are several."""
    text = last_word(prepared(text))
    for statement in statements(text):
        if not statement.negated and (found := _announced(statement.content)):
            return found if isinstance(found, Number) else None
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip()
    return None if refuses(text) or conditional(text) else _concluded(text)


def _announced(content: str) -> Number | bool:
    """The first number behind a cue; False where there is none, True where it is taken back or in a list."""
    sentence = _SENTENCE.split(content, maxsplit=1)[0]
    if "=" in sentence:
        return _of_equation(sentence) or True
    for mention in mentions_in(sentence):
        if mention.start > _FAR:
            break
        if _is_label(sentence, mention):
            continue
        if _taken_back(sentence, mention) or conditional(sentence) or _is_one_of_several(sentence, mention):
            return True
        return mention.number
    return False


def _concluded(text: str) -> Number | None:
    """The number of a text without a cue: the only one, or the one that the last sentence concludes with."""
    sentences = [sentence for sentence in _SENTENCE.split(text) if any(char.isdigit() for char in sentence)]
    if not sentences:
        return None
    if len(sentences) == 1 and _is_lone_year(text):
        return mentions_in(text)[0].number
    if alone := _in_first_line(text):
        return alone
    if "=" in sentences[-1]:
        return _of_equation(sentences[-1])
    return _behind_conclusion(sentences) or _only(text, mentions_in(text))


def _in_first_line(text: str) -> Number | None:
    """The number that stands alone in the first of several lines."""
    line, *others = text.split("\n")
    if not others or len(line) > _SHORT_LINE:
        return None
    mentions = mentions_in(line)
    alone = len(mentions) == 1 and not _is_label(line, mentions[0]) and not _taken_back(line, mentions[0])
    return mentions[0].number if alone else None


def _behind_conclusion(sentences: list[str]) -> Number | None:
    """The last number that a word such as "so" or "in total" leads to."""
    for sentence in reversed(sentences):
        for mention in reversed(mentions_in(sentence)[-_MANY:]):
            if _CONCLUDES.search(sentence, max(0, mention.start - _FAR), mention.start):
                doubtful = _is_label(sentence, mention) or _taken_back(sentence, mention)
                if doubtful or _is_one_of_several(sentence, mention):
                    break
                return mention.number
    return None


def _only(text: str, mentions: list[Mention]) -> Number | None:
    """The one value that is mentioned as more than a label, and not taken back."""
    if len(mentions) > _MANY:
        return None
    kept = [mention for mention in mentions if not _is_label(text, mention) and not _is_aside(text, mention)]
    if any(_is_one_of_several(text, mention) for mention in kept):
        return None
    kept = [mention for mention in kept if not _taken_back(text, mention)]
    values = {mention.number.value for mention in kept}
    return kept[0].number if len(values) == 1 else None


def _is_lone_year(text: str) -> bool:
    mentions = mentions_in(text)
    if len(mentions) != 1 or len(text) > 40:
        return False
    return len(mentions[0].number.text) == 4 and not _taken_back(text, mentions[0])


def _of_equation(sentence: str) -> Number | None:
    """The value of the sides that are nothing but a number (``n = 42 = 30 + 12``), if it is one value."""
    values = {}
    for side in re.split(r"=|≈", sentence):
        side = side.strip().rstrip(".,;")
        mentions = mentions_in(side)
        rest = side[: mentions[0].start] + side[mentions[0].end :] if len(mentions) == 1 else "+"
        if not re.search(r"[-+*/^\d√]|\bor\b|\bnot\b", rest):
            values[mentions[0].number.value] = mentions[0].number
    return next(iter(values.values())) if len(values) == 1 else None


def _taken_back(text: str, mention: Mention) -> bool:
    return negated_before(text, mention.start) or negated_after(text, mention.end)


def _is_label(text: str, mention: Mention) -> bool:
    """Whether the number names a figure, a step, a year, a start or a step size."""
    before = text[max(0, mention.start - 24) : mention.start]
    if is_label(before):
        return True
    in_range = 1000 <= mention.number.value <= 2100 and len(mention.number.text) == 4
    return in_range and _YEAR.search(before) is not None


def _is_one_of_several(text: str, mention: Mention) -> bool:
    if _BOUND.search(text[max(0, mention.start - 12) : mention.start]):
        return True
    return (_ALTERNATIVE.match(text, mention.end) or _OPERATED.match(text, mention.end)) is not None


def _is_aside(text: str, mention: Mention) -> bool:
    """Whether the number stands in brackets behind a statement."""
    start = max(0, mention.start - _FAR)
    opened, closed = text.rfind("(", start, mention.start), text.rfind(")", start, mention.start)
    return opened > closed and opened > start and any(char.isdigit() for char in text[start:opened])
