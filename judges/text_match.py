"""Comparing free text with the references of a truth."""

from __future__ import annotations

from mmeval_pack.judges.anls import in_reach, similarity
from mmeval_pack.judges.normal_form import LONG, spelled_out
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.question import Question


def text_matches(text: str, opened: str, question: Question, params: Params, *, normal: bool = False) -> bool:
    """Whether a text agrees with a reference, by the mode that ``string_match`` names.

    Args:
        text: the text as read, which the mode ``anls`` measures.
        opened: its open form (`text.opened`), which the other modes compare.
        question: holds the truth.
        params: the mode and its threshold.
        normal: the text is in normal form, which keeps ligatures of a long text as they are.
    """
    if params.string_match == "anls":
        printed = question.printed_references
        # Spelled out, a text that is too long for every reference is only longer.
        if not printed or not in_reach(text, printed, params.threshold):
            return False
        return similarity(spelled_out(text) if normal else text, printed, params.threshold) > 0
    references = question.references
    if opened in references:
        return True
    if params.string_match == "contains":
        opened = spelled_out(opened)
        return any(reference in opened for reference in references)
    # Spelled out, a text is only longer.
    if len(opened) < LONG or all(len(reference) < LONG for reference in references):
        return False
    return spelled_out(opened) in references
