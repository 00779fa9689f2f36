"""The figures of ``mmeval-pack score``, as JSON values and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from mmeval_pack.judges.metrics import Tally
from mmeval_pack.translators.cli._common import counted

_STATUSES = ("ok", "invalid", "unscored")


def figures(tally: Tally, broken: int) -> dict[str, Any]:
    """All figures of one file, or of several together.

    Args:
        tally: its samples.
        broken: number of its lines that were left out.

    Returns:
        Counts, and for ``accuracy`` (only a full score is right) and ``mean_score`` the mean over the graded
        samples, its 95 % ``interval``, and the mean over all samples, ``published``; None without samples.
    """
    right = Tally(status=tally.status, full=tally.full)
    return {
        "samples": tally.samples,
        "broken_lines": broken,
        "status": {status: tally.status[status] for status in _STATUSES},
        "stages": _by_count(tally.stage),
        "reasons": _by_count(tally.reason),
        "accuracy": _means(right),
        "mean_score": _means(tally),
    }


def text(name: str, values: Mapping[str, Any]) -> Iterator[str]:
    """The same figures in lines for a reader."""
    broken = values["broken_lines"]
    left_out = f", {counted(broken, 'broken line')} left out" if broken else ""
    yield f"{name}: {counted(values['samples'], 'sample')}{left_out}"
    for label in ("status", "stages", "reasons"):
        counts = ", ".join(f"{key} {count}" for key, count in values[label].items())
        yield f"  {label:<12}{counts or 'none'}"
    for label in ("accuracy", "mean_score"):
        yield f"  {label.replace('_', ' '):<12}{_mean_text(values[label])}"


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _means(tally: Tally) -> dict[str, Any]:
    interval = tally.interval
    return {
        "mean": tally.mean,
        "interval": None if interval is None else [*interval],
        "published": tally.published,
    }


def _mean_text(means: Mapping[str, Any]) -> str:
    if means["published"] is None:
        return "N/A"
    everywhere = f"{means['published']:.4f} over all"
    if means["mean"] is None:
        return f"N/A over ok, {everywhere}"
    low, high = means["interval"]
    return f"{means['mean']:.4f} over ok (95 % interval {low:.4f} to {high:.4f}), {everywhere}"
