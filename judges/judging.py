"""The verdict on a response with a judge at hand: rules first, then what the pipeline wants to ask."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, NamedTuple, Self

from mmeval_pack.judges.client import Client
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.judging_inquiry import MAX_TOKENS, Asks, Inquiry
from mmeval_pack.judges.llm_judge import input_names, llm_judge
from mmeval_pack.judges.llm_judge_rubric import rubric_of
from mmeval_pack.judges.llm_match import llm_match
from mmeval_pack.judges.mathverse import PROTOCOLS, MathVerse
from mmeval_pack.judges.mathverse_prompts import mathverse_prompts
from mmeval_pack.judges.params import hint, shown
from mmeval_pack.judges.pipeline import STAGES, Pipeline
from mmeval_pack.judges.records import Doc, Reading, Score
from mmeval_pack.judges.reply import JudgeFailure
from mmeval_pack.judges.text import Response

DEFAULT_PROTOCOL: Final = "published"
METHODS: Final = ("general", "mathverse")
_CALLS: Final = 8  # that a budget holds for each sample at a time: at most so small a part of it is wasted

Stage = Callable[[Doc, Response, Pipeline, Inquiry], Awaitable[Reading]]


class Judged(NamedTuple):
    """A verdict, and what is logged of the judge.

    Attributes:
        score: the verdict.
        judge: see `Inquiry.record`; None when no judge was asked, or none replied.
    """

    score: Score
    judge: dict[str, Any] | None


class Judge:
    """A judge at hand; one serves a whole process.

    Attributes:
        asks: asks it.
        protocol: the protocol of the method ``mathverse``.
        seconds: for all that is asked about one sample.
        faults: for each reason why samples stay unscored, what happened to the first of them.
    """

    def __init__(
        self,
        asks: Asks,
        *,
        protocol: str | None = None,
        prompts: str | None = None,
        concurrency: int = 32,
        seconds: float = 180.0,
    ) -> None:
        """Reads the prompts.

        Args:
            asks: asks the judge.
            protocol: a key of `PROTOCOLS`, None for the published one.
            prompts: where MathVerse's prompts come from, see `mathverse_prompts`.
            concurrency: samples that are asked about at a time. A sample asks one question after the other,
                so no sample waits for another one's questions while its own time runs.
            seconds: for all that is asked about one sample.

        Raises:
            InputError: the protocol is unknown, or the prompts cannot be had.
        """
        self.asks = asks
        self.protocol = known_protocol(protocol)
        self.seconds = seconds
        self.faults: dict[str, str] = {}
        self._mathverse = MathVerse(PROTOCOLS[self.protocol], mathverse_prompts(prompts))
        self._concurrency = concurrency
        self._loop: asyncio.AbstractEventLoop | None = None
        self._slots = asyncio.Semaphore(concurrency)

    @classmethod
    def of(cls, client: Client) -> Self:
        """The judge that a client's settings describe.

        Raises:
            InputError: as in the constructor.
        """
        own = client.settings
        calls, tokens = own.budget
        # Else a small budget goes into the first questions of many samples, and few get their second one.
        paid = own.concurrency if calls is None else calls // _CALLS
        paid = paid if tokens is None else min(paid, tokens // (_CALLS * MAX_TOKENS))
        return cls(
            client,
            protocol=own.protocol,
            prompts=own.prompts,
            concurrency=max(1, min(own.concurrency, paid)),
            seconds=own.deadline,
        )

    def check(self, pipeline: Pipeline, method: str) -> None:
        """Finds before a run what `judged` would find at the first sample that needs the judge.

        Raises:
            InputError: the method is unknown, or the rubric or ``judge_inputs`` cannot be used.
        """
        if method not in METHODS:
            raise InputError(f"unknown method {shown(method)} of llm-judge{hint(method, METHODS)}")
        if method == "general" and "llm-judge" in pipeline.stages:
            rubric_of(pipeline.params)
            input_names(pipeline.params)

    def stages(self, method: str) -> Mapping[str, Stage]:
        """The stages that ask, by the method that ``llm-judge`` stands for, one of `METHODS`."""
        stages: dict[str, Stage] = {"llm-match": llm_match, "llm-judge": llm_judge}
        if method == "mathverse":
            stages["llm-judge"] = self._mathverse
        return stages

    def stamp(self, method: str) -> str:
        """The name of the protocol that verdicts by a method carry; only MathVerse has several."""
        return stamp(self.protocol, method)

    def entry(self, pipeline: Pipeline, method: str) -> Pipeline:
        """The pipeline without the stages that the protocol leaves out."""
        return entry(pipeline, method, self.protocol)

    def slots(self) -> asyncio.Semaphore:
        """As many as samples may be asked about at a time; each event loop has its own."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._slots = loop, asyncio.Semaphore(self._concurrency)
        return self._slots


def known_protocol(name: str | None) -> str:
    """The protocol of that name, the default one for None.

    Raises:
        InputError: there is none.
    """
    protocol = name or DEFAULT_PROTOCOL
    if protocol not in PROTOCOLS:
        raise InputError(f"unknown protocol {shown(name)}{hint(name, PROTOCOLS)}")
    return protocol


def stamp(protocol: str, method: str) -> str:
    """The name of the protocol that verdicts by a method carry; only MathVerse has several."""
    return protocol if method == "mathverse" else DEFAULT_PROTOCOL


def entry(pipeline: Pipeline, method: str, protocol: str) -> Pipeline:
    """The pipeline without the stages that a protocol leaves out, whether or not there is a judge."""
    if method != "mathverse" or PROTOCOLS[protocol].rules_first or "llm-judge" not in pipeline.stages:
        return pipeline
    return _from(pipeline, pipeline.stages.index("llm-judge"))


async def judged(
    pipeline: Pipeline, doc: Doc, response: object, judge: Judge, method: str = "general"
) -> Judged:
    """The verdict on a response; nothing is asked where rules settle it.

    Args:
        pipeline: the stages.
        doc: the row.
        response: any JSON value, without reasoning.
        judge: asked by the stages that need one.
        method: what the stage ``llm-judge`` does, one of `METHODS`.

    Raises:
        InputError: see `Judge.check`; or the store of replies is damaged.
    """
    judge.check(pipeline, method)
    pipeline = judge.entry(pipeline, method)
    score = pipeline.score(doc, response)
    if score.reason != "no_judge":
        return Judged(score, None)
    async with judge.slots():
        inquiry = Inquiry(judge.asks, judge.seconds, score.extraction)
        try:
            async with asyncio.timeout(judge.seconds):
                score = await _asked(pipeline, doc, response, judge.stages(method), inquiry)
        except JudgeFailure as failure:
            score = _unscored(judge, inquiry, failure.reason, failure.detail)
        except TimeoutError:
            score = _unscored(judge, inquiry, "judge_failed", f"no verdict within {judge.seconds:.3g} s")
    return Judged(score, inquiry.record(judge.stamp(method)))


async def _asked(
    pipeline: Pipeline, doc: Doc, response: object, stages: Mapping[str, Stage], inquiry: Inquiry
) -> Score:
    """The verdict of a pipeline whose rules have come to a stage that asks."""
    answer = Response(response)
    while True:
        place = next(place for place, name in enumerate(pipeline.stages) if STAGES[name] is None)
        name = pipeline.stages[place]
        reading = await stages[name](doc, answer, pipeline, inquiry)
        inquiry.extraction = reading.extraction or inquiry.extraction
        if reading.score is not None:
            return Score(reading.score, int(reading.score >= 1), name, "ok", inquiry.extraction, None)
        pipeline = _from(pipeline, place + 1)
        score = pipeline.score(doc, response)
        inquiry.extraction = score.extraction or inquiry.extraction
        if score.reason != "no_judge":
            return score._replace(extraction=inquiry.extraction)


def _from(pipeline: Pipeline, place: int) -> Pipeline:
    return Pipeline(pipeline.stages[place:], pipeline.params, pipeline.rules)


def _unscored(judge: Judge, inquiry: Inquiry, reason: str, detail: str) -> Score:
    judge.faults.setdefault(reason, detail)
    return Score(None, None, None, "unscored", inquiry.extraction, reason)
