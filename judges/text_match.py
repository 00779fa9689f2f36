"""Comparing free text with the references of a truth."""

from __future__ import annotations

from mmeval_pack.judges.anls import similarity
from mmeval_pack.judges.normal_form import spelled_out
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question


def text_matches(text: str, opened: str, question: Question, params: Params) -> bool:
    """Whether a text agrees with a reference, by the mode that ``string_match`` names.

    Args:
        text: the text as read, which the mode ``anls`` measures.
        opened: its open form (`text.opened`), which the other modes compare.
        question: holds the truth.
        params: the mode and its threshold.
    """
    if params.string_match == "anls":
        references = question.printed_references
        return bool(references) and similarity(spelled_out(text), references, params.threshold) > 0
    opened = spelled_out(opened)
    if params.string_match == "contains":
        return any(reference in opened for reference in question.references)
    return opened in question.references
