"""Samples that lmms-eval logged of its own tasks, as version 0.7.3 writes them.

A log holds no row: what is left of it are the prompt, the answer and what the metric keeps. The response is
what the task's own filter made of it: MuirBench's turns ``B. a blue car`` into ``B``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.parity.found import NONE_RECORDED, Found, Raw
from mmeval_pack.parity.references.verdict import Verdict

_MUIRBENCH: Final = "muirbench_score_overall"
_MATHVERSE: Final = "submission"
_TASK: Final = re.compile(r"_samples_(\w+)$")


def is_native(record: Raw) -> bool:
    """Whether a line is one."""
    return "doc_id" in record and "filtered_resps" in record and not isinstance(record.get("detail"), dict)


def of_native(record: Raw, path: Path) -> Found:
    """What a line of the file says.

    Raises:
        InputError: it holds no id of its row.
    """
    muirbench, mathverse = record.get(_MUIRBENCH), record.get(_MATHVERSE)
    if isinstance(muirbench, dict) and "idx" in muirbench:
        return _muirbench(record, muirbench)
    if isinstance(mathverse, dict) and "sample_index" in mathverse:
        return _mathverse(record, mathverse, path)
    raise InputError(
        "lmms-eval logged no id of the row; only its own tasks muirbench and mathverse_testmini can be read, "
        "and those of the pack"
    )


def _muirbench(record: Raw, kept: Raw) -> Found:
    id_ = str(kept["idx"])
    extras = {name: kept.get(name, "") for name in ("task", "image_relation", "image_type")}
    row = {**_row(id_, record.get("input"), kept.get("answer")), **extras}
    return Found(id_, _response(record), "muirbench_mmeval", row, logged=True)


def _mathverse(record: Raw, kept: Raw, path: Path) -> Found:
    id_ = str(kept["sample_index"])
    nested = kept.get("metadata")
    extras = {**(nested if isinstance(nested, dict) else {}), **kept}
    row = {**extras, **_row(id_, kept.get("query_wo"), kept.get("answer"))}
    named = _TASK.search(path.stem)
    split = "testmini_text_only" if named and named[1].endswith("text_only") else "testmini"
    score, recorded = record.get("gpt_eval_score"), NONE_RECORDED
    if isinstance(score, int | float):
        recorded = {"lmms-eval": Verdict(float(score), str(kept.get("prediction")), "ok", "recorded")}
    return Found(id_, _response(record), f"mathverse_{split}_mmeval", row, recorded=recorded, logged=True)


def _row(id_: str, question: Any, answer: Any) -> Raw:
    return {"id": id_, "messages": [{"role": "user", "question": str(question or "")}], "answer": answer}


def _response(record: Raw) -> str | None:
    """The text within; lmms-eval leaves ``resps`` out where the filtered responses are the same."""
    found = record.get("resps", record["filtered_resps"])
    while isinstance(found, list):
        found = found[0] if found else None
    return found if isinstance(found, str) else None
