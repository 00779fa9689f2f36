"""The verdicts on all predictions of a file: rules first, then the judge, many samples at a time."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.asking import TO_SET
from mmeval_pack.judges.background import submit
from mmeval_pack.judges.cache import Cache
from mmeval_pack.judges.client import Client, JudgeSettings
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc

# VLMEvalKit's name for no judge.
EXACT_MATCHING: Final = "exact_matching"


class Asked(NamedTuple):
    """A row without its media, and the response to it; None when it is missing."""

    row: Mapping[str, Any]
    response: str | None


class Bench(NamedTuple):
    """A judge, and the client by which it is asked."""

    client: Client
    judge: Judge


def found_judge(judge_kwargs: Mapping[str, Any]) -> Bench | None:
    """The judge that VLMEvalKit's options name, else the one that the environment names.

    Args:
        judge_kwargs: ``model``, ``api_base`` and ``key`` go before the environment.

    Returns:
        None for no judge: none is configured, or the model is ``exact_matching``.

    Raises:
        InputError: the environment, the cache or the prompts cannot be used.
    """
    if judge_kwargs.get("model") == EXACT_MATCHING:
        return None
    settings = JudgeSettings.from_environ(
        {
            "MMEVAL_JUDGE_MODEL": judge_kwargs.get("model"),
            "MMEVAL_JUDGE_BASE_URL": judge_kwargs.get("api_base"),
            "MMEVAL_JUDGE_API_KEY": judge_kwargs.get("key"),
        }
    )
    if settings is None:
        return None
    client = Client(settings, Cache(settings.cache) if settings.cache else None)
    return Bench(client, Judge.of(client))


def verdicts(pipeline: Pipeline, method: str, asked: Sequence[Asked], bench: Bench | None) -> list[Judged]:
    """The verdict on each sample, in their order.

    Args:
        pipeline: the stages.
        method: what the stage ``llm-judge`` does.
        asked: the samples.
        bench: the judge; None leaves samples that need one unscored.

    Raises:
        InputError: the pipeline cannot be judged, or the cache is damaged.
    """
    if bench:
        bench.judge.check(pipeline, method)
    rules = bench.judge.entry(pipeline, method) if bench else pipeline
    found = [
        Judged(score_generated(rules.score, Doc.from_row(row), response, strip=True, logged=True), None)
        for row, response in asked
    ]
    open_places = [place for place, each in enumerate(found) if each.score.reason == "no_judge"]
    if bench is None:
        if open_places:
            _say(f"warning: {len(open_places)} samples need a judge, and none is configured; set {TO_SET}")
        return found
    answers = submit(_judged(pipeline, method, [asked[place] for place in open_places], bench)).result()
    for place, answer in zip(open_places, answers, strict=True):
        found[place] = answer
    _report(bench)
    return found


async def _judged(pipeline: Pipeline, method: str, asked: Sequence[Asked], bench: Bench) -> Sequence[Judged]:
    async def one(row: Mapping[str, Any], response: str | None) -> Judged:
        answer = separate(response or "").answer or ""
        return await judged(pipeline, Doc.from_row(row), answer, bench.judge, method)

    answers: list[Judged] = await asyncio.gather(*(one(*each) for each in asked))
    await bench.client.close()
    return answers


def _report(bench: Bench) -> None:
    """Says what was spent, and what happened to the first sample of each fault."""
    own = bench.client.settings
    for stage, spent in sorted(bench.client.spending.items()):
        _say(
            f"judge {own.model!r}: {stage}: {spent.calls} calls, {spent.remembered} from the cache, "
            f"{spent.failures} failed"
        )
    for reason, detail in sorted(bench.judge.faults.items()):
        _say(f"judge {own.model!r}: {reason}, the first time: {detail}")


def _say(line: str) -> None:
    sys.stderr.write(f"mmeval-pack: {line}\n")
