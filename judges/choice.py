"""Comparing the option letters of a response with the right ones; the rule stages differ in how they read."""

from __future__ import annotations

from collections.abc import Callable

from mmeval_pack.judges.letters import letter_set
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.plain import LONGEST, plain
from mmeval_pack.judges.question import Question, Stage
from mmeval_pack.judges.records import PASS, AnyReading
from mmeval_pack.judges.text import Response

Reader = Callable[[Response, Question], str | None]


def choice(reader: Reader, *, loose: bool) -> Stage:
    """The stage that scores 1 when a response to a multiple-choice question names the right letters.

    Args:
        reader: finds one letter in a response that is no list of letters, or in a truth that is none.
        loose: which of the two readings of a plain response the reader's are (`plain.Plain`).
    """

    def stage(question: Question, response: Response, _: Params) -> AnyReading:
        text, right = response.text, question.truth_letters
        if right == (text,):  # always a candidate, and every reader reads it
            return 1.0, text, None
        known = plain(text, question) if len(text) <= LONGEST else None
        if known is not None:
            read = known.loose if loose else known.strict
        else:
            if response.letters is None:
                response.letters = letter_set(response, question.letters())
            read = response.letters
            if not read and (letter := reader(response, question)):
                read = (letter,)
        if not read:
            return PASS
        right = right or question.right_letters(reader)
        return 1.0 if read == right else None, ", ".join(read), None

    return stage
