"""The stage that stands for both rule stages in the rule set ``improved``."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.answer_number import stated
from mmeval_pack.judges.improved.choice import chosen
from mmeval_pack.judges.improved.free_text import says
from mmeval_pack.judges.improved.options import Options, options_of
from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.improved.quantity import agrees, is_number
from mmeval_pack.judges.improved.yes_no import said
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import PASS, Doc, Reading
from mmeval_pack.judges.text import Response, open_form


def careful(question: Question, response: Response, params: Params) -> Reading:
    """Score 1 when the response, read with care, says the truth; else pass, also in doubt."""
    answer = separate(response.text).answer
    if answer is None or not (text := plain(answer)):
        return PASS
    doc = question.doc
    if question.type == "yes_no":
        return _yes_no(text, doc)
    options = options_of(doc, question)
    if options.letters or options.texts:
        reading = _choice(text, options, doc, question)
        if reading.extraction is not None or question.type != "numeric":
            return reading
    if question.type == "numeric" and is_number(doc.truth):
        number = stated(text)
        if number is None:
            return PASS
        return Reading(1.0 if agrees(number, doc.truth, params) else None, number.text)
    right, part = says(text, doc.truth, params)
    return Reading(1.0 if right else None, part)


def _yes_no(text: str, doc: Doc) -> Reading:
    """Where the two words are offered as choices, the word itself must be there, and no synonym."""
    word = said(text, str(doc.message.get("question") or ""))
    if word is None or (doc.message.get("choices") and not re.search(rf"\b{word}\b", text, re.IGNORECASE)):
        return PASS
    return Reading(1.0 if word == open_form(doc.truth) else None, word)


def _choice(text: str, options: Options, doc: Doc, question: Question) -> Reading:
    keys = chosen(text, options) or _by_yes_or_no(text, options, doc)
    if not keys:
        return PASS
    if options.letters:
        right = set(keys) == _right_letters(options, doc, question)
        return Reading(1.0 if right else None, ", ".join(keys))
    texts = [options.texts[key] for key in keys]
    right = len(texts) == 1 and open_form(texts[0]) == open_form(doc.truth)
    return Reading(1.0 if right else None, ", ".join(texts))


def _by_yes_or_no(text: str, options: Options, doc: Doc) -> tuple[str, ...]:
    """The key of Yes or of No, where the options are these two and the text says one in its own words."""
    keys = {open_form(option): key for key, option in options.texts.items()}
    if not options.letters or not {"yes", "no"} <= keys.keys():
        return ()
    word = said(text, str(doc.message.get("question") or "").split("\n")[0])
    return (keys[word],) if word else ()


def _right_letters(options: Options, doc: Doc, question: Question) -> set[str]:
    """The letters of the truth; of a truth in words, the letter of the option that reads so."""
    if question.truth_letters:
        return set(question.truth_letters)
    compact = str(doc.truth).strip().upper()
    if len(compact) > 1 and len(set(compact)) == len(compact) and options.letters.issuperset(compact):
        return set(compact)
    truth = open_form(doc.truth)
    return {key for key, text in options.texts.items() if open_form(text) == truth}
