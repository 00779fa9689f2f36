"""Counts what judging costs, by stage, and stops it before a budget is exceeded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.outcome import Usage
from mmeval_pack.judges.settings import Budget

_MESSAGE_TOKENS: Final = 16  # what a chat template puts around a message, with room to spare


@dataclass(slots=True)
class Spending:
    """What one stage cost.

    Attributes:
        calls: requests sent, failed ones included.
        remembered: replies that the cache had.
        failures: replies that were not to be had, those that the budget refused left out.
        prompt_tokens: sent; ``cached_tokens`` of them were read from the provider's prompt cache.
        completion_tokens: received, reasoning included.
        cached_tokens: see above.
    """

    calls: int = 0
    remembered: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    def add(self, usage: Usage) -> None:
        """Counts one request."""
        self.calls += 1
        self.prompt_tokens += usage.prompt
        self.completion_tokens += usage.completion
        self.cached_tokens += usage.cached


def most_tokens(messages: Sequence[Mapping[str, Any]], max_tokens: int) -> int:
    """The most tokens that a request can cost: no tokenizer in use makes more tokens than bytes."""
    written = sum(
        len(str(text).encode(errors="replace")) for message in messages for text in message.values()
    )
    return written + _MESSAGE_TOKENS * len(messages) + max_tokens


class Purse:
    """A budget that is held against the requests in flight too, at the most that each can cost."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._spent = _Amount(0, 0)
        self._reserved = _Amount(0, 0)
        self._waiting: list[asyncio.Future[None]] = []

    async def reserve(self, tokens: int) -> bool:
        """Sets one call and so many tokens aside.

        Waits while only what others have set aside is in the way, since they mostly give some back.

        Returns:
            False when the budget does not hold that much any more.
        """
        need = _Amount(1, tokens)
        while not self._has(self._spent.plus(self._reserved).plus(need)):
            if not self._has(self._spent.plus(need)):
                return False
            returned = asyncio.get_running_loop().create_future()
            self._waiting.append(returned)
            await returned
        self._reserved = self._reserved.plus(need)
        return True

    def settle(self, reserved: int, spent: int) -> None:
        """Gives back the tokens that were set aside for a call, and takes what it did cost."""
        self._reserved = self._reserved.plus(_Amount(-1, -reserved))
        self._spent = self._spent.plus(_Amount(1, spent))
        waiting, self._waiting = self._waiting, []
        for returned in waiting:
            if not returned.done():
                returned.set_result(None)

    def _has(self, amount: _Amount) -> bool:
        return all(limit is None or part <= limit for limit, part in zip(self._budget, amount, strict=True))


class _Amount(NamedTuple):
    calls: int
    tokens: int

    def plus(self, other: _Amount) -> _Amount:
        return _Amount(self.calls + other.calls, self.tokens + other.tokens)
