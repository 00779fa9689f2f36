"""rule-match: the answer is found in the response by cue words and other signs, then compared."""

from __future__ import annotations

import re

from mmeval_pack.judges.letters import letter_set
from mmeval_pack.judges.loose_label import loose_label
from mmeval_pack.judges.numbers import equal, number, number_in
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question, question_of
from mmeval_pack.judges.records import PASS, Doc, Reading
from mmeval_pack.judges.text import Response, normal, opened
from mmeval_pack.judges.text_match import text_matches

_WORD = re.compile("[a-z]+")
_CUE = re.compile(r"(?:final answer|answer is|the answer is) ?[:\-]? ?(.+)", re.IGNORECASE)


def rule_match(doc: Doc, response: Response, params: Params) -> Reading:
    """Score 1 for an answer that is found in the response and equals the truth, else pass."""
    question = question_of(doc)
    if question.type == "mcq":
        return _letters(response, question)
    if question.type == "yes_no":
        return _yes_no(response, question)
    if question.type == "numeric" and params.numeric:
        return _number(response, question, params)
    return _text(doc, response, question, params)


def _letters(response: Response, question: Question) -> Reading:
    read = letter_set(response, question.letters)
    if not read:
        letter = loose_label(response, question)
        if letter is None:
            return PASS
        read = (letter,)
    return Reading(1.0 if read == question.right_letters(loose_label) else None, ", ".join(read))


def _yes_no(response: Response, question: Question) -> Reading:
    """The one of the two words that the response holds; both or neither is no answer."""
    text = response.normal.lower()
    if "yes" not in text and "no" not in text:
        return PASS
    found = {"yes", "no"}.intersection(_WORD.findall(text))
    if len(found) != 1:
        return PASS
    (word,) = found
    return Reading(1.0 if word == question.truth.opened else None, word)


def _number(response: Response, question: Question, params: Params) -> Reading:
    read = number_in(response.opened)
    value = None if read is None else number(read)
    if value is None:
        return PASS
    for reference in question.references:
        truth = number(reference)
        if truth is not None and equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol):
            return Reading(1.0, read)
    return Reading(None, read)


def _text(doc: Doc, response: Response, question: Question, params: Params) -> Reading:
    """What stands behind the first cue, else the whole text."""
    text = response.normal
    if not text:
        return PASS
    cue = _CUE.search(text) if "nswer" in text.lower() else None
    for candidate in (cue[1], text) if cue else (text,):
        form = opened(normal(candidate))
        if text_matches(candidate, form, doc, question, params):
            return Reading(1.0, form)
    return Reading(None, form)
