"""The verdict of a judge that a line holds already: without a judge it is not to be had again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.asking import ASKING
from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import RULES
from mmeval_pack.judges.records import Score

_TEXTS: Final = ("model", "protocol", "prompt")
_COUNTS: Final = ("calls", "tokens")


class Recorded(NamedTuple):
    """A verdict that a judge had a part in, as a line holds it.

    Attributes:
        judged: the verdict; its ``judge`` is None where the line does not say who judged.
        rules: the rule set that left the sample to the judge.
    """

    judged: Judged
    rules: str


def recorded(line: Mapping[str, Any]) -> Recorded | None:
    """The verdict of a judge in a scored line; None where it holds none, or one that nobody can read."""
    if line.get("status") != "ok":
        return None
    value, stage, extraction = line.get("score"), line.get("decided_by"), line.get("extraction")
    judge = _judge(line.get("judge"))
    stage = stage if isinstance(stage, str) else None
    if stage not in ASKING and judge is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    read = extraction if isinstance(extraction, str) else None
    rules = line.get("rules")
    return Recorded(
        Judged(Score(float(value), int(value >= 1), stage, "ok", read, None), judge),
        rules if isinstance(rules, str) and rules in RULES else RULES[0],
    )


def _judge(value: object) -> dict[str, Any] | None:
    """The record of a judge, if it is one."""
    if not isinstance(value, dict):
        return None
    texts = all(isinstance(value.get(key), str) for key in _TEXTS)
    return value if texts and all(type(value.get(key)) is int for key in _COUNTS) else None


class Terms(NamedTuple):
    """What a verdict must have been made with to be as good as one that is made now.

    Attributes:
        rules: the rule set.
        protocol: the name that the verdict's stamp must carry.
        prompt: the stamp of the prompts; None where any will do.
    """

    rules: str
    protocol: str
    prompt: str | None = None

    def against(self, found: Recorded) -> str | None:
        """What speaks against a verdict, in a few words; None for nothing."""
        judge = found.judged.judge
        if judge is None:
            return "no record of the judge"
        for name, has, wanted in (
            ("rules", found.rules, self.rules),
            ("protocol", judge["protocol"], self.protocol),
            ("prompt", judge["prompt"], self.prompt or judge["prompt"]),
        ):
            if has != wanted:
                return f"{name} {shown(has)}, asked for was {shown(wanted)}"
        return None
