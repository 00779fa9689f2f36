"""Reading one row (any layout, v1 to v3) and the record of a verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from mmeval_pack.judges.errors import InputError

Status = Literal["ok", "invalid", "unscored"]


class Score(NamedTuple):
    """The verdict on one response.

    Attributes:
        score: in [0, 1]; None when unscored.
        is_correct: 1, 0, or None when unscored.
        decided_by: name of the deciding stage, None when no stage decided.
        status: ``ok`` (graded), ``invalid`` (no truth or no response), ``unscored`` (no verdict was to be had).
        extraction: the answer as it was read from the response.
        reason: a code of the vocabulary in docs/scoring.md, None when there is nothing to explain.
    """

    score: float | None
    is_correct: int | None
    decided_by: str | None
    status: Status
    extraction: str | None
    reason: str | None


def messages_of(row: Mapping[str, Any]) -> list[Any]:
    """The row's messages, published as JSON text or as a list.

    Raises:
        InputError: the text is not JSON, or not a list.
    """
    messages = row.get("messages")
    if messages is None:
        return []
    if isinstance(messages, str):
        try:
            messages = json.loads(messages)
        except (ValueError, RecursionError) as error:
            raise InputError(f"row {row.get('id')!r}: messages is no JSON text: {error}") from None
    if not isinstance(messages, list):
        raise InputError(f"row {row.get('id')!r}: messages is {type(messages).__name__}, expected a list")
    return messages


def first_message(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The first message of the row; empty when there is none or it is no object."""
    messages = messages_of(row)
    return messages[0] if messages and isinstance(messages[0], Mapping) else {}


def field(row: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """A field of the row: the first message's where it has it, else the top level's."""
    message = first_message(row)
    return message[name] if name in message else row.get(name, default)
