"""The options of a question and the places where a response names one by its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.options import option_texts
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import Doc

FIRST_MARK = 0xE100
MARK = "[\ue100-\ue1ff]"
_LONGEST = 2000  # characters of a question's text that may hold options

_ARTICLE = re.compile(r"(?:the|an?)\s+(?=\S)", re.IGNORECASE)
_WORDS_AND_MARKS = re.compile(r"\w+|[^\w\s]")
_LABEL = re.compile(r"(?:(?<=\s)|^)\(?([A-Z])[.):、]\)?\s*(?=\S)", re.MULTILINE)
_MEDIA = re.compile(r"<(?:image|video)\s*\d*>", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_NONE = re.compile(r"none of (?:the|these|them|those)\b.*|none", re.IGNORECASE)
_NONE_SAID = (
    r"(?:^none$|\bnone\s+of\s+(?:(?:the|these|those)\s+)?(?:(?:other|given|provided|listed)\s+)?"
    r"(?:above|choices|options|answers|pictures|images|photos|statements|these|them"
    r"|those)\b(?:\s+(?:provided|given|above|listed))?)"
)
_PHRASE = re.compile(r"\(([^()]*\s[^()]*)\)")


class Options(NamedTuple):
    """What can be chosen.

    Attributes:
        texts: key (a letter, or a number as text where the choices carry no letters) to option text.
        letters: the keys that a response may name by letter; empty where the choices carry none.
        asked: the words of the question, lower case.
    """

    texts: Mapping[str, str]
    letters: frozenset[str]
    asked: frozenset[str] = frozenset()


def options_of(doc: Doc, question: Question) -> Options:
    """The options of the row: its own fields, its choices, else the labelled ones in the question's text."""
    if question.type == "mcq":
        texts = option_texts(doc.message, sorted(question.letters()))
        if not texts and not doc.message.get("choices"):
            texts = texts_in(str(doc.message.get("question") or doc.message.get("prompt") or ""))
        asked = frozenset(_WORD.findall(str(doc.message.get("question") or "")[-_LONGEST:].lower()))
        return Options(
            {key: text for key, text in texts.items() if key in question.letters()}, question.letters(), asked
        )
    choices = doc.message.get("choices")
    if isinstance(choices, list) and len(choices) > 1:
        return Options({str(place): str(text) for place, text in enumerate(choices[:250])}, frozenset())
    return Options({}, frozenset())


def texts_in(question: str) -> dict[str, str]:
    """The texts behind the last run of labels A, B, C ... in a question: ``A. x``, ``(A) x``, ``A: x``."""
    labels = list(_LABEL.finditer(question[-_LONGEST:]))
    question = question[-_LONGEST:]
    starts = [place for place, label in enumerate(labels) if label[1] == "A"]
    for start in reversed(starts):
        run = [label for place, label in enumerate(labels[start:]) if label[1] == chr(ord("A") + place)]
        run = run[: next((i for i, label in enumerate(run) if label is not labels[start + i]), len(run))]
        if len(run) > 1:
            ends = [label.start() for label in run[1:]] + [len(question)]
            found = zip(run, ends, strict=True)
            return {label[1]: question[label.end() : end].strip().split("\n")[0] for label, end in found}
    return {}


def marked(text: str, options: Options) -> str:
    """The plain text with each mention of an option's text replaced by one character (`key_of`)."""
    finder, marks = _finder(tuple(options.texts.items()))
    if finder is None:
        return text
    return finder.sub(lambda found: marks[found.lastindex or 0], text)


def key_of(mark: str, options: Options) -> str:
    """The option that a mark stands for."""
    return list(options.texts)[ord(mark) - FIRST_MARK]


@lru_cache(maxsize=256)
def _finder(texts: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str] | None, dict[int, str]]:
    """A pattern with one group an option, the longest first, and the mark of each group."""
    forms: dict[str, tuple[str, int]] = {}
    for place, (key, text) in enumerate(texts):
        form = _form(text)
        if form and form.upper() != key and not _MEDIA.search(text):
            forms.setdefault(form.casefold(), (form, place))
    ordered = sorted(forms.values(), key=lambda pair: -len(pair[0]))
    marks = {group: chr(FIRST_MARK + place) for group, (_, place) in enumerate(ordered, 1)}
    pattern = "|".join(f"({_pattern(form)})" for form, _ in ordered)
    return (re.compile(pattern, re.IGNORECASE) if pattern else None), marks


def _form(text: str) -> str:
    """The text as it is looked for: plain, without its article and the full stop behind it."""
    form = plain(text).rstrip(".;, ")
    article = _ARTICLE.match(form)
    return form[article.end() :] if article else form


def _pattern(form: str) -> str:
    """The words of the text, however spaced and hyphened, where no longer word or number holds them."""
    if _NONE.fullmatch(form):
        return _NONE_SAID
    form = _PHRASE.sub("\ue010 \\1 \ue010", form)  # brackets around words may be left out
    pattern, before = "", ""
    for word in _WORDS_AND_MARKS.findall(form):
        if word in "-\ue010":
            pattern += r"[\s()-]*" if word == "\ue010" else r"[\s-]*"
        else:
            pattern += (
                r"[\s-]+" if _is_word(before) and _is_word(word) else r"\s*" if before else ""
            ) + re.escape(word)
        before = word
    first, last = form.lstrip("\ue010 ")[:1], form.rstrip("\ue010 ")[-1:]
    start = (
        r"(?<![\d.,-])(?<![^\W\d])" if first.isdigit() else r"(?<![a-z0-9À-ɏЀ-ӿ])" if first.isalpha() else ""
    )
    end = (
        r"(?!\d|[.,]\d|\s?[%°^/*]|[^\W\d])"
        if last.isdigit()
        else r"(?![a-z0-9À-ɏЀ-ӿ])(?!\s?[\^])"
        if last.isalpha()
        else ""
    )
    return start + pattern + end


def _is_word(word: str) -> bool:
    return word[-1:].isalnum() or word == "_"
