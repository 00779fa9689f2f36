"""llm-judge: a judge says, in one call, how right a response is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from mmeval_pack.judges.judge_question import question_with_options
from mmeval_pack.judges.judging_inquiry import Inquiry
from mmeval_pack.judges.llm_judge_rubric import rubric_of
from mmeval_pack.judges.params import Params, PipelineError, shown
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.prompt_file import own
from mmeval_pack.judges.records import Doc, Reading
from mmeval_pack.judges.text import Response


async def llm_judge(doc: Doc, response: Response, pipeline: Pipeline, inquiry: Inquiry) -> Reading:
    """Decides, by the rubric of the pipeline's parameters.

    The judge is shown the question, all references, the response and the row's ``judge_inputs``.

    Raises:
        JudgeFailure: no verdict is to be had.
        PipelineError: the rubric, its scale or ``judge_inputs`` cannot be used.
    """
    rubric = rubric_of(pipeline.params)
    prompt = own(rubric.prompt)
    inquiry.uses(prompt)
    texts = {
        "question": question_with_options(doc),
        "context": context(doc, input_names(pipeline.params)),
        "references": references(doc),
        "response": response.text,
        **rubric.constants,
    }
    score = await inquiry.ask(prompt, texts, rubric.read, stage="judge", reminder=rubric.reminder)
    return Reading(float(score), None)


def references(doc: Doc) -> str:
    """The truth in words; of a list all items that are not null, one a line."""
    truth = doc.truth
    if not isinstance(truth, list):
        return _text(truth)
    items = [_text(item) for item in truth if item is not None]
    return items[0] if len(items) == 1 else "\n".join(f"- {item}" for item in items)


def input_names(params: Params) -> Sequence[str]:
    """The names of the row's fields that the judge is shown.

    Raises:
        PipelineError: ``judge_inputs`` is no list of names.
    """
    declared = params.judge_inputs
    names = [declared] if isinstance(declared, str) else declared or []
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise PipelineError(f"judge_inputs is {shown(declared)}, expected a list of the row's fields")
    return names


def context(doc: Doc, names: Sequence[str]) -> str:
    """These fields of the row, one a line; those that it lacks are left out."""
    found = {name: doc.message.get(name, doc.row.get(name)) for name in names}
    return "\n".join(f"{name}: {_text(value)}" for name, value in found.items() if value is not None)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
