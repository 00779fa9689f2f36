"""A judge whose replies are written beforehand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pytest

from mmeval_pack.judges.outcome import Usage
from mmeval_pack.judges.reply import JudgeFailure, Reply


class Asked(NamedTuple):
    """One question that the judge was asked."""

    stage: str
    text: str
    attempt: int
    prompt: str
    deadline: float | None


class Scripted:
    """Gives each stage's replies in turn, and the last one from then on; a failure among them is raised."""

    def __init__(self, **replies: str | JudgeFailure | list[str | JudgeFailure]) -> None:
        self.replies = {
            stage: given if isinstance(given, list) else [given] for stage, given in replies.items()
        }
        self.asked: list[Asked] = []
        self._given: Counter[str] = Counter()

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        stage: str,
        max_tokens: int,  # noqa: ARG002 (part of what is asked of a judge)
        deadline: float | None = None,
        prompt: str = "",
        attempt: int = 0,
    ) -> Reply:
        """The stage's next reply; each costs 10 tokens and one more, in one call."""
        (message,) = messages
        assert message["role"] == "user"
        self.asked.append(Asked(stage, message["content"], attempt, prompt, deadline))
        replies = self.replies[stage]
        reply = replies[min(self._given[stage], len(replies) - 1)]
        self._given[stage] += 1
        if isinstance(reply, JudgeFailure):
            raise reply
        return Reply(reply, "judge-1", Usage(10, 1, 0), 1)


@pytest.fixture
def scripted() -> type[Scripted]:
    """The class of judges whose replies are written beforehand."""
    return Scripted
