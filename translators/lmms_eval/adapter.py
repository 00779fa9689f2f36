"""What a generated ``utils.py`` calls: one task in the terms of lmms-eval 0.7.3."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from mmeval_pack.judges import metrics
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc, field
from mmeval_pack.translators.lmms_eval import media
from mmeval_pack.translators.lmms_eval.check import check
from mmeval_pack.translators.lmms_eval.halt import halt
from mmeval_pack.translators.lmms_eval.logged import plain
from mmeval_pack.translators.lmms_eval.source import media_file, source
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
            SystemExit: some row is not, see :func:`check`; or the task itself is not.
        """
        try:
            prompt, _ = self.prompt, self.pipeline
        except InputError as error:
            halt(f"task {self.task.name}: {error}")
        check(self.task.name, prompt, dataset)
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
        score = score_generated(self.pipeline.score, Doc.from_row(doc), response, strip=True, logged=True)
        groups = {
            "/".join(names): "/".join(_text(field(doc, name)) for name in names) for names in self.task.groups
        }
        detail = {
            "task": self.task.name,
            "id": plain(doc.get("id")),
            "sample": {key: plain(value) for key, value in doc.items() if key != "media"},
            "response": response,
            "reasoning": "none" if response is None else separate(response).reasoning,
            **score._asdict(),
            "groups": groups,
            "judge": None,
        }
        return {**metrics.records(score, groups, self.task.metric), "detail": detail}

    def accuracy(self, items: Iterable[Any]) -> float | None:
        """The mean over the samples that count; None, shown as N/A, when there are none."""
        return metrics.mean(items)

    # Their records differ, so the same mean serves them all.
    mean_score = unscored = published = accuracy

    def breakdown(self, items: Iterable[Any]) -> dict[str, Any]:
        """The figures of each group; see :func:`metrics.breakdown`."""
        return metrics.breakdown(items)


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


def _text(value: Any) -> str:
    return "" if value is None else str(value)
