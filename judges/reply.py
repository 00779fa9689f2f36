"""What a judge gives: a reply, or a failure with its reason."""

from __future__ import annotations

from typing import Any, NamedTuple

from mmeval_pack.judges.errors import PackError
from mmeval_pack.judges.outcome import Usage, counted
from mmeval_pack.judges.replay import Value


class JudgeFailure(PackError):  # noqa: N818 (how a sample ends, as in `judge_failed`; nobody erred)
    """A judge gave no reply.

    Attributes:
        reason: ``judge_failed``, ``judge_budget`` or ``no_judge``, see docs/scoring.md.
        detail: what happened, without secrets.
    """

    exit_code = 3

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


class Reply(NamedTuple):
    """A judge's reply and what it cost when it was made, be that now or in an earlier run.

    Attributes:
        text: not blank.
        model: the name that the endpoint gives itself, else the one that was asked for.
        usage: tokens of all its requests, zero where the endpoint reports none.
        calls: requests that it took, failed ones included.
    """

    text: str
    model: str
    usage: Usage
    calls: int

    def to_value(self, **labels: Any) -> dict[str, Any]:
        """The record that the cache keeps, with labels for its readers."""
        prompt, completion, cached = self.usage
        counts = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached}
        return {**labels, "text": self.text, "model": self.model, "calls": self.calls, **counts}

    @classmethod
    def from_value(cls, value: Value) -> Reply:
        """The inverse of :meth:`to_value`; counts that can be none, which a record may hold, are 0."""
        names = ("prompt_tokens", "completion_tokens", "cached_tokens")
        usage = Usage(*(counted(value[name]) for name in names))
        return cls(value["text"], value["model"], usage, counted(value["calls"]))
