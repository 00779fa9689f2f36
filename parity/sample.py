"""One response to one row, and what every reference makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from mmeval_pack.judges.figures import group_values
from mmeval_pack.parity.reasons import reasons_of
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import (
    NO_REPLIES,
    Reference,
    Replies,
    Verdict,
    unscored,
)
from mmeval_pack.translators.task import Task


@dataclass(frozen=True)
class Response:
    """A response as it was recorded.

    Attributes:
        model: whose it is.
        task: name of the task.
        id: the row's id, as text.
        raw: the row as it was recorded, without media.
        text: the response; None where there is none.
        replies: what a judge said about it, where that was recorded.
        recorded: verdicts that a judge made in the run that was recorded, by reference.
    """

    model: str
    task: str
    id: str
    raw: Mapping[str, Any]
    text: str | None
    replies: Replies = NO_REPLIES
    recorded: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True)
class Sample:
    """A response with its verdicts.

    Attributes:
        response: the response.
        row: its row.
        benchmark: the publisher's name of its benchmark.
        groups: the row's value in each group of the benchmark.
        verdicts: the verdict of each reference, by its name.
    """

    response: Response
    row: Row
    benchmark: str
    groups: Mapping[str, str]
    verdicts: Mapping[str, Verdict]

    @property
    def text(self) -> str:
        """The response, empty where there is none."""
        return self.response.text or ""

    @cached_property
    def outcomes(self) -> Mapping[str, str]:
        """What each verdict comes to, see `outcome`; references without a verdict are left out."""
        found = {name: outcome(verdict) for name, verdict in self.verdicts.items()}
        return {name: value for name, value in found.items() if value is not None}

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why the references disagree, the first being what it is counted under; empty where they agree."""
        return reasons_of(self) if self.disputed else ()

    @property
    def disputed(self) -> bool:
        """Whether two references come to different things."""
        return len(set(self.outcomes.values())) > 1


def outcome(verdict: Verdict) -> str | None:
    """``right``, ``wrong``, ``partial``, ``random``, ``crash``, ``hang``; None without a verdict."""
    if verdict.status != "ok":
        return None if verdict.status == "unscored" else verdict.status
    if verdict.score == 1:
        return "right"
    return "partial" if verdict.score else "wrong"


def judged(response: Response, references: Iterable[Reference], task: Task) -> Sample:
    """The sample of a response to a row of the task.

    Raises:
        InputError: the row cannot be read.
    """
    row = Row.of(response.raw)
    verdicts = {reference.name: _verdict(reference, row, response) for reference in references}
    return Sample(response, row, task.benchmark, group_values(row.doc, task.groups), verdicts)


def _verdict(reference: Reference, row: Row, response: Response) -> Verdict:
    if response.text is None:
        return unscored("missing_response")
    if row.doc.invalid is not None:
        return unscored(row.doc.invalid)
    verdict = reference.verdict(row, response.text, response.replies)
    if verdict.reason == "no_judge":
        return response.recorded.get(reference.name, verdict)
    return verdict
