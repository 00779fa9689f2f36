"""Prompts as files: a fixed part, then the slots for what differs from row to row.

The fixed part stands first, so that a provider's prompt cache serves it. The source is in the syntax of
`str.format` with plain names: ``{response}`` is a slot, ``{{`` a brace.
"""

from __future__ import annotations

import functools
import hashlib
import re
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from mmeval_pack.judges.errors import InputError

FOLDER: Final = Path(__file__).with_name("prompts")

# Brackets that fence the slots of the pack's own prompts, and those that look like them: none is left in a
# text that is filled in, so that it cannot end its slot, whatever it puts between, around or inside them.
_FENCES: Final = str.maketrans("⟦⟧〚〛", "[][]")
# Where tokenizers see an end of turn: most of them find such tokens in the text of a message too.
_CONTROL_TOKEN: Final = re.compile(
    r"<(?=[|｜]|/?s>|(?:bos|eos|start_of_turn|end_of_turn)>)|\[(?=/?INST\])", re.IGNORECASE
)


def inert(text: str) -> str:
    """The text as it may stand in a slot: it can neither end the slot nor the message.

    Fence brackets become square ones, and a space breaks up control tokens such as ``<|im_end|>``.
    """
    return _CONTROL_TOKEN.sub(r"\g<0> ", text.translate(_FENCES)).strip()


class Prompt:
    """A prompt with slots.

    Attributes:
        digest: sha256 of the source, in hexadecimal.
        slots: the names of the slots.
    """

    def __init__(
        self, pieces: Iterable[tuple[str, str | None]], digest: str, shield: Callable[[str], str]
    ) -> None:
        self._pieces = tuple(pieces)
        self._shield = shield
        self.digest = digest
        self.slots = frozenset(slot for _, slot in self._pieces if slot)

    @classmethod
    def parsed(cls, source: str, name: str, shield: Callable[[str], str] = inert) -> Prompt:
        """The prompt of a source.

        Args:
            source: see the module.
            name: stands for the source in messages.
            shield: what is done to each text that is filled in.

        Raises:
            InputError: the braces are in disorder, or a slot is more than a name.
        """
        pieces = []
        try:
            for literal, slot, form, conversion in string.Formatter().parse(source):
                if slot is not None and (not slot.isidentifier() or form or conversion):
                    raise ValueError(f"the slot {{{slot}}} is not a plain name")
                pieces.append((literal, slot))
        except ValueError as error:
            raise InputError(
                f"{name}: {error}; expected slots such as {{response}}, and braces doubled"
            ) from None
        return cls(pieces, hashlib.sha256(source.encode()).hexdigest(), shield)

    def filled(self, **texts: str) -> str:
        """The prompt with these texts in its slots, each made harmless first."""
        shown = {name: self._shield(text) for name, text in texts.items()}
        return "".join(literal + (shown[slot] if slot else "") for literal, slot in self._pieces)


@functools.cache
def own(name: str) -> Prompt:
    """The pack's own prompt of this name, ``prompts/<name>.txt``; its digest is that of the file."""
    return Prompt.parsed((FOLDER / f"{name}.txt").read_bytes().decode(), f"{name}.txt")
