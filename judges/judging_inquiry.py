"""All that is asked about one sample: questions with a bounded number of re-asks, and what they cost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

from mmeval_pack.judges.prompt_file import Prompt
from mmeval_pack.judges.reply import JudgeFailure, Reply

REASKS: Final = 3  # after a reply that is of no use; each is worded differently, so that it is a new request
MAX_TOKENS: Final = 2048  # of a reply: room for the reasoning of judges that cannot do without
_STAMP_DIGITS: Final = 12

T = TypeVar("T")


class Asks(Protocol):
    """The part of `judges.client.Client` that asks."""

    async def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        *,
        stage: str,
        max_tokens: int,
        deadline: float | None = None,
        prompt: str = "",
        attempt: int = 0,
    ) -> Reply:
        """The judge's reply.

        Raises:
            JudgeFailure: there is none.
        """


class Inquiry:
    """What is asked about one sample, within so many seconds from its making.

    Attributes:
        extraction: the answer as it was last read from the response, by a rule or by the judge.
        replies: all that came, useless ones included.
    """

    def __init__(self, asks: Asks, seconds: float, extraction: str | None = None) -> None:
        self.extraction = extraction
        self.replies: list[Reply] = []
        self._asks = asks
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + seconds
        self._prompts: dict[str, None] = {}

    def uses(self, *prompts: Prompt) -> None:
        """Puts prompts on the stamp, so that it is the same whether or not each of them is needed."""
        self._prompts.update(dict.fromkeys(prompt.digest for prompt in prompts))

    async def ask(
        self,
        prompt: Prompt,
        texts: Mapping[str, str],
        read: Callable[[str], T | None],
        *,
        stage: str,
        reminder: str,
        useless: str = "judge_unparseable",
    ) -> T:
        """What is read in the first reply that is of use.

        Args:
            prompt: what is asked.
            texts: for the prompt's slots.
            read: gives None for a reply that is of no use.
            stage: of the header X-MMEval-Stage.
            reminder: stands at the end of each re-ask.
            useless: the reason when no reply was of use.

        Raises:
            JudgeFailure: there is no reply, or none of use.
        """
        asked = prompt.filled(**texts)
        for attempt in range(1 + REASKS):
            again = f"\n\n(Try {attempt + 1} of {1 + REASKS}. {reminder})" if attempt else ""
            reply = await self._asks.complete(
                [{"role": "user", "content": asked + again}],
                stage=stage,
                max_tokens=MAX_TOKENS,
                deadline=max(self._end - self._loop.time(), 0.0),
                prompt=prompt.digest,
                attempt=attempt,
            )
            self.replies.append(reply)
            value = read(reply.text)
            if value is not None:
                return value
        raise JudgeFailure(
            useless, f"{stage}: no reply of {1 + REASKS} is of use, the last is {_shown(reply)}"
        )

    def record(self, protocol: str) -> dict[str, Any] | None:
        """What is logged beside the verdict: the same in every run that finds these replies in the cache.

        Returns:
            ``model``, ``protocol``, ``prompt`` (the first digits of each prompt's digest), ``calls`` (the
            requests that the replies took) and ``tokens`` (of prompts and replies); None when no reply came.
        """
        if not self.replies:
            return None
        return {
            "model": self.replies[-1].model,
            "protocol": protocol,
            "prompt": stamp(self._prompts),
            "calls": sum(reply.calls for reply in self.replies),
            "tokens": sum(reply.usage.prompt + reply.usage.completion for reply in self.replies),
        }


def stamp(digests: Iterable[str]) -> str:
    """The prompts on the stamp of a verdict: the first digits of each one's digest."""
    return "-".join(digest[:_STAMP_DIGITS] for digest in digests)


def _shown(reply: Reply) -> str:
    return repr(reply.text if len(reply.text) <= 80 else reply.text[:77] + "...")
