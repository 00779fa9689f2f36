"""Comparing the option letters of a response with the right ones; the rule stages differ in how they read."""

from __future__ import annotations

from collections.abc import Callable

from mmeval_pack.judges.letters import letter_set
from mmeval_pack.judges.plain import LONGEST, plain
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import PASS, Reading, reading_of
from mmeval_pack.judges.text import Response

Reader = Callable[[Response, Question], str | None]


def choice(response: Response, question: Question, reader: Reader, *, loose: bool) -> Reading:
    """Score 1 when a response to a multiple-choice question names the right letters, else pass.

    Args:
        response: may list letters, and nothing else; then the reader is not asked.
        question: is of type ``mcq``.
        reader: finds one letter in a response, or in a truth that lists none.
        loose: which of the two readings of a plain response the reader's are (`plain.Plain`).
    """
    known = plain(response.text, question) if len(response.text) <= LONGEST else None
    if known is not None:
        read = known.loose if loose else known.strict
    else:
        read = letter_set(response, question.letters)
        if not read and (letter := reader(response, question)):
            read = (letter,)
    if not read:
        return PASS
    right = question.truth_letters or question.right_letters(reader)
    return reading_of((1.0 if read == right else None, ", ".join(read), None))
