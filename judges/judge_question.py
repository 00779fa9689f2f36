"""The question as a judge is shown it: what is asked, without the sentence on how to format the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import Doc

UNKNOWN: Final = "(shown in the image only)"

# The heads of MathVerse's query_wo and query_cot columns; in vision-only rows there is nothing behind them.
_HEAD: Final = re.compile(
    r"\A(?:\s|<image>|<video>)*+(?:According to the question shown in the image, )?"
    r"please (?:directly|first conduct reasoning, and then) answer the question and provide "
    r"[^\n]*?(?:Question:|\n\s*(?:Question:)?|\Z)",
    re.IGNORECASE,
)
_MEDIA_TOKEN: Final = re.compile(r"<(?:image|video)>")


def question_for_judge(doc: Doc) -> str | None:
    """What the row asks, in words: its ``question_for_eval``, else its question without the format sentence.

    Returns:
        None where no words are left: the question is in the image.
    """
    for place in (doc.message, doc.row):
        if _has_words(text := place.get("question_for_eval")):
            return str(text).strip()
    for key in ("question", "prompt"):
        if _has_words(text := doc.message.get(key)):
            asked = _HEAD.sub("", str(text)).strip()
            return asked if _has_words(asked) else None
    return None


def _has_words(text: object) -> bool:
    return isinstance(text, str) and bool(without_media(text))


def question_with_options(doc: Doc) -> str:
    """The question with one line for each option that the row holds apart from it."""
    asked = question_for_judge(doc) or UNKNOWN
    question = Question(doc)
    texts = question.texts if question.type == "mcq" else {}
    return "\n".join([asked, *(f"{letter}. {text}" for letter, text in texts.items())])


def without_media(text: str) -> str:
    """The text without the tokens that stand for media."""
    return _MEDIA_TOKEN.sub(" ", text).strip()


def fill_missing_questions(rows: Iterable[Mapping[str, Any]]) -> dict[Any, str]:
    """The questions of rows that only show them in an image, by the id of the row.

    MathVerse asks each problem in several versions, which share a ``problem_index``. Of the versions that
    have the question in words, the longest is taken, which leaves out least; the rows' order is no matter.

    Args:
        rows: rows of one task, of any layout; ids are unique in it.

    Returns:
        Nothing for rows whose question is known, or is known from no other row.

    Raises:
        InputError: the messages of a row cannot be read.
    """
    asked: dict[str, str] = {}
    missing: dict[Any, str] = {}
    for row in rows:
        doc = Doc.from_row(row)
        index = doc.message.get("problem_index", row.get("problem_index"))
        if index is None:
            continue
        problem, text = str(index), question_for_judge(doc)
        if text is None:
            missing[doc.id] = problem
        else:
            asked[problem] = max(asked.get(problem, ""), text, key=lambda known: (len(known), known))
    return {row_id: asked[problem] for row_id, problem in missing.items() if problem in asked}
