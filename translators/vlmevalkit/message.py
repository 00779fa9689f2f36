"""A prompt in VLMEvalKit's form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class Message(list[dict[str, Any]]):
    """The parts ``{"type", "value"}`` of a prompt; to any model a plain list.

    Attributes:
        key: task and row id, by which the replay model finds the response.
    """

    def __init__(self, parts: Iterable[dict[str, Any]], key: tuple[str, str]) -> None:
        super().__init__(parts)
        self.key = key
