"""The files that VLMEvalKit's users expect beside a prediction file."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator, Mapping, Sequence
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.records import Score
from mmeval_pack.translators._version import VERSION
from mmeval_pack.translators.task import Task
from mmeval_pack.translators.vlmevalkit import predictions
from mmeval_pack.translators.vlmevalkit.version import Version

if TYPE_CHECKING:
    from mmeval_pack.translators.vlmevalkit.evaluation import Figures

# In the place of the judge's name, as VLMEvalKit calls it.
NO_JUDGE: Final = "exact_matching"


def write(
    task: Task,
    file: Path,
    judge: str,
    predicted: Sequence[Mapping[str, Any]],
    judged: Sequence[Judged],
    groups: Sequence[Mapping[str, str]],
    figures: Figures,
) -> dict[str, Any]:
    """Write all files of a task, over those of an earlier evaluation.

    Args:
        task: the task.
        file: the prediction file, which names the others.
        judge: name of the judge.
        predicted: the lines of the prediction file.
        judged: the verdict on each.
        groups: the values of each in the groups of the breakdown.
        figures: of the run.

    Returns:
        The line of ``acc.csv``.
    """
    stem = f"{file.stem}_{re.sub(r'[^A-Za-z0-9._-]', '-', judge)}"
    scores = [each.score for each in judged]
    graded = [{**line, **_graded(score)} for line, score in zip(predicted, scores, strict=True)]
    predictions.write(file.with_name(f"{stem}_result{file.suffix}"), graded)
    hits = {line["index"]: {"hit": line["hit"], "log": line["log"]} for line in graded}
    file.with_name(f"{stem}_result.pkl").write_bytes(pickle.dumps(hits))
    line = accuracies(figures)
    predictions.write(file.with_name(f"{file.stem}_acc.csv"), [line])
    if task.judge == "mathverse":
        _write_mathverse(file, stem, predicted, judged, groups)
    record = {
        "task": task.name,
        "version": task.version,
        "generator": f"mmeval-pack {VERSION}",
        "vlmevalkit": Version.found()._asdict(),
        "judge": judge,
        "samples": len(judged),
        task.metric: figures.headline,
        "unscored": figures.unscored,
        "published": figures.published,
        "breakdown": figures.breakdown,
    }
    text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    file.with_name(f"{file.stem}_mmeval.json").write_text(text, encoding="utf-8", errors="replace")
    return line


def _graded(score: Score) -> dict[str, Any]:
    """``hit`` is empty, not 0, where there is no verdict."""
    hit = None if score.score is None else int(score.score) if score.score in (0, 1) else score.score
    said = f"decided by {score.decided_by or 'no stage'}" if score.status == "ok" else score.status
    why = f", {score.reason}" if score.reason else ""
    return {
        "hit": hit,
        "log": f"Match Log: {said}{why}",
        "status": score.status,
        "decided_by": score.decided_by,
        "extraction": score.extraction,
        "reason": score.reason,
    }


def accuracies(figures: Figures) -> dict[str, Any]:
    """The line of ``acc.csv``: fractions from 0 to 1, empty where nothing is graded.

    A value of a group stands as it is, with its group's name where another column is called so.
    """
    line: dict[str, Any] = {
        "split": "none",
        "Overall": figures.headline,
        "unscored": figures.unscored,
        "published": figures.published,
    }
    for name, values in figures.breakdown["groups"].items():
        for value, cell in values.items():
            known = not value or value in line
            line[f"{name}={value}" if known else value] = cell["accuracy"]
    return line


def _write_mathverse(
    file: Path,
    stem: str,
    predicted: Sequence[Mapping[str, Any]],
    judged: Sequence[Judged],
    groups: Sequence[Mapping[str, str]],
) -> None:
    """The two stages of VLMEvalKit's MathVerse; ``score`` is empty, not False, where there is no verdict."""
    extracted = [
        {**line, "extract": each.score.extraction or "", "log_extract": _log(each)}
        for line, each in zip(predicted, judged, strict=True)
    ]
    scored = [
        {**line, "score": _is_right(each.score), "log_score": _log(each)}
        for line, each in zip(extracted, judged, strict=True)
    ]
    for name, lines, keys in (
        ("extract", extracted, ("extract", "log_extract")),
        ("score", scored, ("score", "log_score")),
    ):
        predictions.write(file.with_name(f"{stem}_{name}{file.suffix}"), lines)
        kept = {line["index"]: {key: line[key] for key in keys} for line in lines}
        file.with_name(f"{stem}_{name}.pkl").write_bytes(pickle.dumps(kept))
    predictions.write(file.with_name(f"{stem}_score.csv"), [*_percent(judged, groups)])


def _is_right(score: Score) -> bool | None:
    return None if score.is_correct is None else bool(score.is_correct)


def _log(each: Judged) -> str:
    score = each.score
    if score.status != "ok":
        return f"{score.status}, {score.reason}"
    return "Succeed" if each.judge else f"Prefetch succeed: {score.decided_by or 'no stage'}"


def _percent(judged: Sequence[Judged], groups: Sequence[Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    """A line a problem version: percent of the graded samples, overall and by subject and subfield."""
    samples = [
        (values.get("problem_version", ""), values.get("subject/subfield", "").split("/"), each.score.score)
        for each, values in zip(judged, groups, strict=True)
        if each.score.status == "ok" and each.score.score is not None
    ]
    kinds = [*dict.fromkeys(kind for place in (0, -1) for _, parts, _ in samples for kind in [parts[place]])]
    for version in sorted({version for version, _, _ in samples}):
        own = [(parts, score) for each, parts, score in samples if each == version]
        line = {"split": version, "Overall": _mean([score for _, score in own])}
        line |= {kind: _mean([score for parts, score in own if kind in parts]) for kind in kinds}
        yield line


def _mean(scores: Sequence[float]) -> float | None:
    return 100 * fsum(scores) / len(scores) if scores else None
