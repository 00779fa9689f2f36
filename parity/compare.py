"""Samples under several references -> figures: accuracy, agreement, disagreements by reason, groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from mmeval_pack.judges.metrics import interval
from mmeval_pack.parity import statistics
from mmeval_pack.parity.reasons import ABOUT
from mmeval_pack.parity.references.verdict import Verdict
from mmeval_pack.parity.sample import Sample

Figures = dict[str, Any]

EXAMPLES: Final = 5  # ids that a reason shows
UNEVEN: Final = "the accuracies are over different samples, see n: a scorer's are those it has a verdict on"


def compared(samples: Sequence[Sample], references: Sequence[str]) -> Figures:
    """The figures of one model's samples of one task.

    Args:
        samples: the samples.
        references: names, in the order of the report.

    Returns:
        What docs/parity.md describes as a comparison: ``n``, ``accuracy`` (one record a reference),
        ``agreement`` (one record a pair), ``reasons`` and ``groups``.
    """
    return {
        "n": len(samples),
        "disputed": sum(sample.disputed for sample in samples),
        "accuracy": [{"reference": name, **accuracy(_verdicts(samples, name))} for name in references],
        "agreement": [agreement(samples, one, other) for one, other in combinations(references, 2)],
        "reasons": reasons(samples),
        "groups": groups(samples, references),
    }


def _verdicts(samples: Iterable[Sample], name: str) -> list[Verdict]:
    return [sample.verdicts[name] for sample in samples if name in sample.verdicts]


def accuracy(verdicts: Sequence[Verdict]) -> Figures:
    """A reference's accuracy: draws by lot count with their expected value, crashes and the like not at all.

    Returns:
        ``n`` verdicts that count, ``accuracy``, ``low`` and ``high`` (95 %), ``without_lot`` (the accuracy if
        every draw were wrong), and how many verdicts had each other status; None where there is no figure.
    """
    status = Counter(verdict.status for verdict in verdicts)
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    bounds = interval(scores)
    sure = [verdict.score or 0.0 for verdict in verdicts if verdict.status == "ok"]
    n = len(scores)
    return {
        "n": n,
        "accuracy": sum(scores) / n if n else None,
        "low": bounds[0] if bounds else None,
        "high": bounds[1] if bounds else None,
        "without_lot": sum(sure) / n if n else None,
        **{name: status[name] for name in ("random", "crash", "hang", "unscored")},
    }


def uneven(comparison: Figures) -> bool:
    """Whether the accuracies of a comparison are over different samples."""
    return len({entry["n"] for entry in comparison["accuracy"]} - {0}) > 1


def agreement(samples: Iterable[Sample], one: str, other: str) -> Figures:
    """How two references compare, over the samples on which both come to something.

    Returns:
        ``n``, ``share`` and ``kappa`` over all outcomes, to which a draw, a crash and a hang belong, and
        McNemar's test over the samples that both call right or wrong: ``only_a``, ``only_b``, ``p``.
    """
    pairs = [
        (sample.outcomes[one], sample.outcomes[other])
        for sample in samples
        if one in sample.outcomes and other in sample.outcomes
    ]
    left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    only_a, only_b = pairs.count(("right", "wrong")), pairs.count(("wrong", "right"))
    return {
        "a": one,
        "b": other,
        "n": len(pairs),
        "share": statistics.share(left, right),
        "kappa": statistics.kappa(left, right),
        "only_a": only_a,
        "only_b": only_b,
        "p": statistics.mcnemar(only_a, only_b) if pairs else None,
    }


def reasons(samples: Iterable[Sample]) -> list[Figures]:
    """The disputed samples by reason, the most frequent first.

    Returns:
        For each reason: ``name``, ``about``, ``count`` (it is the first reason), ``holds`` (it is one of the
        reasons) and ``examples`` (ids).
    """
    first: Counter[str] = Counter()
    holds: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    for sample in samples:
        for name in sample.reasons[:1]:
            first[name] += 1
            examples[name].append(sample.response.id)
        holds.update(sample.reasons)
    return [
        {
            "name": name,
            "about": ABOUT[name],
            "count": first[name],
            "holds": holds[name],
            "examples": examples[name][:EXAMPLES],
        }
        for name in sorted(holds, key=lambda name: (-first[name], -holds[name], name))
    ]


def groups(samples: Sequence[Sample], references: Sequence[str]) -> Mapping[str, Any]:
    """The accuracy of each reference by the benchmark's groups.

    Returns:
        {group: {value: {reference: {"n", "accuracy"}}}}, values sorted.
    """
    cells: dict[str, dict[str, list[Sample]]] = defaultdict(lambda: defaultdict(list))
    for sample in samples:
        for group, value in sample.groups.items():
            cells[group][value].append(sample)
    return {
        group: {
            value: {name: _short(_verdicts(members, name)) for name in references}
            for value, members in sorted(values.items())
        }
        for group, values in cells.items()
    }


def _short(verdicts: Sequence[Verdict]) -> Figures:
    figures = accuracy(verdicts)
    return {"n": figures["n"], "accuracy": figures["accuracy"]}
