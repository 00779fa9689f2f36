"""The stage that stands for both rule stages in the rule set ``improved``."""

from __future__ import annotations

from mmeval_pack.judges.improved.choice import chosen
from mmeval_pack.judges.improved.free_text import says
from mmeval_pack.judges.improved.numbers import stated
from mmeval_pack.judges.improved.options import Options, options_of
from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.improved.quantity import agrees
from mmeval_pack.judges.improved.yes_no import said
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question, question_of
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import PASS, Doc, Reading
from mmeval_pack.judges.text import Response, open_form


def careful(doc: Doc, response: Response, params: Params) -> Reading:
    """Score 1 when the response, read with care, says the truth; else pass, also in doubt."""
    answer = separate(response.text).answer
    if answer is None or not (text := plain(answer)):
        return PASS
    question = question_of(doc)
    if question.type == "yes_no":
        word = said(text, str(doc.message.get("question") or ""))
        return PASS if word is None else Reading(1.0 if word == open_form(doc.truth) else None, word)
    options = options_of(doc, question)
    if options.letters or options.texts:
        reading = _choice(text, options, doc, question)
        if reading.extraction is not None or question.type != "numeric":
            return reading
    if question.type == "numeric":
        number = stated(text)
        if number is not None:
            return Reading(1.0 if agrees(number, doc.truth, params) else None, number.text)
        return PASS
    said_text = says(text, doc.truth, params)
    return PASS if said_text is None else Reading(1.0, said_text)


def _choice(text: str, options: Options, doc: Doc, question: Question) -> Reading:
    keys = chosen(text, options)
    if not keys:
        return PASS
    if options.letters:
        right = set(keys) == _right_letters(options, doc, question)
        return Reading(1.0 if right else None, ", ".join(keys))
    texts = [options.texts[key] for key in keys]
    right = len(texts) == 1 and open_form(texts[0]) == open_form(doc.truth)
    return Reading(1.0 if right else None, ", ".join(texts))


def _right_letters(options: Options, doc: Doc, question: Question) -> set[str]:
    """The letters of the truth; of a truth in words, the letter of the option that reads so."""
    if question.truth_letters:
        return set(question.truth_letters)
    compact = str(doc.truth).strip().upper()
    if len(compact) > 1 and len(set(compact)) == len(compact) and options.letters.issuperset(compact):
        return set(compact)
    truth = open_form(doc.truth)
    return {key for key, text in options.texts.items() if open_form(text) == truth}
