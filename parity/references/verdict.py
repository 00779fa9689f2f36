"""What a reference scorer says of one response, and what it states about itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from mmeval_pack.judges.errors import PackError
from mmeval_pack.parity.references.row import Row

Status = Literal["ok", "random", "crash", "hang", "unscored"]
"""``random``: the scorer draws its answer by lot. ``crash``, ``hang``: it ends there, or never does.

``unscored``: no verdict can be had here, for the reason that is given with it.
"""


class Verdict(NamedTuple):
    """One scorer's verdict on one response.

    Attributes:
        score: 1 right, 0 wrong (the pack's own graders: any number between). Of a lot that is drawn, the
            share of draws that are right, 1/n. None where there is no verdict.
        prediction: the answer as the scorer read it; of a lot, what the scorer's first draw would give.
        status: see `Status`.
        reason: a short code, None where there is nothing to explain.
        detail: what else the scorer reports of its way there: calls of a judge, an answer taken in advance.
    """

    score: float | None
    prediction: str | None
    status: Status = "ok"
    reason: str | None = None
    detail: Mapping[str, Any] = {}


def unscored(reason: str, prediction: str | None = None, **detail: Any) -> Verdict:
    """No verdict, and why."""
    return Verdict(None, prediction, "unscored", reason, detail)


class Replies(NamedTuple):
    """What a judge said when it was asked about one response; the last reply is given from then on.

    Attributes:
        extract: its replies when asked for the answer within the response.
        judge: its replies when asked whether that answer is right.
    """

    extract: tuple[str, ...] = ()
    judge: tuple[str, ...] = ()


NO_REPLIES = Replies()

Scorer = Callable[[Row, str, Replies], Verdict]


@dataclass(frozen=True)
class Reference:
    """A scorer of one benchmark.

    Attributes:
        name: as it is asked for, such as ``lmms-eval``.
        version: what was run: a version, or the commit that an algorithm was read from.
        source: where the algorithm stands.
        llm: which responses it asks an LLM about: ``none``, ``some`` or ``all``.
        verdict: takes a row, a response to it, and what a judge said.
    """

    name: str
    version: str
    source: str
    llm: Literal["none", "some", "all"]
    verdict: Scorer = field(repr=False)


class MissingError(PackError):
    """A reference that cannot be had here; the message says how to get it."""
