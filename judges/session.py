"""One event loop's side of a judge: slots, turns among its base URLs, parameters, tries and their budget."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.outcome import Answer, Fault, Usage
from mmeval_pack.judges.reply import JudgeFailure, Reply
from mmeval_pack.judges.spending import Purse, Spending, most_tokens
from mmeval_pack.judges.transport_processes import TransportProcesses

LONGEST_BACKOFF: Final = 20.0
COOLING_SECONDS: Final = 10.0
# Questions in a row, all their tries failed, after which a judge that never replied is not asked any more:
# some that no judge takes (too long ones, say) may stand together. One that did reply gets ten times that.
LEAST_OUTAGE: Final = 20
_PATIENCE: Final = 10
# Names that take max_completion_tokens and no temperature, with or without a provider's name before them.
_REASONING_MODEL: Final = re.compile(r"\s*(?:[^/\s]+/)*(?:gpt-5|o1|o3|o4)", re.IGNORECASE)


class Tries(NamedTuple):
    """How hard to try.

    Attributes:
        timeout: seconds for one request.
        retries: further tries after the first.
        backoff: seconds before the second try; doubled for each further one.
    """

    timeout: float
    retries: int
    backoff: float


class Question(NamedTuple):
    """What is asked; ``seconds`` are for all tries together, from the moment that it gets its slot."""

    messages: Sequence[Mapping[str, Any]]
    max_tokens: int
    stage: str
    seconds: float


class Session:
    """Asks one model. Belongs to one event loop.

    Attributes:
        loop: the event loop.
        slots: as many as questions may be in flight.
        flights: the questions in flight, by the key of their request.
    """

    def __init__(
        self,
        model: str,
        transport: TransportProcesses,
        *,
        concurrency: int,
        tries: Tries,
        purse: Purse,
    ) -> None:
        self.loop = asyncio.get_running_loop()
        self.slots = asyncio.Semaphore(concurrency)
        self.flights: dict[str, asyncio.Task[Reply]] = {}
        self.transport = transport
        self._model = model
        self._tries = tries
        self._purse = purse
        self._turn = Turn(transport.count)
        self._plain = _REASONING_MODEL.match(model) is None
        self._switched = False
        self._outage = max(LEAST_OUTAGE, concurrency)
        self._failed = 0  # questions since the last reply
        self._replied = False

    async def ask(self, question: Question, spending: Spending) -> Reply:
        """Tries until there is a reply; for a caller that holds a slot.

        Raises:
            JudgeFailure: there is none after all tries or within the time, the endpoint refuses for good, the
                budget is used up, or so many questions in a row failed that this one is not asked.
        """
        if self._is_out():
            raise JudgeFailure(
                "judge_failed", f"not asked any more: {self._failed} questions in a row failed"
            )
        try:
            reply = await self._ask(question, spending)
        except JudgeFailure as failure:
            self._failed += failure.reason == "judge_failed"
            raise
        self._failed, self._replied = 0, True
        return reply

    def _is_out(self) -> bool:
        return self._failed >= self._outage * (_PATIENCE if self._replied else 1)

    async def _ask(self, question: Question, spending: Spending) -> Reply:
        end = self.loop.time() + question.seconds
        calls, failed, usage, place = 0, 0, Usage(), self._turn.next(self.loop.time())
        while True:
            for outcome in await self._try(question, place, end, spending):
                calls += 1
                usage = usage.plus(outcome.usage or Usage())
            if isinstance(outcome, Answer):
                self._turn.worked(place)
                return Reply(outcome.text, outcome.model or self._model, usage, calls)
            failed += 1
            told = outcome.detail if calls == 1 else f"{outcome.detail} (after {calls} requests)"
            if not outcome.transient or failed > self._tries.retries or self._is_out():
                raise JudgeFailure("judge_failed", told)
            place, wait = self._next_try(place, failed, outcome)
            if self.loop.time() + wait >= end:
                raise JudgeFailure("judge_failed", f"{told}; no time is left of {question.seconds:.3g} s")
            await asyncio.sleep(wait)

    async def probe(self, place: int, question: Question, spending: Spending) -> str | None:
        """Asks one base URL, a second time after a passing fault.

        Returns:
            What keeps it from judging; None when it answers, be it with nothing or with a call for patience.
        """
        detail = None
        for wait in (0.0, self._tries.backoff):
            await asyncio.sleep(wait)
            outcome = (await self._try(question, place, self.loop.time() + question.seconds, spending))[-1]
            if isinstance(outcome, Answer) or outcome.alive:
                return None
            detail = outcome.detail
            if not outcome.transient:
                break
        return detail

    async def _try(
        self, question: Question, place: int, end: float, spending: Spending
    ) -> list[Answer | Fault]:
        """What came of one try: one outcome, or two when the first showed that the parameters must change."""
        plain = self._plain
        outcome = await self._send(question, place, end, spending)
        if isinstance(outcome, Fault) and outcome.parameters and self._switch(plain):
            return [outcome, await self._send(question, place, end, spending)]
        return [outcome]

    async def _send(self, question: Question, place: int, end: float, spending: Spending) -> Answer | Fault:
        """One request, within the budget."""
        reserved = most_tokens(question.messages, question.max_tokens)
        if not await self._purse.reserve(reserved):
            raise JudgeFailure("judge_budget", "the judge's budget is used up")
        spent, usage = reserved, Usage()
        try:
            seconds = min(self._tries.timeout, max(end - self.loop.time(), 0.0))
            outcome = await self.transport.post(place, self._body(question), question.stage, seconds)
            if outcome.usage is not None:
                usage = outcome.usage
                spent = usage.prompt + usage.completion
            return outcome
        finally:
            self._purse.settle(reserved, spent)
            spending.add(usage)

    def _body(self, question: Question) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "messages": question.messages}
        if self._plain:
            return {**body, "max_tokens": question.max_tokens, "temperature": 0}
        return {**body, "max_completion_tokens": question.max_tokens}

    def _switch(self, plain: bool) -> bool:
        """Whether, after a complaint about the parameters sent, others are worth a try; they change once."""
        if not self._switched:
            self._plain, self._switched = not plain, True
        return self._plain is not plain

    def _next_try(self, place: int, failed: int, fault: Fault) -> tuple[int, float]:
        """Where and after how many seconds to try again: where the endpoint asked to wait, not before."""
        now = self.loop.time()
        self._turn.failed(place, now + (fault.wait or COOLING_SECONDS))
        following = self._turn.next(now)
        backoff = min(self._tries.backoff * 2 ** (failed - 1), LONGEST_BACKOFF)
        # Jitter, so that calls that failed together do not come back together.
        wait = backoff * random.uniform(0.5, 1.0)  # noqa: S311 (no secret)
        return following, max(wait, fault.wait or 0.0) if following == place else wait


class Turn:
    """Takes base URLs in turn and passes over those that failed a moment ago, while others are left."""

    def __init__(self, count: int) -> None:
        self._rested = [0.0] * count  # the time from which each is good again
        self._last = -1

    def next(self, now: float) -> int:
        """The next one in turn that does not rest; when all do, the one that is ready first."""
        count = len(self._rested)
        order = [(self._last + step) % count for step in range(1, count + 1)]
        ready = (place for place in order if self._rested[place] <= now)
        self._last = next(ready, min(order, key=self._rested.__getitem__))
        return self._last

    def failed(self, place: int, until: float) -> None:
        """Lets one rest until a time."""
        self._rested[place] = until

    def worked(self, place: int) -> None:
        """Ends a rest."""
        self._rested[place] = 0.0
