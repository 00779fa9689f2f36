"""rule-match: the answer is found in the response by cue words and other signs, then compared."""

from __future__ import annotations

import re

from mmeval_pack.judges.choice import choice
from mmeval_pack.judges.loose_label import loose_label
from mmeval_pack.judges.numbers import equal, number, number_in
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import ByType, Question
from mmeval_pack.judges.records import PASS, AnyReading
from mmeval_pack.judges.text import Response, folded, lowered, opened, settled
from mmeval_pack.judges.text_match import text_matches

_WORD = re.compile("[a-z]+")
_CUE = re.compile(r"answer(?:(?<=final answer)| is)")
_ANSWER = re.compile(r" ?[:\-]? ?(.+)", re.DOTALL)


def _yes_no(question: Question, response: Response, _: Params) -> AnyReading:
    """The one of the two words that the response holds; both or neither is no answer."""
    text = lowered(response.normal())
    if "yes" not in text and "no" not in text:
        return PASS
    found = {"yes", "no"}.intersection(_WORD.findall(text))
    if len(found) != 1:
        return PASS
    (word,) = found
    return 1.0 if word == question.opened else None, word, None


def _number(question: Question, response: Response, params: Params) -> AnyReading:
    read = number_in(response.opened())
    value = None if read is None else number(read)
    if value is None:
        return PASS
    for truth in question.numbers:
        if equal(value, truth, params.numeric_rel_tol, params.numeric_abs_tol):
            return 1.0, read, None
    return None, read, None


def _text(question: Question, response: Response, params: Params) -> AnyReading:
    """What stands behind the first cue, else the whole text."""
    text = response.normal()
    if not text:
        return PASS
    lower = folded(text)
    cue = _CUE.search(lower) if "answer" in lower else None
    answer = _ANSWER.match(text, cue.end()) if cue else None
    if answer:
        form = opened(response.normal_again(answer[1]))
        if text_matches(answer[1], form, question, params, normal=True):
            return 1.0, form, None
    once = text is response.text or settled(response.text, text)
    form = response.opened() if once else opened(response.normal_again(text))
    return 1.0 if text_matches(text, form, question, params, normal=True) else None, form, None


RULE_MATCH: ByType = {
    "mcq": choice(loose_label, loose=True),
    "yes_no": _yes_no,
    "numeric": _number,
    "open": _text,
}
"""Each scores 1 for an answer that is found in the response and equals the truth, else passes."""
