"""VQA accuracy: agreement with several human annotators after the EvalAI clean-up of both sides.

Antol et al., "VQA: Visual Question Answering", ICCV 2015, https://arxiv.org/abs/1505.00468; the clean-up is
that of the public evaluation server (https://github.com/GT-Vision-Lab/VQA), with its word tables.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from mmeval_pack.judges.anls import references_of
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.records import Doc, Reading

AGREEING = 3  # other annotators that must give the same answer for full credit
PERIODS = 32  # the server passes a flag where a count belongs, and the flag's value is 32

_PERIOD = re.compile(r"\.(?!\d)")
_NUMERAL_COMMA = re.compile(r"\d,+\d")


class Words(NamedTuple):
    """The word tables of the clean-up."""

    articles: frozenset[str]
    punctuation: tuple[str, ...]
    numbers: dict[str, str]
    contractions: dict[str, str]


def vqa_accuracy(doc: Doc, response: Any, params: Params) -> Reading:  # noqa: ARG001 (signature of every stage)
    """Grade by the share of annotators who agree: a score in [0, 1]."""
    references = references_of(doc.truth)
    if len(references) < 2:
        return Reading(None, None, "needs_references")
    prediction = response[0] if isinstance(response, list) and response else response
    if not isinstance(prediction, str):
        return Reading(None, None, "missing_response")
    answer = cleaned(prediction)
    return Reading(agreement(answer, [cleaned(reference) for reference in references]), answer)


def agreement(answer: str, references: list[str]) -> float:
    """Mean over the annotators, each left out once, of min(1, others who gave the answer / 3)."""
    hits = [reference == answer for reference in references]
    total = sum(hits)
    return sum(min(1.0, (total - hit) / AGREEING) for hit in hits) / len(hits)


def cleaned(text: str) -> str:
    """The text after both passes of the EvalAI answer processor."""
    return without_articles(without_punctuation(text.replace("\n", " ").replace("\t", " ").strip()))


def without_punctuation(text: str) -> str:
    """The punctuation pass: each mark goes, or becomes a space where it touches none.

    A comma inside a number anywhere makes all marks go. Both are decided on the text as it came in.
    """
    numeral = _NUMERAL_COMMA.search(text) is not None
    result = text
    for mark in words().punctuation:
        if mark in text:
            goes = numeral or f"{mark} " in text or f" {mark}" in text
            result = result.replace(mark, "" if goes else " ")
    return _PERIOD.sub("", result, count=PERIODS)


def without_articles(text: str) -> str:
    """The word pass: lower case, number words as digits, no articles, apostrophes put back."""
    tables = words()
    digits = (tables.numbers.get(word, word) for word in text.lower().split())
    return " ".join(tables.contractions.get(word, word) for word in digits if word not in tables.articles)


@cache
def words() -> Words:
    """The tables of vqa_words.json, read once."""
    tables = json.loads(Path(__file__).with_name("vqa_words.json").read_text(encoding="utf-8"))
    return Words(
        frozenset(tables["articles"]), tuple(tables["punctuation"]), tables["numbers"], tables["contractions"]
    )
