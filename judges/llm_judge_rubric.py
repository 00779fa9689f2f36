"""Rubrics: on which scale a judge is asked to judge, and how its reply becomes a score from 0 to 1."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.params import Params, PipelineError, finite, hint, shown
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.verdict import KEYS, read_verdict

_LABEL: Final = re.compile(r"\b(?:judge?ment|verdict|score)\b[\s*_`\"']*+(?::|is\b)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)", re.ASCII)
_MARKS: Final = " \t\r\n*_`\"'()[]{}"
PARTIAL_CREDIT: Final = frozenset({0.0, 0.5, 1.0})
THREE_WAY: Final[Mapping[str, float]] = {"correct": 1.0, "incorrect": 0.0, "not attempted": 0.0}


class Rubric(NamedTuple):
    """How a judge is asked, and read.

    Attributes:
        prompt: name of the pack's own prompt.
        read: the score in [0, 1] that a reply gives, None for a reply that is no verdict on offer.
        reminder: names the verdicts on offer, for a re-ask.
        constants: texts for slots of the prompt that are the same for all rows.
    """

    prompt: str
    read: Callable[[str], float | None]
    reminder: str
    constants: Mapping[str, str]


def rubric_of(params: Params) -> Rubric:
    """The rubric that the parameters declare; none is ``binary``.

    Raises:
        PipelineError: it is unknown, or its scale cannot be used.
    """
    name = "binary" if params.rubric is None else params.rubric
    if not isinstance(name, str) or name not in RUBRICS:
        raise PipelineError(f"unknown rubric {shown(name)}{hint(name, RUBRICS)}")
    return RUBRICS[name](params)


def _binary(_params: Params) -> Rubric:
    return Rubric("judge_binary", read_verdict, "Reply with the digit 0 or 1 alone.", {})


def _partial_credit(_params: Params) -> Rubric:
    def read(reply: str) -> float | None:
        value = _number(read_value(reply))
        return value if value in PARTIAL_CREDIT else None

    return Rubric("judge_partial_credit", read, "Reply with 0, 0.5 or 1 alone.", {})


def _three_way(_params: Params) -> Rubric:
    def read(reply: str) -> float | None:
        word = re.sub(r"[\s_-]+", " ", read_value(reply) or "")
        return THREE_WAY.get(word.lower())

    return Rubric("judge_three_way", read, "Reply with correct, incorrect or not attempted alone.", {})


def _scale(params: Params) -> Rubric:
    """The mark's place between the ends of the scale; a mark outside it is no verdict."""
    scale = params.scale
    if not _is_scale(scale):
        raise PipelineError(
            f"scale is {shown(scale)}, expected two numbers, the lower one first, as in [1, 5]"
        )
    low, high = scale

    def read(reply: str) -> float | None:
        value = _number((read_value(reply) or "").removesuffix(f"/{high}").rstrip())
        return None if value is None or not low <= value <= high else (value - low) / (high - low)

    reminder = f"Reply with a number from {low} to {high} alone."
    return Rubric("judge_scale", read, reminder, {"low": str(low), "high": str(high)})


def _is_scale(scale: Any) -> bool:
    """Whether these are two numbers whose distance a double holds, the lower one first."""
    if not isinstance(scale, list | tuple) or len(scale) != 2:
        return False
    low, high = map(finite, scale)
    return low is not None and high is not None and 0 < high - low < math.inf


RUBRICS: Final[Mapping[str, Callable[[Params], Rubric]]] = {
    "binary": _binary,
    "scale": _scale,
    "partial_credit": _partial_credit,
    "three_way": _three_way,
}


def read_value(reply: str) -> str | None:
    """The text in the place of a verdict, whatever was offered; places as in `verdict.read_verdict`.

    Reasoning comes off; then the first that there is: the verdict key of a JSON object, the last labelled
    verdict, the first line. Marks, a final dot and a remark in brackets behind it come off.
    """
    text = (separate(reply).answer or "").strip()
    fields = _verdict_fields(text)
    if fields:
        values = {str(value) for value in fields}
        return _bare(values.pop()) if len(values) == 1 else None
    ends = [label.end() for label in _LABEL.finditer(text)]
    return _bare(text[ends[-1] if ends else 0 :].lstrip(_MARKS).partition("\n")[0]) or None


def _verdict_fields(text: str) -> list[Any]:
    """The values of the verdict keys of the JSON object that spans from the first brace to the last."""
    start, end = text.find("{"), text.rfind("}")
    if not 0 <= start < end:
        return []
    try:
        value = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return []
    return [item for key, item in value.items() if key.lower() in KEYS]


def _bare(text: str) -> str:
    text = text.strip()
    if text.endswith(")") and (value := text.partition("(")[0].strip()):
        text = value  # behind it stood a remark
    return text.strip(_MARKS).removesuffix(".").strip(_MARKS)


def _number(text: str | None) -> float | None:
    return float(text) if text and _NUMBER.fullmatch(text) else None
