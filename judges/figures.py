"""The running figures of scored lines: of one task, or of several together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

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

    def text(name: str) -> str:
        value = doc.message[name] if name in doc.message else doc.row.get(name)
        return "" if value is None else str(value)

    return {"/".join(names): "/".join(map(text, names)) for names in groups}


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
    groups: defaultdict[tuple[str, str], Tally] = field(default_factory=lambda: defaultdict(Tally))
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
        for group in values.items():
            self.groups[group].add(score)

    def merge(self, other: Figures) -> None:
        """Count all samples of others too."""
        self.tally.merge(other.tally)
        self._scored_by(other.kinds)
        for group, tally in other.groups.items():
            self.groups[group].merge(tally)
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
