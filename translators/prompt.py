"""Task + row -> the prompt's text, and its parts in the order in which a model sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from functools import cached_property
from typing import Any, Literal, NotRequired, TypedDict

from mmeval_pack.judges.records import first_message
from mmeval_pack.translators.sandbox import PromptError, compile_template, render
from mmeval_pack.translators.template_names import HIDDEN, needed_by

__all__ = ["Part", "Prompt", "PromptError", "media_count"]

TOKEN = re.compile("<(video|image)>")


class Part(TypedDict):
    """A run of text, or the place of a medium: ``index`` counts images and videos together, from 0."""

    type: Literal["text", "image", "video"]
    text: NotRequired[str]
    index: NotRequired[int]


class Prompt:
    """A prompt template, compiled once; rendering keeps no state, so threads may share it.

    A name that a row lacks is rendered as nothing, as the publisher's own rendering does; see `lacking`.

    Raises:
        PromptError: the template cannot be used; the message says why and on which line.
    """

    def __init__(self, template: str) -> None:
        self._source = template
        self._template = compile_template(template)

    @cached_property
    def _needed(self) -> frozenset[str]:
        return needed_by(self._source)

    def lacking(self, row: Mapping[str, Any]) -> frozenset[str]:
        """The names that are rendered as nothing since the row lacks them, and the template tests for none.

        Raises:
            InputError: the row's messages cannot be read.
        """
        if not self._needed:
            return frozenset()
        message = first_message(row)
        if message.get("prompt") is not None or row.get("prompt") is not None:
            return frozenset()  # the template is not used
        return self._needed - _fields(row, message).keys()

    def text(self, row: Mapping[str, Any]) -> str:
        """The prompt of a row, media tokens left in: the row's own ``prompt``, else the rendered template.

        Raises:
            PromptError: the template fails on this row, or the row's own prompt is no text.
            InputError: the row's messages cannot be read.
        """
        message = first_message(row)
        own = message.get("prompt")
        own = row.get("prompt") if own is None else own
        if isinstance(own, str):
            return _written(own, row)
        if own is not None:
            raise PromptError(f"row {row.get('id')!r}: prompt is {type(own).__name__}, expected text")
        try:
            text = render(self._template, _fields(row, message))
        except PromptError as error:
            raise PromptError(f"row {row.get('id')!r}: {error}") from None
        return _written(text, row)

    def parts(self, row: Mapping[str, Any]) -> list[Part]:
        """The prompt of a row cut at its media tokens; joined again, the parts are :meth:`text`.

        Whether the row has a medium for each token is for the caller to check: see :func:`media_count`.

        Raises:
            PromptError, InputError: as :meth:`text`.
        """
        text = self.text(row)
        parts: list[Part] = []
        end = 0
        for index, token in enumerate(TOKEN.finditer(text)):
            parts.append({"type": "text", "text": text[end : token.start()]})
            parts.append({"type": "video" if token[1] == "video" else "image", "index": index})
            end = token.end()
        parts.append({"type": "text", "text": text[end:]})
        return [part for part in parts if part.get("text") != ""]


def _fields(row: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """What a template gets to see."""
    fields = {**row, **message}
    for name in HIDDEN:
        fields.pop(name, None)
    return fields


def _written(text: str, row: Mapping[str, Any]) -> str:
    """The text, if a tokenizer and a log can take it."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise PromptError(f"row {row.get('id')!r}: the prompt holds half of a surrogate pair")
    return text


def media_count(row: Mapping[str, Any]) -> int:
    """Number of media of a row: 0 for null, and 1 for a medium that stands outside a list."""
    media = row.get("media")
    if media is None:
        return 0
    if isinstance(media, (str, bytes, Mapping)) or not isinstance(media, Sized):
        return 1
    return len(media)
