"""From the verdict on each sample to the figures of a run, with no framework in between.

A sample gives one record to each metric, and a record that counts has the key ``score``. lmms-eval makes a
standard error of that key, whatever the metric. So a record that does not count lacks it (a None there ends
the run), and so do those of the breakdown, of which there is no standard error.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum, sqrt
from typing import Any, Final

from mmeval_pack.judges.asking import UNDECIDED
from mmeval_pack.judges.records import Score

Record = dict[str, Any]

Z: Final = 1.959963984540054  # the 97.5 % quantile of the normal distribution: two-sided 95 %


def records(score: Score, groups: Mapping[str, str], headline: str = "accuracy") -> dict[str, Record]:
    """One record for each metric; no two metrics share one.

    Args:
        score: the verdict on one sample.
        groups: the sample's value in each group of the breakdown; fields and values are joined by ``/``.
        headline: name of the mean over graded samples, ``accuracy`` or ``mean_score``.
    """
    part: Record = {"groups": dict(groups), "stage": score.decided_by or UNDECIDED, "reason": score.reason}
    if (value := _graded(score)) is None:
        main: Record = {"status": score.status}
    else:
        main = {"score": value}
        part["value"] = value
    return {
        headline: main,
        "unscored": {"score": float(score.status == "unscored")},
        "published": {"score": value or 0.0},
        "breakdown": part,
    }


def mean(records: Iterable[Mapping[str, Any]]) -> float | None:
    """Mean over the records that count, None when there are none; the same for any order of the records.

    Serves the headline, the share of unscored samples and the published figure: they differ in their records.
    """
    return _mean([record["score"] for record in records if "score" in record])


def breakdown(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The figures of each group, and how often each reason was given.

    Returns:
        ``groups``: {name: {value: {"n": samples that count, "accuracy": their mean or None}}};
        ``n``: number of all samples that count;
        ``micro``: mean over them;
        ``macro``: {name: unweighted mean over the values that have samples that count};
        ``reasons``: {code: count over all samples}. Names, values and codes are sorted.
    """
    scores: list[float] = []
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    reasons: Counter[str] = Counter()
    for record in records:
        own = [record["value"]] if "value" in record else []
        scores += own
        for name, value in record["groups"].items():
            cells[name][value] += own
        if record["reason"] is not None:
            reasons[record["reason"]] += 1
    groups = {
        name: {
            value: {"n": len(cell), "accuracy": _mean(cell)} for value, cell in sorted(cells[name].items())
        }
        for name in sorted(cells)
    }
    macro = {
        name: _mean([m for cell in cells[name].values() if (m := _mean(cell)) is not None]) for name in groups
    }
    return {
        "groups": groups,
        "n": len(scores),
        "micro": _mean(scores),
        "macro": macro,
        "reasons": dict(sorted(reasons.items())),
    }


def interval(scores: Iterable[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean of scores in [0, 1]; None without scores.

    Wilson's where all scores are 0 or 1, else the normal approximation.
    """
    tally = Tally()
    for score in scores:
        tally.add(Score(score, int(score == 1), None, "ok", None, None))
    return tally.interval


@dataclass
class Tally:
    """Running figures over any number of samples, in constant memory.

    Sums are exact, so that shards merge to the very figures of one pass, in any order.

    Attributes:
        status: samples by status.
        stage: samples by deciding stage, `UNDECIDED` where none decided.
        reason: samples by reason, those without one left out.
        full: graded samples with score 1.
        parts: graded samples with a score between 0 and 1.
        partial: sum of their scores.
        squares: sum of the squares of their scores.
    """

    status: Counter[str] = field(default_factory=Counter)
    stage: Counter[str] = field(default_factory=Counter)
    reason: Counter[str] = field(default_factory=Counter)
    full: int = 0
    parts: int = 0
    partial: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    def add(self, score: Score) -> None:
        """Count one more sample."""
        self.status[score.status] += 1
        self.stage[score.decided_by or UNDECIDED] += 1
        if score.reason is not None:
            self.reason[score.reason] += 1
        value = _graded(score)
        if value == 1:
            self.full += 1
        elif value:
            exact = Fraction(value)
            self.parts += 1
            self.partial += exact
            self.squares += exact * exact

    def merge(self, other: Tally) -> None:
        """Count all samples of another tally too."""
        self.status += other.status
        self.stage += other.stage
        self.reason += other.reason
        self.full += other.full
        self.parts += other.parts
        self.partial += other.partial
        self.squares += other.squares

    @property
    def samples(self) -> int:
        """Number of samples of any status."""
        return self.status.total()

    @property
    def wrong(self) -> int:
        """Number of graded samples with score 0."""
        return self.status["ok"] - self.full - self.parts

    @property
    def mean(self) -> float | None:
        """Mean score over the graded samples; None when there are none."""
        return _share(self.full + self.partial, self.status["ok"])

    @property
    def published(self) -> float | None:
        """Mean score over all samples, invalid and unscored ones as 0; None when there are none."""
        return _share(self.full + self.partial, self.samples)

    @property
    def unscored(self) -> float | None:
        """Share of the samples that are unscored; None when there are no samples."""
        return _share(self.status["unscored"], self.samples)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of :attr:`mean`, as :func:`interval` gives it."""
        n = self.status["ok"]
        if n == 0:
            return None
        return _normal(self, n) if self.partial else _wilson(self.full, n)


def _graded(score: Score) -> float | None:
    """The score of a sample that counts, else None."""
    return float(score.score) if score.status == "ok" and score.score is not None else None


def _mean(scores: list[float]) -> float | None:
    return fsum(scores) / len(scores) if scores else None


def _share(total: Fraction | int, n: int) -> float | None:
    return float(total) / n if n else None


def _wilson(correct: int, n: int) -> tuple[float, float]:
    """Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927)."""
    p, z2 = correct / n, Z * Z
    middle = p + z2 / (2 * n)
    half = Z * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    # With no or only correct answers the outer bound is exact, but its rounding is not.
    low = (middle - half) / (1 + z2 / n) if correct else 0.0
    return low, (middle + half) / (1 + z2 / n) if correct < n else 1.0


def _normal(tally: Tally, n: int) -> tuple[float, float]:
    """Miller, "Adding error bars to evals", https://arxiv.org/abs/2411.00640; cut off at 0 and 1."""
    total = tally.full + tally.partial
    deviations = tally.full + tally.squares - total * total / n
    # A single score says nothing about the spread.
    half = Z * sqrt(deviations / (n - 1) / n) if n > 1 else 1.0
    return max(0.0, float(total / n) - half), min(1.0, float(total / n) + half)
