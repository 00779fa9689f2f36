"""Task + row -> the prompt's text, and its parts in the order in which a model sees them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sized
from typing import Any, Literal, NotRequired, TypedDict

from mmeval_pack.judges.records import first_message
from mmeval_pack.translators.sandbox import PromptError, compile_template, render

__all__ = ["Part", "Prompt", "PromptError", "media_count"]

# never in the context: the truth, the model's words, and what is no text
HIDDEN = frozenset({"answer", "reference_response", "media", "messages", "response"})
TOKEN = re.compile("<(video|image)>")


class Part(TypedDict):
    """A run of text, or the place of a medium: ``index`` counts images and videos together, from 0."""

    type: Literal["text", "image", "video"]
    text: NotRequired[str]
    index: NotRequired[int]


class Prompt:
    """A prompt template, compiled once; rendering keeps no state, so threads may share it.

    Raises:
        PromptError: the template cannot be used; the message says why and on which line.
    """

    def __init__(self, template: str) -> None:
        self._template = compile_template(template)

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
        fields = {**row, **message}
        for name in HIDDEN:
            fields.pop(name, None)
        try:
            text = render(self._template, fields)
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
