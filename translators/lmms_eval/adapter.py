"""What a generated ``utils.py`` calls: one task in the terms of lmms-eval 0.7.3."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from mmeval_pack.judges import metrics
from mmeval_pack.judges.asking import caveat
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.figures import group_values
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.judge_question import fill_missing_questions
from mmeval_pack.judges.judging import METHODS, Judged
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.translators import media
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.json_values import plain
from mmeval_pack.translators.lmms_eval import judge
from mmeval_pack.translators.lmms_eval.check import check, undecoded
from mmeval_pack.translators.lmms_eval.pending import settle
from mmeval_pack.translators.lmms_eval.source import media_file, remember_questions, source, with_question
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.task import Task

__all__ = ["Bound", "FirstResponse", "bind", "source"]


def bind(literal: Mapping[str, Any]) -> Bound:
    """The functions of a task, from the literal that its ``utils.py`` holds."""
    return Bound(Task.from_literal(literal))


class Bound:
    """The functions that a task's YAML names, as methods; they can be pickled and called from any thread.

    Attributes:
        task: the task.
    """

    def __init__(self, task: Task) -> None:
        self.task = task

    def __repr__(self) -> str:
        # lmms-eval writes it into its results; an address would make two equal runs differ.
        return f"Bound({self.task.name})"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return bind, (self.task.literal(),)

    @property
    def method(self) -> str:
        """What the stage ``llm-judge`` does."""
        return self.task.judge or METHODS[0]

    # Both are made at first use: lmms-eval executes a utils.py once for every function that its YAML names.

    @cached_property
    def prompt(self) -> Prompt:
        """The compiled prompt."""
        return Prompt(self.task.prompt_template)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The stages that decide."""
        return Pipeline.declared(self.task.pipeline, self.task.params)

    def process_docs(self, dataset: Any) -> Any:
        """The dataset unchanged, once every row of it is known to be usable.

        Raises:
            SystemExit: some row is not, see :func:`check`; or the task itself is not, or its judge.
        """
        try:
            prompt, judged = self.prompt, judge.needs_judge(self.pipeline)
            check(self.task.name, prompt, dataset)
            if judged:
                rows = (row for row, _ in undecoded(dataset))
                remember_questions(self.task.name, fill_missing_questions(rows))
                judge.prepare(self.pipeline, self.method)
        except InputError as error:
            halt(f"task {self.task.name}: {error}")
        return dataset

    def doc_to_text(self, doc: Mapping[str, Any]) -> str:
        """The rendered prompt with its media tokens: what simple models and the logs get."""
        return self.prompt.text(doc)

    def doc_to_messages(self, doc: Mapping[str, Any]) -> list[dict[str, Any]]:
        """One user message whose media stand where the prompt has their tokens."""
        return [{"role": "user", "content": [self._part(part, doc) for part in self.prompt.parts(doc)]}]

    def doc_to_visual(self, doc: Mapping[str, Any]) -> list[Any]:
        """The media in the order of their tokens: RGB images and paths of videos."""
        parts = (self._part(part, doc) for part in self.prompt.parts(doc) if part["type"] != "text")
        return [part["url"] for part in parts]

    def _part(self, part: Mapping[str, Any], doc: Mapping[str, Any]) -> dict[str, Any]:
        kind = part["type"]
        if kind == "text":
            return {"type": "text", "text": part["text"]}
        read = media.image if kind == "image" else media.video
        return {"type": kind, "url": read(doc["media"][part["index"]], self._locate)}

    def _locate(self, path: str) -> str:
        return media_file(self.task.name, self.task.repo, path)

    def doc_to_target(self, doc: Mapping[str, Any]) -> str:
        """The truth as text: blank when it is withheld, JSON when there are several references."""
        truth = Doc.from_row(doc).truth
        if isinstance(truth, str | None):
            return truth or ""
        return json.dumps(plain(truth), ensure_ascii=False)

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """A record for each metric, and the sample's ``detail`` for the log.

        Args:
            doc: the row, with or without its media.
            results: the response as the first item; no item when there is none.
        """
        response = first_response(results)
        row = with_question(self.task.name, {key: doc[key] for key in doc if key != "media"})
        known = Doc.from_row(row)
        recorded = partial(self._records, known, response)
        judging = judge.at_hand() if judge.needs_judge(self.pipeline) else None
        score = partial(judging.score, self.pipeline, self.method) if judging else self.pipeline.score
        verdict = score_generated(score, known, response, strip=True, logged=True)
        if isinstance(verdict, Score):
            return recorded(Judged(verdict, None))
        return verdict(recorded).records

    def _records(self, doc: Doc, response: str | None, judged: Judged) -> dict[str, Any]:
        groups = group_values(doc, self.task.groups)
        detail = {
            "task": self.task.name,
            "id": plain(doc.id),
            "sample": plain(doc.row),
            "response": response,
            "reasoning": separate(response or "").reasoning,
            **judged.score._asdict(),
            "groups": groups,
            "judge": judged.judge,
        }
        records = metrics.records(judged.score, groups, self.task.metric)
        records["breakdown"]["judge"] = judged.judge
        return {**records, "detail": detail}

    def accuracy(self, items: Iterable[Any]) -> float | None:
        """The mean over the samples that count; None, shown as N/A, when there are none."""
        settle()
        return metrics.mean(items)

    # Their records differ, so the same mean serves them all.
    mean_score = unscored = published = accuracy

    def breakdown(self, items: Iterable[Any]) -> dict[str, Any]:
        """The figures of each group, see :func:`metrics.breakdown`, and by which ``judge`` they are."""
        settle()
        records = list(items)
        figures = metrics.breakdown(records)
        figures["judge"] = judge.stamp(record.get("judge") for record in records if "value" in record)
        stages = Counter(record["stage"] for record in records)
        judge.tell(self.task, figures, caveat(stages, figures["reasons"], len(records)))
        return figures


class Response(str):
    """A response that lmms-eval's own trimming, done between filter and scoring, leaves as it is."""

    __slots__ = ()

    def strip(self, chars: str | None = None, /) -> Response:  # noqa: ARG002 - the signature of str
        """The response itself."""
        return self


class FirstResponse:
    """The filter: the first response of each request as the model gave it.

    It looks at no doc, since lmms-eval hands over the wrong ones under ``--offset`` or on several ranks. It
    does not derive from lmms-eval's Filter, which is never tested for and takes seconds to import.
    """

    def apply(self, resps: Iterable[Sequence[Any]], docs: Any) -> list[Any]:  # noqa: ARG002 - as lmms-eval calls it
        """One value a request: the text, or an empty list where there is none.

        None would not do: lmms-eval makes it an empty text, which is a response. It hands an empty list on.
        """
        return [_first(responses) for responses in resps]


def _first(responses: Sequence[Any]) -> Any:
    first = responses[0] if responses else None
    return [] if first is None else Response(first) if isinstance(first, str) else first


def first_response(results: Sequence[Any]) -> str | None:
    """What process_results is to score: the text of the first result, None where there is none."""
    first = results[0] if results else None
    if isinstance(first, list):
        return first_response(first)
    return None if first is None else str(first)
