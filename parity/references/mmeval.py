"""The pack's own verdicts, under either set of rules."""

from __future__ import annotations

from functools import partial
from typing import Literal

from mmeval_pack.judges.asking import ASKING
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Reference, Replies, Status, Verdict
from mmeval_pack.translators._version import VERSION
from mmeval_pack.translators.task import Task


def reference(task: Task, rules: str = "parity") -> Reference:
    """The reference of a task: ``mmeval`` for the rules parity, ``improved`` for the others."""
    pipeline = Pipeline.declared(task.pipeline, task.params, rules)
    name = "mmeval" if rules == "parity" else rules
    llm: Literal["some", "none"] = "some" if ASKING.intersection(task.pipeline) else "none"
    source = f"{' > '.join(task.pipeline)}, rules {rules}"
    return Reference(name, f"mmeval-pack {VERSION}", source, llm, partial(_verdict, pipeline))


def _verdict(pipeline: Pipeline, row: Row, response: str, _: Replies) -> Verdict:
    """Reasoning is taken off first, as the pack's tasks do."""
    found = score_generated(pipeline.score, row.doc, response, strip=True, logged=True)
    detail = {"decided_by": found.decided_by} if found.decided_by else {}
    status: Status = "unscored" if found.status == "unscored" else "ok"
    return Verdict(found.score, found.extraction, status, found.reason, detail)
