"""Average normalized Levenshtein similarity (ANLS), the metric of the text-reading VQA benchmarks.

Biten et al., "Scene Text Visual Question Answering", ICCV 2019, https://arxiv.org/abs/1905.13648, in the
arithmetic of the published scorers: the distance is taken on collapsed text, its length on the text as given.
A response costs time in proportion to its length. Only where a reference, too, has some 100,000 characters
and is much like it, the product of both lengths counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from mmeval_pack.judges.normal_form import LONG
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.records import Doc, Reading, is_blank


def anls(doc: Doc, response: Any, params: Params) -> Reading:
    """Grade by edit distance to the nearest reference: a score in [0, 1]."""
    references = references_of(doc.truth)
    if not references:
        return Reading(None, None, "needs_references")
    if not isinstance(response, str):
        return Reading(None, None, "missing_response")
    return Reading(similarity(response, references, params.threshold), response)


def similarity(prediction: str, references: Sequence[str], threshold: float) -> float:
    """Similarity in [0, 1] of the prediction to the nearest reference, 0 where it is below the threshold.

    Raises:
        ValueError: there is no reference.
    """
    text, size = _collapsed(prediction), len(prediction.upper())
    nearest = None
    for reference in references:
        length = max(len(reference.upper()), size)
        # A distance that can neither lower the minimum nor reach the threshold need not be known exactly:
        # rapidfuzz stops at the bound. The 1 absorbs the rounding, so that no score depends on the bound.
        bound = int(max(0.0, 1.0 - threshold if nearest is None else nearest) * length) + 1
        distance = Levenshtein.distance(_collapsed(reference), text, score_cutoff=bound)
        normalized = distance / length if length else 0.0
        nearest = normalized if nearest is None else min(nearest, normalized)
    if nearest is None:
        raise ValueError("similarity needs at least one reference")
    return 1.0 - nearest if 1.0 - nearest >= threshold else 0.0


def in_reach(prediction: str, references: Sequence[str], threshold: float) -> bool:
    """Whether a long prediction is short enough for the threshold: its surplus is part of the distance."""
    if len(prediction) < LONG:
        return True
    text, size = len(_collapsed(prediction)), len(prediction.upper())
    return any(
        1.0 - (text - len(_collapsed(reference))) / max(len(reference.upper()), size) >= threshold
        for reference in references
    )


def references_of(truth: Any) -> list[str]:
    """The references of a truth: the items of a list, or one text; empty where there is neither."""
    if isinstance(truth, list):
        return [str(item) for item in truth]
    return [truth] if isinstance(truth, str) and not is_blank(truth) else []


def _collapsed(text: str) -> str:
    return " ".join(text.lower().split())
