"""Plan -> one module a task, which registers the task's dataset with VLMEvalKit.

The publisher's text reaches it as the ``repr`` of a literal, so none of it can become code.
"""

from __future__ import annotations

import pprint
import shlex

from mmeval_pack.translators.manifest import header
from mmeval_pack.translators.plan import METADATA, Plan

MODULE = "vlmevalkit.py"

_TEXT = """\
{header}
from mmeval_pack.translators.vlmevalkit import adapter

TASK = {literal}

BOUND = adapter.bind(TASK, __file__)
name = BOUND.name
dataset_class = BOUND.dataset_class
register = BOUND.register
"""


def emit(plan: Plan) -> dict[str, str]:
    """The modules of a benchmark.

    Returns:
        Path relative to the benchmark's folder, with ``/`` between the parts -> text.
    """
    command = f"mmeval-pack compile {shlex.quote(plan.folder)}{' --rows DIR' if plan.rows else ''}"
    top = header(f"{plan.folder}/{METADATA}", plan.digest, command)
    return {
        f"{plan.places[task.name]}/{MODULE}": _TEXT.format(
            header=top, literal=pprint.pformat(task.literal(), width=100, sort_dicts=False)
        )
        for task in plan.tasks
    }
