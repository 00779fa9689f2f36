"""llm-match: where rules read no option letter, a judge names those that the response chooses."""

from __future__ import annotations

import re
from typing import Final

from mmeval_pack.judges.judge_question import question_with_options, without_media
from mmeval_pack.judges.judging_inquiry import Inquiry
from mmeval_pack.judges.letters import Letters, letter_set
from mmeval_pack.judges.loose_label import loose_label, restated, token
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.prompt_file import Prompt, own
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import PASS, Doc, Reading
from mmeval_pack.judges.text import Response

_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = " \t\r\n*_`\"'()[]{}."


async def llm_match(doc: Doc, response: Response, _pipeline: Pipeline, inquiry: Inquiry) -> Reading:
    """Score 1 when the options chosen are those that are right, else pass; all but choice questions pass.

    A letter that a rule reads is believed, right or wrong, and saves the call.

    Raises:
        JudgeFailure: the judge fails, or names nothing that was offered.
    """
    question = Question(doc)
    if question.type != "mcq":
        return PASS
    prompt = own("match_one"), own("match_several")
    inquiry.uses(*prompt)
    right = question.right_letters(loose_label)
    if len(right) > 1:
        chosen = letter_set(response, question.letters()) or await _asked(
            prompt[1], question, response, inquiry
        )
    else:
        text = response.text
        read = token(text, question.letters()) or restated(text, question.texts)
        chosen = (read,) if read else await _asked(prompt[0], question, response, inquiry)
    return Reading(1.0 if chosen == right else None, ", ".join(chosen) or None)


async def _asked(prompt: Prompt, question: Question, response: Response, inquiry: Inquiry) -> Letters:
    none = none_letter(question)
    letters = ", ".join(sorted(question.letters()))
    read = read_one if prompt is own("match_one") else read_several
    texts = {
        "question": without_media(question_with_options(question.doc)),
        "response": response.text,
        "letters": letters,
        "none": none,
    }
    several = "" if read is read_one else ", or several separated by commas"
    return await inquiry.ask(
        prompt,
        texts,
        lambda reply: read(reply, question.letters(), none),
        stage="match",
        reminder=f"Reply with one of {letters} or {none} alone{several}.",
    )


def none_letter(question: Question) -> str:
    """What stands for none of the options: Z, unless that is one of them."""
    return "Z" if "Z" not in question.letters() else "0"


def read_one(reply: str, letters: frozenset[str], none: str) -> Letters | None:
    """The one letter that a reply names; letters in upper case go before all others.

    Returns:
        Empty for none of the options; None for a reply that names no letter on offer, or several.
    """
    text = separate(reply).answer or ""
    for form in (text, text.upper()):
        named = (letters | {none}).intersection(_WORD.findall(form))
        if named:
            return None if len(named) > 1 else tuple(named - {none})
    return None


def read_several(reply: str, letters: frozenset[str], none: str) -> Letters | None:
    """The letters that a reply lists, or sets behind a cue for an answer, and nothing else.

    Returns:
        Empty for none of the options; None for a reply that lists no letters on offer.
    """
    text = (separate(reply).answer or "").strip(_MARKS)
    if text.upper() == none:
        return ()
    return letter_set(Response(text), letters) or None
