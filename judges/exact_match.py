"""exact-match: the response is the answer and nothing else, in the forms in which answers are written."""

from __future__ import annotations

from mmeval_pack.judges.choice import choice
from mmeval_pack.judges.label import label
from mmeval_pack.judges.numbers import equal, number
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question, question_of
from mmeval_pack.judges.records import PASS, Doc, Reading, reading_of
from mmeval_pack.judges.text import Response
from mmeval_pack.judges.text_match import text_matches


def exact_match(doc: Doc, response: Response, params: Params) -> Reading:
    """Score 1 for an answer that equals the truth after normalisation, else pass."""
    question = doc.question or question_of(doc)
    kind = question.type
    if kind == "mcq":
        if question.truth_letters == (response.text,):
            return reading_of((1.0, response.text, None))
        return choice(response, question, label, loose=False)
    if kind == "yes_no":
        return _yes_no(response, question)
    if kind == "numeric" and params.numeric:
        return _number(response, question, params)
    text = response.opened
    if not text:
        return PASS
    return reading_of((1.0 if text_matches(response.text, text, question, params) else None, text, None))


def _yes_no(response: Response, question: Question) -> Reading:
    word = response.opened
    if word not in ("yes", "no"):
        return PASS
    return reading_of((1.0 if word == question.opened else None, word, None))


def _number(response: Response, question: Question, params: Params) -> Reading:
    value = number(response.opened)
    if value is None:
        return PASS
    truth = question.number
    agrees = truth is not None and equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol)
    return reading_of((1.0 if agrees else None, response.opened, None))
