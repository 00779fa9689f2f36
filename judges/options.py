"""The options of a multiple-choice question: letters and texts as the first message holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_IN_MESSAGE = "ABCDEFGH"
LETTER_RUNS = tuple(frozenset(ALPHABET[:length]) for length in range(27))
"""The first n letters at place n."""
_LETTER_LISTS = tuple(list(ALPHABET[:length]) for length in range(27))
_LABELS = tuple((f"({letter})", f"{letter}.", f"{letter})", f"{letter}:") for letter in _IN_MESSAGE)


def option_letters(message: Mapping[str, Any]) -> frozenset[str]:
    """The option letters from the first source that has some; empty where none has.

    Sources: the keys of an ``options`` object (any keys, upper case), the ``choices`` (letters themselves, or
    texts that are lettered by position), the keys ``A`` to ``H`` of the message, the question's own text.
    """
    options = message.get("options")
    if isinstance(options, dict) and options:
        return _run(list(options)) or frozenset([str(key).strip().upper() for key in options])
    choices = message.get("choices")
    if isinstance(choices, list) and choices:
        return _run(choices) or frozenset(_single_letters(choices)) or LETTER_RUNS[min(len(choices), 26)]
    if "A" in message and (flat := _flat_run(message)):
        return LETTER_RUNS[flat]
    return LETTER_RUNS[_labelled_run(str(message.get("question") or message.get("prompt") or ""))]


def option_texts(message: Mapping[str, Any], letters: Iterable[str]) -> dict[str, str]:
    """Letter to option text; options that only the question's text holds have none.

    Args:
        message: the first message.
        letters: the candidate letters, under which the message itself may hold the texts.
    """
    options = message.get("options")
    if isinstance(options, dict) and options:
        if _run(list(options)):
            return dict(zip(options, map(str, options.values()), strict=True))
        return {str(key).strip().upper(): str(text) for key, text in options.items()}
    choices = message.get("choices")
    if isinstance(choices, list) and choices and not _single_letters(choices):
        return {
            letter: _unlabelled(letter, str(text)) for letter, text in zip(ALPHABET, choices, strict=False)
        }
    if message.keys().isdisjoint(letters):
        return {}
    return {letter: str(message[letter]) for letter in letters if letter in message}


def _run(names: list[Any]) -> frozenset[str]:
    """The names if they are the first letters in order, as they mostly are; else nothing."""
    length = len(names)
    return LETTER_RUNS[length] if length < 27 and names == _LETTER_LISTS[length] else LETTER_RUNS[0]


def _single_letters(choices: list[Any]) -> list[str]:
    """The choices in upper case if each is one letter, else nothing."""
    letters = []
    for choice in choices:
        letter = str(choice).strip()
        if len(letter) != 1 or not (letter.isascii() and letter.isalpha()):
            return []
        letters.append(letter.upper())
    return letters


def _flat_run(message: Mapping[str, Any]) -> int:
    """How many of the keys A, B, C, ... the message holds before one is missing, null or blank."""
    for place, letter in enumerate(_IN_MESSAGE):
        text = message.get(letter)
        if text is None or not str(text).strip():
            return place
    return len(_IN_MESSAGE)


def _labelled_run(question: str) -> int:
    """How many letters from A on label something in the text: ``(A)``, or ``A.`` after a space."""
    for place, (bracketed, stop, bracket, colon) in enumerate(_LABELS):
        if not (
            bracketed in question
            or (stop in question and _begins_word(stop, question))
            or (bracket in question and _begins_word(bracket, question))
            or (colon in question and _begins_word(colon, question))
        ):
            return place
    return len(_LABELS)


def _begins_word(label: str, question: str) -> bool:
    """Whether the label stands somewhere at the start of the text or after a space."""
    at = question.find(label)
    while at > 0 and not question[at - 1].isspace():
        at = question.find(label, at + 1)
    return at >= 0


def _unlabelled(letter: str, text: str) -> str:
    """The option text without a label of its own (``A. cat``); a text of several lines stays as it is."""
    if text.lstrip()[:1] != letter or "\n" in text:
        return text
    label = re.match(rf"\s*{letter}\s*[.):]\s*", text)
    return text[label.end() :] if label else text
