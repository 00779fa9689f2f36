"""Judges samples of a stream: many at a time, and never more than fit into bounded memory."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from mmeval_pack.judges.background import submit
from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc

Stamp = tuple[str, str, str]  # model, protocol and prompt


def stamp_of(judge: Mapping[str, Any]) -> Stamp:
    """What a verdict was made with, from the judge's record beside it."""
    return judge["model"], judge["protocol"], judge["prompt"]


@dataclass
class Progress:
    """How far the judging is.

    Attributes:
        needed: samples that no rule settled.
        judged: those that have their verdict.
        reasons: those that are unscored, by reason.
        tokens: what all replies cost when they were made.
        stamps: what the verdicts were made with, and how many.
    """

    needed: int = 0
    judged: int = 0
    tokens: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    stamps: Counter[Stamp] = field(default_factory=Counter)

    @property
    def unscored(self) -> int:
        """Number of those that are unscored."""
        return self.reasons.total()

    def add(self, verdict: Judged) -> None:
        """Counts one verdict, or what came in its place."""
        self.judged += verdict.score.status == "ok"
        if verdict.score.status != "ok":
            self.reasons[verdict.score.reason or verdict.score.status] += 1
        record = verdict.judge
        if record is None:
            return
        self.tokens += record["tokens"]
        if verdict.score.status == "ok":
            self.stamps[stamp_of(record)] += 1


class InFlight:
    """The samples that a judge is asked about at the moment.

    Attributes:
        judge: is asked.
        progress: how far it is.
    """

    def __init__(self, judge: Judge, most: int, report: Callable[[Progress], Any] = lambda _: None) -> None:
        """Nothing is asked yet.

        Args:
            judge: is asked.
            most: samples at a time, those that wait for their turn included; more than the judge takes, so
                that none of its slots stays empty.
            report: called after each verdict, in the thread that got it.
        """
        self.judge = judge
        self.progress = Progress()
        self._report = report
        self._room = threading.Semaphore(most)
        self._samples: set[Future[Judged]] = set()

    def ask(self, pipeline: Pipeline, doc: Doc, response: object, method: str) -> Future[Judged]:
        """Asks about one sample; waits while there is no room.

        Args:
            pipeline: see `judged`, as for the others.
            doc: the row.
            response: any JSON value, without reasoning.
            method: what the stage ``llm-judge`` does.

        Returns:
            What to wait for; it raises InputError when the store of replies is damaged.
        """
        self._room.acquire()
        self.progress.needed += 1
        sample = submit(judged(pipeline, doc, response, self.judge, method))
        self._samples.add(sample)
        sample.add_done_callback(self._landed)
        return sample

    def _landed(self, sample: Future[Judged]) -> None:
        self._samples.discard(sample)
        if not sample.cancelled() and sample.exception() is None:
            self.progress.add(sample.result())
            self._report(self.progress)
        self._room.release()

    def cancel(self) -> None:
        """Gives up on all of them."""
        for sample in tuple(self._samples):
            sample.cancel()
