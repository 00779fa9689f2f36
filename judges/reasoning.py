"""Separates the answer from the reasoning that a model wrote before it."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

# ASCII: without it, ignoring case also takes look-alikes such as the long s.
_TAG = re.compile(r"<(/?)(think(?:ing)?|analysis)\s*>", re.IGNORECASE | re.ASCII)


class Separated(NamedTuple):
    """A response taken apart.

    Attributes:
        answer: the text outside all reasoning; None when a block was opened and never closed.
        reasoning: ``stripped`` when the response held reasoning, ``none`` when all of it is the answer.
    """

    answer: str | None
    reasoning: Literal["stripped", "none"]


def separate(response: str) -> Separated:
    """Remove the blocks ``think``, ``thinking`` and ``analysis``.

    A block ends at the first closing tag of its own name. A closing tag outside any block ends one that the
    chat template opened in the prompt: all before it was reasoning.
    """
    kept: list[str] = []
    block = None
    end = 0
    for tag in _TAG.finditer(response):
        closing, name = tag[1], tag[2].lower()
        if block is None and not closing:
            kept.append(response[end : tag.start()])
            block = name
        elif block is None:
            kept.clear()
        elif closing and name == block:
            block = None
        else:
            continue
        end = tag.end()
    if block is not None:
        return Separated(None, "stripped")
    if end == 0:
        return Separated(response, "none")
    return Separated("".join([*kept, response[end:]]).strip(), "stripped")
