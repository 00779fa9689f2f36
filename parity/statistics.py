"""How far two scorers agree beyond chance, and whether one is kinder than the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def share(one: Sequence[str], other: Sequence[str]) -> float | None:
    """The share of places at which both say the same; None without places."""
    return sum(a == b for a, b in zip(one, other, strict=True)) / len(one) if one else None


def kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Agreement beyond chance, from -1 to 1; None where chance alone leaves nothing to disagree about.

    Cohen, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20 (1960).
    """
    observed = share(one, other)
    if observed is None:
        return None
    n = len(one)
    left, right = Counter(one), Counter(other)
    chance = sum(left[label] * right[label] for label in left) / (n * n)
    return None if chance == 1 else (observed - chance) / (1 - chance)


def mcnemar(only_one: int, only_other: int) -> float:
    """The exact two-sided p value of McNemar's test: a binomial test of the discordant pairs.

    McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12
    (1947).

    Args:
        only_one: pairs that only the first calls right.
        only_other: pairs that only the second calls right.
    """
    n, least = only_one + only_other, min(only_one, only_other)
    term, total = 1, 0
    for k in range(least + 1):
        total += term
        term = term * (n - k) // (k + 1)
    return min(1.0, total / (1 << n) * 2)
