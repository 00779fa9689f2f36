"""The figures of ``mmeval-pack score``, as JSON values and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

from mmeval_pack.judges.asking import UNDECIDED, caveat
from mmeval_pack.judges.figures import Figures, merged
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.translators.cli._common import counted, one_line

_STATUSES = ("ok", "invalid", "unscored")
_STAMP = ("model", "protocol", "prompt")
_LABEL = 12  # characters of the column of names
_LONGEST = 60  # characters of a group's value that are shown
_NO_MEAN = {"mean": None, "interval": None, "published": None}


def values(figures: Figures, broken: int) -> dict[str, Any]:
    """All figures of the samples of a file, of a task in it, or of several files together.

    Args:
        figures: the samples.
        broken: number of lines that were left out.

    Returns:
        Counts, and for ``accuracy`` (only a full score is right) and ``mean_score`` the mean over the graded
        samples, its 95 % ``interval``, and the mean over all samples, ``published``: None without samples, or
        where they are not ``comparable``, which leaves ``groups`` and ``macro`` empty too. ``caveat``: what
        has to be said beside an accuracy, or None.
    """
    tally = figures.tally
    right = Tally(status=tally.status, full=tally.full)
    groups = _groups(figures) if figures.comparable else {}
    said = caveat(tally.stage, tally.reason, tally.samples)
    return {
        "samples": tally.samples,
        "broken_lines": broken,
        "verdicts": _verdicts(tally),
        "status": {status: tally.status[status] for status in _STATUSES},
        "stages": _by_count(tally.stage),
        "reasons": _by_count(tally.reason),
        "comparable": figures.comparable,
        "accuracy": _means(right) if figures.comparable else _NO_MEAN,
        "mean_score": _means(tally) if figures.comparable else _NO_MEAN,
        "caveat": said if figures.comparable and tally.status["ok"] else None,
        "groups": groups,
        "macro": {name: _macro(cells) for name, cells in groups.items()},
        "recorded": {
            "kept": [
                {**dict(zip(_STAMP, stamp, strict=True)), "samples": count}
                for stamp, count in sorted(figures.kept.items())
            ],
            "dropped": _by_count(figures.dropped),
        },
    }


def of_file(name: str, parts: Mapping[str | None, Figures], broken: int) -> dict[str, Any]:
    """The figures of a file, and under ``tasks`` those of each task if its lines are of several.

    Args:
        name: of the file.
        parts: the figures of its tasks; lines whose pipeline is no task's stand under None, which becomes
            ``""``.
        broken: number of its lines that were left out.
    """
    tasks = sorted((task or "" for task in parts) if len(parts) > 1 else ())
    by_task = {task: values(parts[task or None], 0) for task in tasks}
    return {"file": name, **values(merged(parts.values()), broken), "tasks": by_task}


def file_text(found: Mapping[str, Any]) -> Iterator[str]:
    """The same figures in lines for a reader: the file's, then those of its tasks."""
    yield from text(found["file"], found)
    for task, each in found["tasks"].items():
        yield from text(f"{found['file']}, {task or 'lines without a task'}", each)


def text(name: str, found: Mapping[str, Any]) -> Iterator[str]:
    """The same figures in lines for a reader."""
    broken = found["broken_lines"]
    left_out = f", {counted(broken, 'broken line')} left out" if broken else ""
    yield f"{name}: {counted(found['samples'], 'sample')}{left_out}"
    stages = {stage: count for stage, count in found["stages"].items() if stage != UNDECIDED}
    for label, counts in (
        ("verdicts", found["verdicts"]),
        ("decided by", stages),
        ("reasons", found["reasons"]),
    ):
        yield _row(label, ", ".join(f"{key} {count}" for key, count in counts.items()) or "none")
    if found["comparable"]:
        yield _row("accuracy", _mean_text(found, "accuracy"))
        if found["caveat"]:
            yield _row("", found["caveat"])
        yield _row("mean score", _mean_text(found, "mean_score"))
    else:
        yield _row("accuracy", "none over several pipelines or protocols")
    yield from _recorded_text(found["recorded"])
    for group, cells in found["groups"].items():
        yield from _group_text(group, cells, found["macro"][group])


def _row(label: str, content: str) -> str:
    return f"  {label:<{_LABEL}}{content}"


def _by_count(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _verdicts(tally: Tally) -> dict[str, int]:
    """Partial scores are rare, and shown where there are some."""
    partial = {"partial": tally.parts} if tally.parts else {}
    others = {status: tally.status[status] for status in ("unscored", "invalid")}
    return {"right": tally.full, **partial, "wrong": tally.wrong, **others}


def _means(tally: Tally) -> dict[str, Any]:
    interval = tally.interval
    return {
        "mean": tally.mean,
        "interval": None if interval is None else [*interval],
        "published": tally.published,
    }


def _groups(figures: Figures) -> dict[str, dict[str, dict[str, Any]]]:
    """The figures of each value, named as in lmms-eval's results; a group without any value is out."""
    groups: dict[str, dict[str, dict[str, Any]]] = {}
    for (name, value), share in sorted(figures.groups.items()):
        cell = {"n": share.graded, "samples": share.samples, "accuracy": share.mean}
        groups.setdefault(name, {})[value] = cell
    return {name: cells for name, cells in groups.items() if any(value.strip("/") for value in cells)}


def _macro(cells: Mapping[str, Mapping[str, Any]]) -> float | None:
    means = [cell["accuracy"] for cell in cells.values() if cell["accuracy"] is not None]
    return fmean(means) if means else None


def _mean_text(found: Mapping[str, Any], label: str) -> str:
    means, samples = found[label], found["samples"]
    if not samples:
        return "N/A"
    everywhere = f"{means['published']:.4f} over all {samples}"
    if means["mean"] is None:
        return f"N/A over 0 scored, {everywhere}"
    low, high = means["interval"]
    scored = f"{found['status']['ok']} scored"
    return f"{means['mean']:.4f} over {scored} (95 % interval {low:.4f} to {high:.4f}), {everywhere}"


def _recorded_text(recorded: Mapping[str, Any]) -> Iterator[str]:
    for made in recorded["kept"]:
        by = f"{made['model']}, protocol {made['protocol']}, prompt {made['prompt']}"
        yield _row("from file", f"{counted(made['samples'], 'verdict')} of a judge, by {by}")
    for objection, count in recorded["dropped"].items():
        yield _row("not kept", f"{counted(count, 'verdict')} of a judge in the file: {objection}")


def _group_text(group: str, cells: Mapping[str, Mapping[str, Any]], macro: float | None) -> Iterator[str]:
    if macro is None:
        return  # all of it would say N/A
    names = {value: one_line(value)[:_LONGEST] or "(blank)" for value in cells}
    width = max(map(len, names.values()))
    yield f"  by {group}, mean of its values {macro:.4f}"
    for value, cell in cells.items():
        mean = "   N/A" if cell["accuracy"] is None else f"{cell['accuracy']:.4f}"
        yield f"    {names[value]:<{width}}  {mean} over {cell['n']} of {cell['samples']}"
