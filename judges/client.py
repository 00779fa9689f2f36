"""Asks a judge behind any OpenAI-compatible endpoint, and reads the environment that names it."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mmeval_pack.judges import settings
from mmeval_pack.judges.cache import Cache, request_key
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.outcome import printable
from mmeval_pack.judges.replay import Replay
from mmeval_pack.judges.reply import JudgeFailure, Reply
from mmeval_pack.judges.session import Question, Session, Tries
from mmeval_pack.judges.settings import UNLIMITED, Budget
from mmeval_pack.judges.spending import Purse, Spending
from mmeval_pack.judges.transport_processes import TransportProcesses, worthwhile

OPENAI_URL: Final = "https://api.openai.com/v1"
_URLS: Final = ("MMEVAL_JUDGE_BASE_URL", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_URL")
_KEYS: Final = ("MMEVAL_JUDGE_API_KEY", "OPENAI_API_KEY")
_MODELS: Final = ("MMEVAL_JUDGE_MODEL", "MODEL_VERSION")


@dataclass(frozen=True)
class JudgeSettings:
    """Which judge to ask, and how.

    Attributes:
        model: its name at the endpoint.
        base_urls: used in turn; empty for a judge of which only recorded replies are to be had.
        api_key: sent to every base URL without credentials of its own; may be empty.
        concurrency: questions in flight, at most.
        timeout: seconds for one request.
        retries: further tries after the first.
        backoff: seconds before the second try; doubled for each further one, with jitter.
        cache: file of the replies, None for none.
        protocol: name of the scoring protocol, None for the default.
        prompts: where prompts come from, None for the pack's own.
        budget: what may be spent.
    """

    model: str
    base_urls: tuple[str, ...] = ()
    api_key: str = field(default="", repr=False)
    concurrency: int = 32
    timeout: float = 60.0
    retries: int = 5
    backoff: float = 0.5
    cache: Path | None = None
    protocol: str | None = None
    prompts: str | None = None
    budget: Budget = UNLIMITED

    def __repr__(self) -> str:
        urls = ", ".join(map(settings.fit_to_show, self.base_urls))
        return f"JudgeSettings({self.model!r} at [{urls}], concurrency {self.concurrency})"

    @property
    def deadline(self) -> float:
        """Seconds for all tries of one question, waits included."""
        return max(180.0, 3 * self.timeout)

    @classmethod
    def from_environ(cls, overrides: Mapping[str, str | None] | None = None) -> JudgeSettings | None:
        """The judge that the environment names; None when it names none or switches judging off.

        Args:
            overrides: go before the environment, under the same names; None counts as not given.

        Raises:
            InputError: a value is malformed.
        """
        given = _given(overrides)
        switch = given.get("MMEVAL_JUDGE", "")
        if switch.lower() == "off":
            return None
        if switch and switch.lower() != "on":
            raise InputError(f"MMEVAL_JUDGE={switch!r}: expected off, on or nothing")
        model, url, key = (settings.first_given(given, names) for names in (_MODELS, _URLS, _KEYS))
        if not model or not (url or key):
            return None
        protocol, prompts = mathverse_terms(overrides)
        return cls(
            given[model],
            settings.base_urls(url, given[url]) if url else (OPENAI_URL,),
            settings.api_key(key, given[key]) if key else "",
            cache=cache_path(overrides),
            protocol=protocol,
            prompts=prompts,
            **settings.limits(given),
        )


def _given(overrides: Mapping[str, str | None] | None) -> dict[str, str]:
    given = {name: value.strip() for name, value in os.environ.items()}
    return given | {name: value.strip() for name, value in (overrides or {}).items() if value is not None}


def mathverse_terms(overrides: Mapping[str, str | None] | None = None) -> tuple[str | None, str | None]:
    """The protocol of MathVerse and where its prompts come from, whether or not a judge is named.

    Args:
        overrides: as in `JudgeSettings.from_environ`.

    Returns:
        Each as it was given, None where it was not.
    """
    given = _given(overrides)
    return given.get("MMEVAL_JUDGE_PROTOCOL") or None, given.get("MMEVAL_JUDGE_PROMPTS") or None


def cache_path(overrides: Mapping[str, str | None] | None = None) -> Path:
    """The file of replies that the environment names, whether or not it names a judge.

    Args:
        overrides: as in `JudgeSettings.from_environ`.

    Raises:
        InputError: there is no home folder, and no other one is named.
    """
    given = _given(overrides)
    named = given.get("MMEVAL_JUDGE_CACHE")
    path = (
        Path(named)
        if named
        else Path(given.get("XDG_CACHE_HOME") or "~/.cache", "mmeval-pack", "judge.sqlite")
    )
    try:
        return path.expanduser()
    except RuntimeError:
        raise InputError(f"{path}: there is no home folder, name a file with MMEVAL_JUDGE_CACHE") from None


class Client:
    """Asks one judge, from any event loop; keeps and finds replies in a cache.

    Attributes:
        settings: which judge, and how.
        store: where replies are looked up and kept, None for nowhere.
        spending: what was spent, by stage.
    """

    def __init__(self, settings: JudgeSettings, store: Cache | Replay | None = None) -> None:
        self.settings = settings
        self.store = store
        self.spending: defaultdict[str, Spending] = defaultdict(Spending)
        self._purse = Purse(settings.budget)
        self._session: Session | None = None

    def __repr__(self) -> str:
        return f"Client({self.settings!r})"

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
        """The judge's reply, from the store when it is there; equal questions in flight are asked once.

        Args:
            messages: ``role`` and ``content`` of each.
            stage: goes into the header X-MMEval-Stage and names the account in ``spending``.
            max_tokens: of the reply, reasoning included.
            deadline: seconds for all tries and waits together, from the moment that a slot is free; None for
                the settings' own.
            prompt: version of the prompt, part of the key in the store.
            attempt: 0, or the number of the re-ask after a reply that was of no use, part of the key too.

        Raises:
            JudgeFailure: there is no reply.
            InputError: the store is damaged.
        """
        clean = [{name: printable(text) for name, text in message.items()} for message in messages]
        request = {
            "model": self.settings.model,
            "messages": clean,
            "max_tokens": max_tokens,
            "temperature": 0,
        }
        key = request_key({**request, "prompt": prompt, "attempt": attempt})
        session = self._current_session()
        flight = session.flights.get(key)
        if flight is None:
            seconds = self.settings.deadline if deadline is None else deadline
            question = Question(clean, max_tokens, stage, seconds)
            flight = session.loop.create_task(self._answer(session, key, question, prompt))
            session.flights[key] = flight
            flight.add_done_callback(lambda done: _landed(session, key, done))
        # One of several that wait may be cancelled; the question stays in flight for the others.
        return await asyncio.shield(flight)

    async def _answer(self, session: Session, key: str, question: Question, prompt: str) -> Reply:
        spending = self.spending[question.stage]
        try:
            known = self._remembered(key, spending)
            if known:
                return known
            if not self.settings.base_urls:
                raise JudgeFailure("no_judge", "this request is not among the recorded replies")
            waits = session.slots.locked()
            async with session.slots:
                # Another process may have asked the same while this one waited for a slot.
                known = self._remembered(key, spending) if waits else None
                if known:
                    return known
                reply = await session.ask(question, spending)
                # Kept while it holds its slot: a kill costs no more calls than there are slots.
                return await self._kept(key, reply, question.stage, prompt)
        except JudgeFailure as failure:
            spending.failures += failure.reason != "judge_budget"  # the judge has no part in that
            raise

    async def _kept(self, key: str, reply: Reply, stage: str, prompt: str) -> Reply:
        """The reply as the cache holds it from now on: another process may have been faster."""
        if not isinstance(self.store, Cache):
            return reply
        labels = {"asked": self.settings.model, "stage": stage, "prompt": prompt}
        return Reply.from_value(await asyncio.wrap_future(self.store.put(key, reply.to_value(**labels))))

    def _remembered(self, key: str, spending: Spending) -> Reply | None:
        value = self.store.get(key) if self.store else None
        if value is None:
            return None
        spending.remembered += 1
        return Reply.from_value(value)

    async def probe(self) -> None:
        """Asks each base URL for a word, past the store.

        Raises:
            JudgeFailure: none of them can judge; it says why, for each.
        """
        session = self._current_session()
        message = {"role": "user", "content": "This checks the connection. Reply with the digit 1."}
        question = Question([message], 16, "judge", self.settings.timeout)
        account = self.spending[question.stage]
        faults = await asyncio.gather(
            *(session.probe(place, question, account) for place in range(session.transport.count))
        )
        if faults and all(faults):
            told = "; ".join(fault for fault in faults if fault)
            remedy = "check MMEVAL_JUDGE_BASE_URL, MMEVAL_JUDGE_API_KEY and MMEVAL_JUDGE_MODEL"
            raise JudgeFailure(
                "judge_failed", f"the judge {self.settings.model!r} cannot be asked: {told}; {remedy}"
            )

    def _current_session(self) -> Session:
        """The session of the running loop; another loop (a forked child's, say) gets its own connections."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.loop is not loop:
            own = self.settings
            transport = TransportProcesses(
                worthwhile(own.concurrency), own.base_urls, own.api_key, timeout=own.timeout
            )
            tries = Tries(own.timeout, own.retries, own.backoff)
            self._session = Session(
                own.model, transport, concurrency=own.concurrency, tries=tries, purse=self._purse
            )
        return self._session

    async def close(self) -> None:
        """Closes the connections of the running loop; the client can be used again."""
        if self._session and self._session.loop is asyncio.get_running_loop():
            session, self._session = self._session, None
            await session.transport.close()


def _landed(session: Session, key: str, flight: asyncio.Task[Reply]) -> None:
    del session.flights[key]
    if not flight.cancelled():
        flight.exception()  # whoever asked has it, or has given up; asyncio need not complain
