"""The native tasks of the installed lmms-eval: their own filters, metrics and judge parser are called.

They run in the order of lmms-eval's evaluator: filter, reasoning tags off, white space off, metric. The
modules that hold them are imported without the models, datasets and metrics of others, see `native`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import redirect_stdout
from importlib.metadata import PackageNotFoundError, version
from io import StringIO
from typing import Any, Final
from unittest.mock import patch

from mmeval_pack.parity.references.native import guarded, lean, module
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import MissingError, Reference, Replies, Scorer, Verdict, unscored
from mmeval_pack.translators.lmms_eval.source import AUTOLOAD_VARIABLE

INSTALL: Final = "pip install 'mmeval-pack[lmms-eval]'"
# The command line's default of --reasoning_tags.
_TAGS: Final = [["<think>", "</think>"], ["<analysis>", "</analysis>"]]


def reference(benchmark: str) -> Reference:
    """The reference of a benchmark.

    Raises:
        MissingError: lmms-eval is not installed, or has no such task.
    """
    try:
        installed = version("lmms-eval")
    except PackageNotFoundError:
        raise MissingError(f"lmms-eval is not installed; get it with: {INSTALL}") from None
    if benchmark not in _TASKS:
        raise MissingError(f"lmms-eval {installed} has no task of {benchmark} that this reference knows")
    make, task = _TASKS[benchmark]
    llm: Any = "all" if task == "mathverse" else "none"
    with patch.dict(os.environ, _SETTINGS), lean("lmms_eval", _BARE, _UNUSED):
        scorer = guarded(make())
    return Reference("lmms-eval", installed, f"lmms_eval/tasks/{task}", llm, scorer)


# Packages whose __init__ imports all filters and all tasks.
_BARE: Final = ("lmms_eval.filters", "lmms_eval.tasks")
# The registry of metrics imports both for what is no metric of lmms-eval itself, and for names of models.
_UNUSED: Final = ("evaluate", "lmms_eval.api.model")
# MathVerse's module builds an OpenAI client, which wants a key and is not used; lmms-eval would look for the
# pack's own models then.
_SETTINGS: Final = {"OPENAI_API_KEY": "none", "API_TYPE": "openai", AUTOLOAD_VARIABLE: "0"}


def _utils(task: str) -> Any:
    return module(f"lmms_eval.tasks.{task}.utils")


def _cleaning() -> Callable[[str], str]:
    """What lmms-eval does to a filtered response before a task's metric sees it."""
    strip: Callable[[str, list[list[str]]], str] = module("lmms_eval.api.reasoning").strip_reasoning_tags
    return lambda text: strip(text, _TAGS).strip()


def _muirbench() -> Scorer:
    native, cleaned = _utils("muirbench"), _cleaning()
    filtering = native.MultiChoiceRegexFilter(
        group_select=0, ignore_case=True, ignore_punctuation=True, regex_pattern=r"([A-Z])\."
    )

    def verdict(row: Row, response: str, _: Replies) -> Verdict:
        if (letter := row.letter) is None:
            return unscored("no_options")
        extras = {name: row.column(name) for name in ("task", "image_relation", "image_type")}
        doc = {"idx": str(row.doc.id), "answer": letter, **extras}
        (filtered,) = filtering.apply([[response]], [doc])
        result = native.muir_process_results(doc, [cleaned(filtered)])
        with redirect_stdout(StringIO()):  # it prints its table
            score = native.muir_aggregation(list(result.values()))
        return Verdict(float(score), result["muirbench_score_overall"]["pred"])

    return verdict


def _sat() -> Scorer:
    native, cleaned = _utils("sat"), _cleaning()
    exact_match = module("lmms_eval.api.metrics").exact_match_hf_evaluate
    filtering = native.MultiChoiceRegexFilter(
        group_select=0, ignore_case=True, ignore_punctuation=True, regex_pattern=r"(\([A-Z]\))"
    )

    def verdict(row: Row, response: str, _: Replies) -> Verdict:
        texts = list(row.options.values())
        if row.answer not in texts:
            return unscored("no_options")
        doc = {"question": row.asked, "answers": texts, "correct_answer_idx": texts.index(row.answer)}
        (filtered,) = filtering.apply([[response]], [doc])
        prediction, target = cleaned(filtered), native.sat_doc_to_target(doc)
        scores = exact_match([prediction], [target], ignore_case=True, ignore_punctuation=True)
        return Verdict(float(scores["exact_match"]), prediction, detail={"target": target})

    return verdict


def _mathverse() -> Scorer:
    native, cleaned, judge = _utils("mathverse"), _cleaning(), _recorded_judge()
    evaluator = native.mathverse_evaluator
    evaluator.server = judge

    def verdict(row: Row, response: str, replies: Replies) -> Verdict:
        prediction = cleaned(response)
        equal = evaluator.score_answer(row.question, row.answer, prediction, quick_match=True)
        detail = {"quick_match": int(equal)}
        if not replies.judge:
            return unscored("no_judge", prediction, **detail)
        doc = {name: row.column(name) for name in _MATHVERSE_COLUMNS}
        doc |= {"answer": row.answer, "question_for_eval": row.column("question_for_eval") or row.asked}
        judge.reply = replies.judge[0]
        result = native.mathverse_process_results(doc, [prediction])
        return Verdict(float(result["gpt_eval_score"]), prediction, detail={**detail, "judge_calls": 1})

    return verdict


_MATHVERSE_COLUMNS: Final = (
    "sample_index", "problem_index", "problem_version", "question", "question_type", "metadata",
    "query_wo", "query_cot",
)  # fmt: skip


def _recorded_judge() -> Any:
    """A judge of lmms-eval that gives a recorded reply: prompt and parser are lmms-eval's own."""
    base, protocol = module("lmms_eval.llm_judge.base"), module("lmms_eval.llm_judge.protocol")

    class Recorded(base.ServerInterface):  # type: ignore[misc, name-defined]
        reply = ""

        def evaluate(self, request: Any) -> Any:  # noqa: ARG002 (the interface)
            return protocol.Response(content=self.reply, model_used="recorded")

        def is_available(self) -> bool:
            return True

    return Recorded(protocol.ServerConfig(model_name="recorded"))


_TASKS: Final[dict[str, tuple[Callable[[], Scorer], str]]] = {
    "MuirBench": (_muirbench, "muirbench"),
    "SAT": (_sat, "sat"),
    "MathVerse": (_mathverse, "mathverse"),
}
