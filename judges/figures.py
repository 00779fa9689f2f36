"""The running figures of scored lines: of one task, or of several together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from mmeval_pack.judges.in_flight import Stamp
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.judges.records import Doc, Score


def group_values(doc: Doc, groups: Sequence[Sequence[str]]) -> dict[str, str]:
    """The row's value in each group of a breakdown; fields that are taken together are joined by ``/``.

    Args:
        doc: the row; a field of its first message goes before one of the top level.
        groups: the fields of each group.
    """
    if not groups:
        return {}
    message, row = doc.message, doc.row
    found = {}
    for names in groups:
        texts = []
        for name in names:
            value = message[name] if name in message else row.get(name)
            texts.append(value if type(value) is str else "" if value is None else str(value))
        found["/".join(names)] = "/".join(texts)
    return found


@dataclass(slots=True)
class Share:
    """The samples with one value of a group: so few figures that each line can afford to count in several.

    Attributes:
        samples: of any status.
        graded: those that count.
        total: exact sum of their scores.
    """

    samples: int = 0
    graded: int = 0
    total: int | Fraction = 0

    @property
    def mean(self) -> float | None:
        """Mean score over the graded samples; None when there are none."""
        return float(self.total / self.graded) if self.graded else None

    def merge(self, other: Share) -> None:
        """Count all samples of another one too."""
        self.samples += other.samples
        self.graded += other.graded
        self.total += other.total


@dataclass
class Figures:
    """In memory that grows with the values of the groups alone.

    Attributes:
        tally: the samples.
        kinds: how they were scored, see `judges.ways.Way.kind`; two of several.
        groups: the samples by group and value.
        kept: verdicts that were there already, by what a judge made them with.
        dropped: such verdicts that were of no use, by what speaks against them.
    """

    tally: Tally = field(default_factory=Tally)
    kinds: set[str] = field(default_factory=set)
    groups: defaultdict[tuple[str, str], Share] = field(default_factory=lambda: defaultdict(Share))
    kept: Counter[Stamp] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def comparable(self) -> bool:
        """Whether a mean over the samples means something: one pipeline and protocol scored them all."""
        return len(self.kinds) < 2

    def add(self, score: Score, kind: str, values: Mapping[str, str]) -> None:
        """Count one more sample.

        Args:
            score: its verdict.
            kind: how it was scored.
            values: its value in each group.
        """
        self.tally.add(score)
        if kind not in self.kinds:
            self._scored_by({kind})
        if not values:
            return
        value = score.score if score.status == "ok" else None
        graded = value is not None
        exact = Fraction(value) if value and value != 1 else int(value or 0)  # few are neither 0 nor 1
        for group in values.items():
            share = self.groups[group]
            share.samples += 1
            share.graded += graded
            share.total += exact

    def merge(self, other: Figures) -> None:
        """Count all samples of others too."""
        self.tally.merge(other.tally)
        self._scored_by(other.kinds)
        for group, share in other.groups.items():
            self.groups[group].merge(share)
        self.kept += other.kept
        self.dropped += other.dropped

    def _scored_by(self, kinds: set[str]) -> None:
        self.kinds = set(sorted(self.kinds | kinds)[:2])


def merged(several: Iterable[Figures]) -> Figures:
    """The figures of all together."""
    whole = Figures()
    for figures in several:
        whole.merge(figures)
    return whole
