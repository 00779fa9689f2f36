"""The options of a multiple-choice question: letters and texts as the first message holds them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_IN_MESSAGE = "ABCDEFGH"
_BEHIND_LETTER = (".", ")", ":")


def option_letters(message: Mapping[str, Any]) -> list[str]:
    """The option letters in order, from the first source that has some; empty where none has.

    Sources: the keys of an ``options`` object (any keys, upper case), the ``choices`` (letters themselves, or
    texts that are lettered by position), the keys ``A`` to ``H`` of the message, the question's own text.
    """
    options = message.get("options")
    if isinstance(options, dict) and options:
        return [str(key).strip().upper() for key in options]
    choices = message.get("choices")
    if isinstance(choices, list) and choices:
        return _single_letters(choices) or list(ALPHABET[: len(choices)])
    return _flat_letters(message) or _letters_in(str(message.get("question") or message.get("prompt") or ""))


def option_texts(message: Mapping[str, Any], letters: Iterable[str]) -> dict[str, str]:
    """Letter to option text; options that only the question's text holds have none.

    Args:
        message: the first message.
        letters: the candidate letters, under which the message itself may hold the texts.
    """
    options = message.get("options")
    if isinstance(options, dict) and options:
        return {str(key).strip().upper(): str(text) for key, text in options.items()}
    choices = message.get("choices")
    if isinstance(choices, list) and choices and not _single_letters(choices):
        return {
            letter: _unlabelled(letter, str(text)) for letter, text in zip(ALPHABET, choices, strict=False)
        }
    return {letter: str(message[letter]) for letter in letters if letter in message}


def _single_letters(choices: list[Any]) -> list[str]:
    """The choices in upper case if each is one letter, else nothing."""
    letters = []
    for choice in choices:
        letter = str(choice).strip()
        if len(letter) != 1 or not (letter.isascii() and letter.isalpha()):
            return []
        letters.append(letter.upper())
    return letters


def _flat_letters(message: Mapping[str, Any]) -> list[str]:
    letters: list[str] = []
    for letter in _IN_MESSAGE:
        text = message.get(letter)
        if text is None or not str(text).strip():
            break
        letters.append(letter)
    return letters


def _letters_in(question: str) -> list[str]:
    """The unbroken run of letters from A on that label something: ``(A)``, or ``A.`` after a space."""
    letters: list[str] = []
    for letter in _IN_MESSAGE:
        if f"({letter})" not in question and not _labels(letter, question):
            break
        letters.append(letter)
    return letters


def _labels(letter: str, question: str) -> bool:
    at = question.find(letter)
    while at >= 0:
        if question[at + 1 : at + 2] in _BEHIND_LETTER and (at == 0 or question[at - 1].isspace()):
            return True
        at = question.find(letter, at + 1)
    return False


def _unlabelled(letter: str, text: str) -> str:
    """The option text without a label of its own (``A. cat``); a text of several lines stays as it is."""
    if "\n" in text:
        return text
    label = re.match(rf"\s*{letter}\s*[.):]\s*", text)
    return text[label.end() :] if label else text
