"""A row as scorers of different houses need it: question, lettered options, right answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mmeval_pack.judges.options import ALPHABET, option_texts
from mmeval_pack.judges.records import Doc

# One option a line, as frameworks bake them into a question: "A. text", "(A) text", "A: text", "A) text".
_OPTION = re.compile(r"[ \t]*(?:\(([A-Z])\)|([A-Z])[.:)])[ \t]*(.*)")


@dataclass(frozen=True, slots=True)
class Row:
    """One row, read once for all references.

    Attributes:
        doc: the row as the pack's own stages read it.
        question: the question's text, options of its own taken out.
        asked: the question's text as it stands in the row.
        options: letter to text, in order; empty where the row names none.
        answer: the right answer as text: a letter or a text, as published.
    """

    doc: Doc
    question: str
    asked: str
    options: Mapping[str, str]
    answer: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Row:
        """Read a row of any published layout.

        Raises:
            InputError: its messages cannot be read.
        """
        doc = Doc.from_row(raw)
        asked = str(doc.message.get("question") or doc.message.get("prompt") or "")
        question, options = asked, _named(doc.message)
        if not options:
            question, options = split(asked)
        answer = doc.truth[0] if isinstance(doc.truth, list) and doc.truth else doc.truth
        return cls(doc, question, asked, options, "" if answer is None else str(answer))

    @property
    def letter(self) -> str | None:
        """The letter of the right option: the answer itself, else that of the first option with its text."""
        bare = self.answer.strip().strip("()").strip()
        if bare in self.options:
            return bare
        return next((letter for letter, text in self.options.items() if text == self.answer), None)

    def column(self, name: str) -> Any:
        """A further column of the row, wherever it lies; empty text where there is none."""
        value = self.doc.row.get(name)
        return self.doc.message.get(name, "") if value is None else value


def _named(message: Mapping[str, Any]) -> dict[str, str]:
    choices = message.get("choices")
    if isinstance(choices, list) and choices:
        # Texts as they are: an option may itself be a single letter.
        return dict(zip(ALPHABET, map(str, choices), strict=False))
    return option_texts(message, "ABCDEFGH")


def split(asked: str) -> tuple[str, dict[str, str]]:
    """A question and the options that stand one a line in its text, from A on without a gap."""
    lines = asked.split("\n")
    labels = [_OPTION.fullmatch(line) for line in lines]
    starts = [place for place, label in enumerate(labels) if label and _letter(label) == "A"]
    if not starts:
        return asked, {}
    start = starts[-1]
    options: dict[str, str] = {}
    for label in labels[start:]:
        if label is None or _letter(label) != ALPHABET[len(options) : len(options) + 1]:
            break
        options[_letter(label)] = label[3].strip()
    if len(options) < 2:
        return asked, {}
    return "\n".join(lines[:start]).rstrip("\n"), options


def _letter(label: re.Match[str]) -> str:
    return label[1] or label[2]
