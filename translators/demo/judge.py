"""The judge of the demo: knows a question by its text, and answers with the recorded reply."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.judge_question import UNKNOWN, question_for_judge
from mmeval_pack.judges.mathverse import read_extraction
from mmeval_pack.judges.mathverse_prompts import mathverse_prompts
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc
from mmeval_pack.judges.text import text_of
from mmeval_pack.translators.demo.endpoint import Reply, Request, completion, failure

MODEL = "recorded-judge"


class Replies(NamedTuple):
    """What the judge replies about one row; None is a request that fails."""

    extract: str | None
    score: str | None


class RecordedJudge:
    """A handler for the endpoint that answers MathVerse's two questions with recorded replies.

    Attributes:
        unknown: the texts of the requests about no row.
    """

    def __init__(self, otherwise: str | None = None) -> None:
        """Knows no row yet.

        Args:
            otherwise: the reply to requests about no row; None lets them fail.
        """
        self.unknown: list[str] = []
        self._otherwise = otherwise
        self._prompts = mathverse_prompts()
        self._replies: dict[str, str | None] = {}
        self._lock = threading.Lock()

    def __bool__(self) -> bool:
        return bool(self._replies)

    def learn(self, row: Mapping[str, Any], response: str | None, replies: Replies) -> None:
        """Records the replies about a row and the response to it.

        Raises:
            InputError: the same question has another reply already.
        """
        doc = Doc.from_row(row)
        answer = separate(response or "").answer or ""
        self._record(doc, self._prompts.extract.filled(response=answer), replies.extract)
        extraction = read_extraction(replies.extract or "")
        if extraction is None:
            return
        question = question_for_judge(doc) or UNKNOWN
        texts = {"question": question, "reference": text_of(doc.truth), "answer": extraction}
        self._record(doc, self._prompts.score.filled(**texts), replies.score)

    def _record(self, doc: Doc, asked: str, reply: str | None) -> None:
        if self._replies.setdefault(asked, reply) != reply:
            raise InputError(f"row {doc.id!r}: the judge's reply to the same question differs in another row")

    def __call__(self, request: Request) -> Reply:
        """The recorded reply, also to a question that is asked again with a reminder behind it."""
        if request.headers.get("x-mmeval-stage") == "judge":
            return completion("1", MODEL)  # the probe, since MathVerse has no such stage
        text = request.body["messages"][-1]["content"]
        for asked, reply in self._replies.items():
            if text.startswith(asked):
                return failure(500, "no reply is recorded") if reply is None else completion(reply, MODEL)
        with self._lock:
            self.unknown.append(text)
        if self._otherwise is not None:
            return completion(self._otherwise, MODEL)
        return failure(500, "no row of the sample asks this")
