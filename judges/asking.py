"""The stages that ask a judge, and what figures without all of its verdicts are worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mmeval_pack.judges.pipeline import STAGES
from mmeval_pack.judges.records import UNJUDGED

ASKING: Final = frozenset(name for name, stage in STAGES.items() if stage is None)
UNDECIDED: Final = "undecided"
"""Stands for the stage in counts of samples that no stage decided."""
TO_SET: Final = "MMEVAL_JUDGE_MODEL and MMEVAL_JUDGE_BASE_URL (or MMEVAL_JUDGE_API_KEY)"
"""What configures a judge, for messages where there is none."""


def caveat(stages: Mapping[str, int], reasons: Mapping[str, int], samples: int) -> str | None:
    """What has to be said beside an accuracy while samples lack a judge's verdict.

    Rules take the easy right answers out of what the judge is asked about, so the rest is mostly wrong.

    Args:
        stages: samples by deciding stage.
        reasons: samples by reason.
        samples: number of all samples.

    Returns:
        None where no sample lacks one, or where no rule has credited any.
    """
    missing = sum(reasons.get(reason, 0) for reason in UNJUDGED)
    if not missing or not stages.keys() - ASKING - {UNDECIDED}:
        return None
    settled = "rules and the judge" if stages.keys() & ASKING else "rules"
    lack = "lacks" if missing == 1 else "lack"
    return (
        f"likely too high: it holds only for what {settled} settled "
        f"(rules credit, they never decide a miss); {missing} of {samples} samples {lack} a judge's verdict"
    )
