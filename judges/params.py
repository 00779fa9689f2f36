"""The parameters of a score pipeline, and the error for those (and for pipelines) that cannot be used."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mmeval_pack.judges.errors import InputError

STRING_MATCHES = ("exact", "contains", "anls")
ANLS_THRESHOLD = 0.5


class PipelineError(InputError):
    """A score pipeline or one of its parameters that cannot be used."""


@dataclass(frozen=True, slots=True)
class Params:
    """What a benchmark declares about the way its responses are compared.

    Attributes:
        numeric_rel_tol: accepted distance as a share of the truth, finite and at least 0.
        numeric_abs_tol: accepted distance, finite and at least 0.
        string_match: one of `STRING_MATCHES`.
        threshold: similarity in (0, 1] below which ANLS gives 0.
        rubric: as declared, for the LLM stages, as are the next three.
        scale: the scale of the rubric.
        official_judge_model: the judge that the publisher used.
        judge_inputs: what the judge is shown.
    """

    numeric_rel_tol: float = 0.0
    numeric_abs_tol: float = 0.0
    string_match: str = "exact"
    threshold: float = ANLS_THRESHOLD
    rubric: Any = None
    scale: Any = None
    official_judge_model: Any = None
    judge_inputs: Any = None

    @property
    def numeric(self) -> bool:
        """Whether numeric truths are compared as numbers: not in the fuzzy modes, unless with a tolerance."""
        return self.string_match == "exact" or self.numeric_rel_tol > 0 or self.numeric_abs_tol > 0

    @classmethod
    def declared(cls, params: object) -> Params:
        """The parameters of a metadata file or a line; null and absent ones take their defaults.

        Keys that score nothing (``reference_syntax``, ``metrics``, ...) are left alone.

        Raises:
            PipelineError: a value of the wrong type or out of range, or an unknown string_match.
        """
        if params is None:
            return cls()
        if not isinstance(params, Mapping):
            raise PipelineError(f"params is {shown(params)}, expected an object")
        return cls(
            numeric_rel_tol=_tolerance(params, "numeric_rel_tol"),
            numeric_abs_tol=_tolerance(params, "numeric_abs_tol"),
            string_match=_string_match(params.get("string_match")),
            threshold=_threshold(params),
            rubric=params.get("rubric"),
            scale=params.get("scale"),
            official_judge_model=params.get("official_judge_model"),
            judge_inputs=params.get("judge_inputs"),
        )


def _tolerance(params: Mapping[str, Any], key: str) -> float:
    value = params.get(key)
    if value is None:
        return 0.0
    number = finite(value)
    if number is None or number < 0:
        raise PipelineError(f"{key} is {shown(value)}, expected a finite number of at least 0")
    return number


def _threshold(params: Mapping[str, Any]) -> float:
    """The ANLS threshold. 0 counts as not given, and a null ``threshold`` hides ``anls_threshold``."""
    key = "threshold" if "threshold" in params else "anls_threshold"
    value = params.get(key)
    if value is None:
        return ANLS_THRESHOLD
    number = finite(value)
    if number is None or not 0 <= number <= 1:
        raise PipelineError(f"{key} is {shown(value)}, expected a number from 0 to 1")
    return number or ANLS_THRESHOLD


def finite(value: object) -> float | None:
    """The value as a float if it is a finite number (a boolean is none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _string_match(value: object) -> str:
    if value is None:
        return "exact"
    if not isinstance(value, str) or value not in STRING_MATCHES:
        raise PipelineError(f"unknown string_match {shown(value)}{hint(value, STRING_MATCHES)}")
    return value


def shown(value: object) -> str:
    """The value for a message, cut to a readable length."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def hint(value: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: the nearest known one, if one is near, and all of them."""
    known = tuple(known)
    near = difflib.get_close_matches(str(value).strip().lower(), known, n=1)
    return f"{f' (did you mean {near[0]}?)' if near else ''}: known are {', '.join(known)}"
