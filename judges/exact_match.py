"""exact-match: the response is the answer and nothing else, in the forms in which answers are written."""

from __future__ import annotations

from mmeval_pack.judges.label import label
from mmeval_pack.judges.letters import letter_set
from mmeval_pack.judges.numbers import equal, number
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question, question_of
from mmeval_pack.judges.records import PASS, Doc, Reading
from mmeval_pack.judges.text import Response
from mmeval_pack.judges.text_match import text_matches


def exact_match(doc: Doc, response: Response, params: Params) -> Reading:
    """Score 1 for an answer that equals the truth after normalisation, else pass."""
    question = question_of(doc)
    if question.type == "mcq":
        return _letters(response, question)
    if question.type == "yes_no":
        return _yes_no(response, question)
    if question.type == "numeric" and params.numeric:
        return _number(response, question, params)
    text = response.opened
    if not text:
        return PASS
    return Reading(1.0 if text_matches(response.text, text, doc, question, params) else None, text)


def _letters(response: Response, question: Question) -> Reading:
    read = letter_set(response, question.letters)
    if not read:
        letter = label(response, question)
        if letter is None:
            return PASS
        read = (letter,)
    return Reading(1.0 if read == question.right_letters(label) else None, ", ".join(read))


def _yes_no(response: Response, question: Question) -> Reading:
    word = response.opened
    if word not in ("yes", "no"):
        return PASS
    return Reading(1.0 if word == question.truth.opened else None, word)


def _number(response: Response, question: Question, params: Params) -> Reading:
    value = number(response.opened)
    if value is None:
        return PASS
    truth = number(question.truth.opened)
    agrees = truth is not None and equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol)
    return Reading(1.0 if agrees else None, response.opened)
