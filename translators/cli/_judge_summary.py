"""What a command's judge did and cost, as JSON values and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mmeval_pack.translators.cli._common import counted

if TYPE_CHECKING:
    from mmeval_pack.judges.in_flight import Progress
    from mmeval_pack.translators.cli._judge import Court

_STAMP = ("model", "protocol", "prompt")


def figures(court: Court) -> dict[str, Any]:
    """All figures of a run; they tell what this run did, so a second one differs from the first.

    Returns:
        ``model`` and ``protocol`` that were asked for; how many samples ``needed`` a judge, were ``judged``
        and are ``unscored``, by ``reasons``; ``faults``: what befell the first sample of each reason;
        ``verdicts``: how many by each judge, protocol and prompt; ``stages``: what was spent.
    """
    progress, client = court.in_flight.progress, court.client
    return {
        "model": client.settings.model,
        "protocol": court.in_flight.judge.protocol,
        "needed": progress.needed,
        "judged": progress.judged,
        "unscored": progress.unscored,
        "reasons": dict(sorted(progress.reasons.items())),
        "faults": dict(sorted(court.in_flight.judge.faults.items())),
        "verdicts": [
            {**dict(zip(_STAMP, stamp, strict=True)), "samples": count}
            for stamp, count in sorted(progress.stamps.items())
        ],
        "stages": {stage: asdict(spent) for stage, spent in sorted(client.spending.items())},
    }


def text(values: Mapping[str, Any]) -> Iterator[str]:
    """The same figures in lines for a reader."""
    yield f"judge {values['model']}: {values['judged']} of {values['needed']} judged"
    for made in values["verdicts"]:
        yield (
            f"  {'verdicts':<12}{made['samples']} by {made['model']}, protocol {made['protocol']}, "
            f"prompt {made['prompt']}"
        )
    if values["reasons"]:
        yield f"  {'unscored':<12}{', '.join(f'{reason} {n}' for reason, n in values['reasons'].items())}"
    for stage, spent in values["stages"].items():
        yield (
            f"  {stage:<12}{counted(spent['calls'], 'call')}, {spent['remembered']} from the cache, "
            f"{spent['failures']} failed; tokens: {spent['prompt_tokens']} in ({spent['cached_tokens']} "
            f"cached), {spent['completion_tokens']} out"
        )
    for reason, detail in values["faults"].items():
        yield f"  {reason}, the first time: {detail}"


def progress_text(progress: Progress, seconds: float) -> str:
    """For a progress bar."""
    rate = (progress.judged + progress.unscored) / max(seconds, 0.001)
    return (
        f"{progress.judged} of {progress.needed} judged, {rate:.1f}/s, {progress.unscored} unscored, "
        f"{progress.tokens} tokens"
    )
