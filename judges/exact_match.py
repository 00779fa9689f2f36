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
    question = doc.question or question_of(doc)
    kind = question.type
    if kind == "mcq":
        return _letters(response, question)
    if kind == "yes_no":
        return _yes_no(response, question)
    if kind == "numeric" and params.numeric:
        return _number(response, question, params)
    text = response.opened
    if not text:
        return PASS
    return Reading(1.0 if text_matches(response.text, text, question, params) else None, text)


def _letters(response: Response, question: Question) -> Reading:
    if question.truth_letters == (response.text,):
        return Reading(1.0, response.text)
    read = letter_set(response, question.letters)
    if not read:
        letter = label(response, question)
        if letter is None:
            return PASS
        read = (letter,)
    right = question.truth_letters or question.right_letters(label)
    return Reading(1.0 if read == right else None, ", ".join(read))


def _yes_no(response: Response, question: Question) -> Reading:
    word = response.opened
    if word not in ("yes", "no"):
        return PASS
    return Reading(1.0 if word == question.opened else None, word)


def _number(response: Response, question: Question, params: Params) -> Reading:
    value = number(response.opened)
    if value is None:
        return PASS
    truth = question.number
    agrees = truth is not None and equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol)
    return Reading(1.0 if agrees else None, response.opened)
