"""Reading one row (any layout, v1 to v3) and the record of a verdict."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, Literal, NamedTuple

from mmeval_pack.judges.errors import InputError

Status = Literal["ok", "invalid", "unscored"]
UNJUDGED: Final = ("no_judge", "judge_failed", "judge_unparseable", "judge_budget", "extraction_empty")
"""The reasons of samples that are unscored for want of a judge's verdict."""


class Score(NamedTuple):
    """The verdict on one response.

    Attributes:
        score: in [0, 1]; None when unscored.
        is_correct: 1, 0, or None when unscored.
        decided_by: name of the deciding stage, None when no stage decided.
        status: ``ok`` (graded), ``invalid`` (no truth or no response), ``unscored`` (no verdict came).
        extraction: the answer as it was read from the response.
        reason: a code of the vocabulary in docs/scoring.md, None when there is nothing to explain.
    """

    score: float | None
    is_correct: int | None
    decided_by: str | None
    status: Status
    extraction: str | None
    reason: str | None


class Reading(NamedTuple):
    """What one stage made of a response.

    Attributes:
        score: in [0, 1] when the stage decides; None when it passes the response on.
        extraction: the answer as the stage read it, None when it read nothing.
        invalid: a reason code; it ends the pipeline with status ``invalid`` and score 0.
    """

    score: float | None
    extraction: str | None
    invalid: str | None = None


AnyReading = tuple[float | None, str | None, str | None]
"""A `Reading`, or its fields alone, which are made in no time."""

# As the class itself, called with a tuple of all its fields, at a quarter of the cost.
score_of: Callable[[tuple[float | None, int | None, str | None, Status, str | None, str | None]], Score]
score_of = partial(tuple.__new__, Score)

PASS: Final = Reading(None, None)


class Doc:
    """What scoring reads of one row, and nothing else.

    Attributes:
        id: the row's id, of whatever type it was published with.
        truth: the reference answer, any JSON value; None when the row has none.
        question_type: as the row declares it (any JSON value); see `judges.question` for the one that counts.
        message: the first message; empty when there is none.
        invalid: why no response to the row can be graded, a reason code: it has no truth
            (``missing_answer``), or no last message that a response belongs to (``missing_response``).
        row: the row itself, for the stages that show it to a judge.
    """

    __slots__ = ("id", "invalid", "message", "question_type", "row", "truth")

    def __init__(
        self,
        truth: Any,
        message: Mapping[str, Any],
        question_type: Any = None,
        id: Any = None,  # noqa: A002 (the published name of the field)
        row: Mapping[str, Any] | None = None,
        has_message: bool = True,
    ) -> None:
        self.truth = truth
        self.message = message
        self.question_type = question_type
        self.id = id
        self.row = {} if row is None else row
        self.invalid = "missing_answer" if is_blank(truth) else None if has_message else "missing_response"

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Doc:
        """The Doc of a row of any layout (v1 to v3).

        The truth is the top-level ``answer``; where that is missing, null or blank text, the top-level
        ``reference_response``; in the older layouts, whose top level holds no truth, the first message's
        ``answer``, and the question type then comes from there too.

        Raises:
            InputError: ``messages`` is neither a list nor its JSON text.
        """
        messages = row.get("messages")
        if not isinstance(messages, list):
            messages = messages_of(row)
        first = messages[0] if messages else None
        message = first if isinstance(first, dict) else {}
        truth, question_type = row.get("answer"), row.get("question_type")
        if is_blank(truth):
            reference = row.get("reference_response")
            if not is_blank(reference):
                truth = reference
            elif "answer" not in row and "answer" in message:
                truth = message["answer"]
                question_type = message.get("question_type", question_type)
        has_message = bool(messages) and isinstance(messages[-1], dict)
        return cls(truth, message, question_type, row.get("id"), row, has_message)


def is_blank(value: Any) -> bool:
    """Whether a truth is missing: null or blank text. An empty list is not blank."""
    return value is None or (isinstance(value, str) and (not value or value.isspace()))


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
