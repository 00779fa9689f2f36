"""Bringing texts into the form in which they are compared.

Three forms, each built on the one before: `normal` (one line without markup), its lower case, and `opened`
(also without the quotes around it and the punctuation behind it). The steps and their order are those of the
publisher's own scorer, so that verdicts agree with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from mmeval_pack.judges.normal_form import LONG, nfkc, of_parts, spelled_out

_CHUNK = 1 << 16
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
# What an artefact begins with; behind the first character may stand another form of the second.
_MAY_BE_ARTEFACT = re.compile(r"<(?:[|C]|/[sC]|/?(?:[^ -~]|$))|F(?:a|[^ -~]|$)")
_LATEX_STYLE = re.compile(r"\\(?:left|right|displaystyle|mathrm|textbf|textit|text)\b")
_LATEX_SPACE = re.compile(r"\\[,;!:]")
_LOOKALIKES = (("\u2212", "-"), ("–", "-"), ("—", "-"), ("×", "*"), ("·", "*"), ("÷", "/"))


def text_of(value: Any) -> str:
    """A JSON value as text: of a list its first element, of null nothing."""
    if isinstance(value, list):
        value = value[0] if value else None
    return "" if value is None else str(value)


def normal(text: str, to_nfkc: Callable[[str], str] = nfkc) -> str:
    """The text in NFKC, its first box opened, without think and answer tags, LaTeX style and line breaks.

    Args:
        text: of any length.
        to_nfkc: brings it into NFKC, which in a long text takes most of the time.
    """
    if text.isascii():
        if text.isalnum():
            return text
        if "\\" in text or "<" in text or "`" in text or "F" in text:
            text = _without_markup(text)
        # Of all white space only the blank is printable: where no two meet, there is nothing to join.
        return text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
    text = _without_markup(to_nfkc(text))
    for lookalike, plain in _LOOKALIKES:
        text = text.replace(lookalike, plain)
    text = " ".join(text.split())
    return spelled_out(text) if len(text) < LONG else text  # what is left of a text full of ligatures


def _without_markup(text: str) -> str:
    """The content of the first box, without tags, artefacts and LaTeX style."""
    latex = "\\" in text
    if latex:
        text = _first_box(text)
    if "<" in text or "`" in text or "F" in text:
        text = _TAG.sub(" ", text).replace("```", " ")
        for artefact in _ARTEFACTS:
            text = text.replace(artefact, "")
    if latex:
        text = _LATEX_SPACE.sub(" ", _LATEX_STYLE.sub(" ", text)).replace("\\%", "%")
    return text


def stays_nfkc(text: str) -> bool:
    """Whether `normal` of the text is sure to be in NFKC, and each part of it; sought in long texts only.

    What goes makes room for a blank, which joins nothing; only around an artefact, of which nothing stays,
    a mark may come to stand behind another letter.
    """
    return (
        len(text) >= LONG
        and not _MAY_BE_ARTEFACT.search(text)
        and not any(char in text for char in MAY_BE_MARKUP if not char.isascii())
    )


def settled(text: str, normal_text: str) -> bool:
    """Whether a second `normal` is sure to change nothing (a box may hold another).

    Args:
        text: as it came.
        normal_text: its `normal`.
    """
    if "\\" in normal_text or "<" in normal_text or "`" in normal_text or "F" in normal_text:
        return False
    return normal_text.isascii() or stays_nfkc(text)


def opened(normal_text: str) -> str:
    """The form in which free text is compared, of a text that is `normal` already.

    Quotes go before the punctuation behind them, once: ``"paris".`` keeps its closing quote.
    """
    return lowered(normal_text).strip("\"'`").rstrip(".。!?").strip()


def open_form(value: Any) -> str:
    """`opened` of any JSON value."""
    if value.__class__ is str and value.isalnum() and value.isascii():
        return value.lower()  # most truths
    return opened(normal(value if value.__class__ is str else text_of(value)))


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


def lowered(text: str) -> str:
    """``text.lower()`` in pieces, for it takes 12 bytes a character; only a sigma looks at its neighbours."""
    if len(text) < _CHUNK or "Σ" in text:
        return text.lower()
    return "".join([text[at : at + _CHUNK].lower() for at in range(0, len(text), _CHUNK)])


def folded(text: str) -> str:
    """The text in the lower case that ``re.IGNORECASE`` compares by, each character at its place.

    Cue words are searched here by case-sensitive patterns, which is several times faster.
    """
    if text.isascii():
        return text.lower()
    return lowered(text.replace("İ", "i")).replace("ı", "i").replace("ſ", "s")


def cue_ground(text: str) -> str:
    """The text `folded`, or nothing where it holds no word that every cue holds one of, as most texts do."""
    lower = text.lower() if text.isascii() else folded(text)
    if "answer" in lower or "option" in lower or "choice" in lower or "答案" in lower or "选" in lower:
        return lower
    return ""


class Response:
    """One response and the forms that several stages read, each computed once.

    Attributes:
        value: the response as it came, any JSON value.
        text: the same as text.
        letters: what `letters.letter_set` read for the one doc it belongs to; None until then.
    """

    __slots__ = ("_cue_ground", "_nfkc", "_normal", "_opened", "_tag", "letters", "text", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.text = value if type(value) is str else text_of(value)
        self._nfkc: Callable[[str], str] | None = None
        self._normal: str | None = None
        self._opened: str | None = None
        self._cue_ground: str | None = None
        self._tag: tuple[str | None] | None = None
        self.letters: tuple[str, ...] | None = None

    def normal(self) -> str:
        """`normal` of the text."""
        form = self._normal
        if form is None:
            form = self._normal = self.normal_of(self.text)
        return form

    def normal_of(self, part: str) -> str:
        """`normal` of a part of the text."""
        if len(part) < LONG:
            return normal(part)
        if self._nfkc is None:
            self._nfkc = of_parts()
        return normal(part, self._nfkc)

    def normal_again(self, part: str) -> str:
        """`normal` of a part of this text's `normal`."""
        return normal(part, str if stays_nfkc(self.text) else nfkc)

    def opened(self) -> str:
        """`opened` of the text."""
        form = self._opened
        if form is None:
            form = self._opened = opened(self.normal())
        return form

    def cue_ground(self) -> str:
        """`cue_ground` of the text."""
        ground = self._cue_ground
        if ground is None:
            ground = self._cue_ground = cue_ground(self.text)
        return ground

    def tagged(self) -> str | None:
        """`last_tagged` of the text, which seldom has one: each time anew."""
        return last_tagged(self.text)

    def tagged_normal(self) -> str | None:
        """`normal` of what the last tag holds, None where there is none."""
        if self._tag is None:
            content = self.tagged()
            self._tag = (None if content is None else self.normal_of(content),)
        return self._tag[0]
