"""exact-match: the response is the answer, in one of the forms in which answers are written."""

from __future__ import annotations

from mmeval_pack.judges.choice import choice
from mmeval_pack.judges.label import label
from mmeval_pack.judges.numbers import equal, number
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import ByType, Question
from mmeval_pack.judges.records import PASS, AnyReading
from mmeval_pack.judges.text import Response
from mmeval_pack.judges.text_match import text_matches


def _yes_no(question: Question, response: Response, _: Params) -> AnyReading:
    word = response.opened()
    if word not in ("yes", "no"):
        return PASS
    return 1.0 if word == question.opened else None, word, None


def _number(question: Question, response: Response, params: Params) -> AnyReading:
    read = response.opened()
    value = number(read)
    if value is None:
        return PASS
    truth = question.number
    agrees = truth is not None and equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol)
    return 1.0 if agrees else None, read, None


def _text(question: Question, response: Response, params: Params) -> AnyReading:
    text = response.opened()
    if not text and params.string_match != "anls":  # which measures the text as it came
        return PASS
    return 1.0 if text_matches(response.text, text, question, params) else None, text, None


EXACT_MATCH: ByType = {
    "mcq": choice(label, loose=False),
    "yes_no": _yes_no,
    "numeric": _number,
    "open": _text,
}
"""Each scores 1 for an answer that equals the truth after normalisation, else passes."""
