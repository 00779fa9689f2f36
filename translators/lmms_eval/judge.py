"""The judge of an lmms-eval process: found in the environment, made once, asked in the background."""

from __future__ import annotations

import atexit
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from functools import cache, partial
from typing import Any, Final

from mmeval_pack.judges.asking import ASKING, TO_SET
from mmeval_pack.judges.background import submit
from mmeval_pack.judges.cache import Cache
from mmeval_pack.judges.client import Client, JudgeSettings
from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import UNJUDGED, Doc, Score
from mmeval_pack.judges.reply import JudgeFailure
from mmeval_pack.judges.spending import Spending
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.lmms_eval.pending import Recorded, Sample
from mmeval_pack.translators.lmms_eval.source import rank
from mmeval_pack.translators.task import Task
from mmeval_pack.translators.terminal import visible

GRACE: Final = 30.0  # seconds for a machine that is busy with other things

Promise = Callable[[Recorded], Sample]

_MADE_WITH: Final = ("model", "protocol", "prompt")
_NO_JUDGE: Final = (
    "no judge is configured, so samples that need one stay unscored; set "
    f"{TO_SET}, or have them judged later from the log that --log_samples writes, "
    "with mmeval-pack score"
)


class Judging:
    """A judge at hand.

    Attributes:
        judge: reads what it replies.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        """Opens the cache and reads the prompts.

        Raises:
            InputError: one of them cannot be used.
        """
        self._client = Client(settings, Cache(settings.cache) if settings.cache else None)
        self.judge = Judge.of(self._client)
        self._moved = time.monotonic()
        atexit.register(lambda: submit(self._client.close()).result())

    @cache  # noqa: B019 - one object a process, which lives as long
    def probe(self) -> None:
        """Stops the run when the judge cannot be asked.

        Raises:
            SystemExit: with code 3.
        """
        try:
            submit(self._client.probe()).result()
        except JudgeFailure as failure:
            if failure.reason != "judge_budget":  # what the cache holds needs no budget
                halt(failure.detail, failure.exit_code)

    def score(self, pipeline: Pipeline, method: str, doc: Doc, response: object) -> Score | Promise:
        """The verdict on a response, or the promise of one where the rules leave it open.

        Args:
            pipeline: the stages.
            method: what the stage ``llm-judge`` does.
            doc: the row.
            response: any JSON value, without reasoning.
        """
        score = self.judge.entry(pipeline, method).score(doc, response)
        if score.reason != "no_judge":
            return score
        self._moved = time.monotonic()
        verdict = submit(judged(pipeline, doc, response, self.judge, method))
        verdict.add_done_callback(self._landed)
        return partial(Sample, self, verdict)

    def _landed(self, _verdict: Future[Judged]) -> None:
        self._moved = time.monotonic()

    def deadline(self) -> float:
        """When to give up on all that is in flight.

        A sample gets its slot when another one lands, and lands within ``judge.seconds`` from then; so
        nothing comes any more when nothing has come for that long.
        """
        return self._moved + self.judge.seconds + GRACE

    def failed(self, error: Exception) -> None:
        """Takes note of what came in place of a verdict."""
        self.judge.faults.setdefault("judge_failed", f"{type(error).__name__}: {error}")

    def report(self) -> None:
        """Says on stderr what this process has spent, and what happened to the first sample of each fault."""
        own = self._client.settings
        stages = "; ".join(f"{name} {_cost(spent)}" for name, spent in sorted(self._client.spending.items()))
        _say(f"judge {own.model!r}: {stages or 'nothing asked'}{self._budget()}")
        for reason, detail in sorted(self.judge.faults.items()):
            _say(f"judge {own.model!r}: {reason}, the first time: {detail}")
        if isinstance(self._client.store, Cache) and self._client.store.warning:
            _say(f"warning: {self._client.store.warning}")

    def _budget(self) -> str:
        budget, spent = self._client.settings.budget, self._client.spending.values()
        calls = sum(each.calls for each in spent)
        tokens = sum(each.prompt_tokens + each.completion_tokens for each in spent)
        parts = [
            f"{used} of {limit} {unit}"
            for unit, used, limit in (("calls", calls, budget.calls), ("tokens", tokens, budget.tokens))
            if limit is not None
        ]
        return f"; budget: {', '.join(parts)}" if parts else ""


def _cost(spent: Spending) -> str:
    cached = f" ({spent.cached_tokens} cached)" if spent.cached_tokens else ""
    return (
        f"{spent.calls} calls, {spent.prompt_tokens}{cached} + {spent.completion_tokens} tokens, "
        f"{spent.remembered} from the cache, {spent.failures} failed"
    )


def needs_judge(pipeline: Pipeline) -> bool:
    """Whether some response can come to a stage that asks a judge."""
    return not ASKING.isdisjoint(pipeline.stages)


_lock = threading.Lock()
_judges: dict[JudgeSettings, Judging] = {}


def at_hand() -> Judging | None:
    """The judge that the environment names, the same one as long as it names the same.

    Raises:
        InputError: the environment, the cache or the prompts cannot be used.
    """
    settings = JudgeSettings.from_environ()
    if settings is None:
        return None
    with _lock:
        if settings not in _judges:
            _judges[settings] = Judging(settings)
        return _judges[settings]


def prepare(pipeline: Pipeline, method: str) -> None:
    """Before anything is generated: see that the judge can be asked, or warn once that there is none.

    Raises:
        InputError: the pipeline cannot be judged, or see :func:`at_hand`.
        SystemExit: the judge cannot be asked.
    """
    judging = at_hand()
    if judging:
        judging.judge.check(pipeline, method)
    if rank():
        return  # the launcher ends all ranks when the first one fails
    if judging:
        judging.probe()
    else:
        _warn()


def stamp(judges: Iterable[Mapping[str, Any] | None]) -> dict[str, Any] | None:
    """What the verdicts of several samples were made with; None when none is a judge's.

    Returns:
        ``model``, ``protocol`` and ``prompt``, all that occur, and ``samples``, ``calls`` and ``tokens``.
    """
    given = [each for each in judges if each]
    if not given:
        return None
    made_with = {key: ", ".join(sorted({each[key] for each in given})) for key in _MADE_WITH}
    sums = {key: sum(each[key] for each in given) for key in ("calls", "tokens")}
    return {**made_with, "samples": len(given), **sums}


def tell(task: Task, figures: Mapping[str, Any], caveat: str | None) -> None:
    """Says on stderr how many samples of a task wait for a verdict, and what its figure is worth meanwhile.

    Args:
        task: the task.
        figures: see `metrics.breakdown`.
        caveat: see `asking.caveat`.
    """
    unjudged = {reason: count for reason, count in figures["reasons"].items() if reason in UNJUDGED}
    if unjudged:
        told = ", ".join(f"{reason} {count}" for reason, count in unjudged.items())
        count = sum(unjudged.values())
        _say(f"task {task.name}: {count} sample{'s have' if count > 1 else ' has'} no verdict: {told}")
    if caveat and figures["micro"] is not None:
        n, mean = figures["n"], figures["micro"]
        _say(f"task {task.name}: {task.metric} {mean:.4f} over {n} scored: {caveat}")


@cache
def _warn() -> None:
    _say(f"warning: {_NO_JUDGE}")


def _say(line: str) -> None:
    sys.stderr.write(f"mmeval-pack: {f'rank {rank()}: ' if rank() else ''}{visible(line)}\n")
