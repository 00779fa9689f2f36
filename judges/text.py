"""Bringing texts into the form in which they are compared.

Three forms, each built on the one before: `normal` (one line without markup), its lower case, and `opened`
(also without the quotes around it and the punctuation behind it). The steps and their order are those of the
publisher's own scorer, so that verdicts agree with it.
"""

from __future__ import annotations

import re
from typing import Any

from mmeval_pack.judges.normal_form import LONG, nfkc, spelled_out

_BOX = "\\boxed{"
MAY_BE_MARKUP = "\\<`\u1fefF℉ℱ℻Ⓕ㎊㎋㎌ꟳ﹤﹨＜Ｆ＼｀𝐅𝐹𝑭𝓕𝔉𝔽𝕱𝖥𝗙𝘍𝙁𝙵🄕🄵"
"""The characters whose NFKC holds one that markup needs; a test compares them with unicodedata."""
_TAG = re.compile(r"</?(?:think|answer)\s*+>", re.IGNORECASE)
_ANSWER_OPENS = re.compile(r"<answer\s*+>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile(r"</answer\s*+>", re.IGNORECASE)
_ARTEFACTS = (
    "<|end_of_sentence|>",
    "<|end\u2581of\u2581sentence|>",
    "</s>",
    "<CONCLUSION>",
    "</CONCLUSION>",
    "Falcon: ",
)
_LATEX_STYLE = re.compile(r"\\(?:left|right|displaystyle|mathrm|textbf|textit|text)\b")
_LATEX_SPACE = re.compile(r"\\[,;!:]")
_LOOKALIKES = (("\u2212", "-"), ("–", "-"), ("—", "-"), ("×", "*"), ("·", "*"), ("÷", "/"))


def text_of(value: Any) -> str:
    """A JSON value as text: of a list its first element, of null nothing."""
    if isinstance(value, list):
        value = value[0] if value else None
    return "" if value is None else str(value)


def normal(text: str) -> str:
    """The text in NFKC, its first box opened, without think and answer tags, LaTeX style and line breaks."""
    ascii_only = text.isascii()
    if not ascii_only:
        text = nfkc(text)
    elif text.isalnum():
        return text
    latex = "\\" in text
    if latex:
        text = _first_box(text)
    if "<" in text or "`" in text or "F" in text:
        text = _without_tags(text)
    if latex:
        text = _LATEX_SPACE.sub(" ", _LATEX_STYLE.sub(" ", text)).replace("\\%", "%")
    if not ascii_only:
        for lookalike, plain in _LOOKALIKES:
            text = text.replace(lookalike, plain)
    normal_text = " ".join(text.split())
    if not ascii_only and len(normal_text) < LONG:
        return spelled_out(normal_text)  # what is left of a text full of ligatures
    return normal_text


def _without_tags(text: str) -> str:
    text = _TAG.sub(" ", text).replace("```", " ")
    for artefact in _ARTEFACTS:
        text = text.replace(artefact, "")
    return text


def settled(text: str, normal_text: str) -> bool:
    """Whether a second `normal` is sure to change nothing (a box may hold another).

    Args:
        text: as it came.
        normal_text: its `normal`.
    """
    if normal_text.isascii():
        return not ("\\" in normal_text or "<" in normal_text or "`" in normal_text or "F" in normal_text)
    # Where nothing but white space went, NFKC stays NFKC. To find that out pays off for long texts only.
    return len(text) >= LONG and not any(char in text for char in MAY_BE_MARKUP)


def opened(normal_text: str) -> str:
    """The form in which free text is compared, of a text that is `normal` already.

    Quotes go before the punctuation behind them, once: ``"paris".`` keeps its closing quote.
    """
    return normal_text.lower().strip("\"'`").rstrip(".。!?").strip()


def open_form(value: Any) -> str:
    """`opened` of any JSON value."""
    if value.__class__ is str and value.isalnum() and value.isascii():
        return value.lower()  # most truths
    return opened(normal(text_of(value)))


def _first_box(text: str) -> str:
    """The content of the first box, or the whole text where there is none or it never closes."""
    start = text.find(_BOX)
    if start < 0:
        return text
    start += len(_BOX)
    depth, end = 1, start - 1
    for part in text[start:].split("}")[:-1]:  # what stands before each closing brace
        depth += part.count("{") - 1
        end += len(part) + 1
        if depth == 0:
            return text[start:end].strip()
    return text


def last_tagged(text: str) -> str | None:
    """The trimmed content of the last ``<answer>...</answer>`` pair, None when no pair closes."""
    if "</" not in text:
        return None
    content, at = None, 0
    while opens := _ANSWER_OPENS.search(text, at):
        closes = _ANSWER_CLOSES.search(text, opens.end())
        if closes is None:
            break
        content, at = text[opens.end() : closes.start()], closes.end()
    return None if content is None else content.strip()


def folded(text: str) -> str:
    """The text in the lower case that ``re.IGNORECASE`` compares by, each character at its place.

    Cue words are searched here by case-sensitive patterns, which is several times faster.
    """
    if text.isascii():
        return text.lower()
    return text.replace("İ", "i").lower().replace("ı", "i").replace("ſ", "s")


def may_cue(folded_text: str) -> bool:
    """Whether the text holds a word that every cue holds one of: most texts need no pattern to find none."""
    return (
        "answer" in folded_text
        or "option" in folded_text
        or "choice" in folded_text
        or "答案" in folded_text
        or "选" in folded_text
    )


class Response:
    """One response and the forms that several stages read, each computed once.

    Attributes:
        value: the response as it came, any JSON value.
        text: the same as text.
        letters: what `letters.letter_set` read for the one doc it belongs to; None until then.
    """

    __slots__ = ("_cued", "_folded", "_normal", "_opened", "_tagged", "letters", "text", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.text = value if type(value) is str else text_of(value)
        self._normal: str | None = None
        self._opened: str | None = None
        self._folded: str | None = None
        self._tagged: str | None = None
        self._cued: bool | None = None
        self.letters: tuple[str, ...] | None = None

    @property
    def normal(self) -> str:
        """`normal` of the text."""
        if self._normal is None:
            self._normal = normal(self.text)
        return self._normal

    @property
    def opened(self) -> str:
        """`opened` of the text."""
        form = self._opened
        if form is None:
            form = self._opened = opened(self.normal)
        return form

    @property
    def folded(self) -> str:
        """`folded` of the text."""
        if self._folded is None:
            self._folded = folded(self.text)
        return self._folded

    @property
    def tagged(self) -> str | None:
        """`last_tagged` of the text."""
        if "</" not in self.text:
            return None
        if self._tagged is None:
            self._tagged = last_tagged(self.text)
        return self._tagged

    @property
    def cued(self) -> bool:
        """`may_cue` of the text."""
        if self._cued is None:
            self._cued = may_cue(self.folded)
        return self._cued
