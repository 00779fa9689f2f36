"""From a prediction file to verdicts, figures, and the files that users of VLMEvalKit expect."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from mmeval_pack.judges import metrics
from mmeval_pack.judges.judging import Judged
from mmeval_pack.translators.vlmevalkit import predictions, results
from mmeval_pack.translators.vlmevalkit.judge import Asked, found_judge, verdicts

if TYPE_CHECKING:
    from mmeval_pack.translators.vlmevalkit.adapter import Bound


class Figures(NamedTuple):
    """The figures of a run, defined in docs/scoring.md.

    Attributes:
        headline: mean score over the graded samples, None when there are none.
        unscored: share of the samples.
        published: mean over all samples, those that are not graded as 0.
        breakdown: see `metrics.breakdown`.
    """

    headline: float | None
    unscored: float | None
    published: float | None
    breakdown: Mapping[str, Any]


def evaluate(bound: Bound, file: Path, judge_kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Score a prediction file and write the results beside it.

    Args:
        bound: the task.
        file: the prediction file; its rows are found by ``index``.
        judge_kwargs: what VLMEvalKit's options say about the judge.

    Returns:
        The line of ``acc.csv``.

    Raises:
        InputError: the file cannot be read or is of other rows, or the judge is set up wrongly.
    """
    predicted = predictions.read(file)
    places = [bound.place(line["index"]) for line in predicted]
    rows = [bound.row(place) for place in places]
    asked = [
        Asked(row, predictions.response(line["prediction"]))
        for row, line in zip(rows, predicted, strict=True)
    ]
    _warn_of_cuts(file, predicted)
    judge = found_judge(judge_kwargs)
    judged = verdicts(bound.pipeline, bound.method, asked, judge)
    groups = [bound.groups(row) for row in rows]
    figures = _figures(judged, groups, bound.task.metric)
    name = judge.client.settings.model if judge else results.NO_JUDGE
    return results.write(bound.task, file, name, predicted, judged, groups, figures)


def _figures(judged: Sequence[Judged], groups: Sequence[Mapping[str, str]], headline: str) -> Figures:
    records = [
        metrics.records(each.score, values, headline) for each, values in zip(judged, groups, strict=True)
    ]
    return Figures(
        headline=metrics.mean(record[headline] for record in records),
        unscored=metrics.mean(record["unscored"] for record in records),
        published=metrics.mean(record["published"] for record in records),
        breakdown=metrics.breakdown(record["breakdown"] for record in records),
    )


def _warn_of_cuts(file: Path, predicted: Sequence[Mapping[str, Any]]) -> None:
    cut = [str(line["index"]) for line in predicted if len(str(line["prediction"])) >= predictions.CELL]
    if cut and file.suffix == ".xlsx":
        sys.stderr.write(
            f"mmeval-pack: warning: {file}: xlsx cuts responses at {predictions.CELL} characters: index "
            f"{', '.join(cut[:5])}{', ...' if len(cut) > 5 else ''}; set PRED_FORMAT=tsv\n"
        )
