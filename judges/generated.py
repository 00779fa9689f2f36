"""The verdict on what was recorded in a model's name: an answer, reasoning before it, or no answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from mmeval_pack.judges.failures import NULL, is_generation_failure
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc, Score, is_blank

UNCLOSED: Final = Score(0.0, 0, None, "ok", None, "reasoning_unclosed")
FAILED: Final = Score(None, None, None, "unscored", None, "generation_failed")

Verdict = TypeVar("Verdict")


def score_generated(
    score: Callable[[Doc, object], Verdict], doc: Doc, response: object, *, strip: bool, logged: bool
) -> Verdict | Score:
    """The verdict on a response that a framework may have had a part in.

    Args:
        score: gives the verdict on the answer itself, or a promise of one.
        doc: the row.
        response: any JSON value; null is a response that is missing.
        strip: take reasoning off first.
        logged: the response comes from a framework's log, where a missing one may stand as the text ``None``.
            Anywhere else that is a response; the failure texts that no model writes are failures everywhere.
    """
    if not isinstance(response, str):
        return score(doc, response)
    if is_generation_failure(response, offered(doc) if logged else (NULL,)):
        return FAILED
    if not strip:
        return score(doc, response)
    answer = separate(response).answer
    if answer is None and not is_blank(doc.truth):
        return UNCLOSED
    return score(doc, answer)


def offered(doc: Doc) -> Iterator[str]:
    """The truth and the texts of the options: a failure text that is one of them is an answer."""
    options, choices = doc.message.get("options"), doc.message.get("choices")
    texts = [
        *(doc.truth if isinstance(doc.truth, list) else [doc.truth]),
        *(options.values() if isinstance(options, dict) else []),
        *(choices if isinstance(choices, list) else []),
    ]
    return (text for text in texts if isinstance(text, str))
