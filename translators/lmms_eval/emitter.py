"""Plan -> the files that lmms-eval reads: a YAML and a ``utils.py`` a task, a YAML a group.

Whatever a publisher wrote reaches ``utils.py`` as the ``repr`` of a literal and the YAML through a dumper,
so no text of theirs can become code, a comment or a key.
"""

from __future__ import annotations

import pprint
import shlex
from collections.abc import Mapping
from typing import Any

import yaml

from mmeval_pack.translators.manifest import digest_of, header
from mmeval_pack.translators.plan import METADATA, Plan
from mmeval_pack.translators.task import Task

_UTILS = """\
{header}
from mmeval_pack.translators.lmms_eval import adapter

TASK = {literal}

BOUND = adapter.bind(TASK)
SOURCE = adapter.source(TASK, __file__)
dataset_path = SOURCE.path
dataset_name = SOURCE.name
dataset_kwargs = SOURCE.kwargs
process_docs = BOUND.process_docs
doc_to_visual = BOUND.doc_to_visual
doc_to_text = BOUND.doc_to_text
doc_to_messages = BOUND.doc_to_messages
doc_to_target = BOUND.doc_to_target
process_results = BOUND.process_results
{metric} = BOUND.{metric}
unscored = BOUND.unscored
published = BOUND.published
breakdown = BOUND.breakdown
FirstResponse = adapter.FirstResponse
"""


class _Function(str):
    """A name in ``utils.py``, which lmms-eval looks up where it stands behind ``!function``."""

    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """A safe dumper that also writes ``!function utils.name``, without quotes."""

    def choose_scalar_style(self) -> str:
        if getattr(self.event, "tag", None) == "!function":
            return ""
        return str(super().choose_scalar_style())


_Dumper.add_representer(_Function, lambda dumper, name: dumper.represent_scalar("!function", f"utils.{name}"))


def emit(plan: Plan) -> dict[str, str]:
    """The files of a benchmark.

    Returns:
        Path relative to the benchmark's folder, with ``/`` between the parts -> text.
    """
    top = _header(plan)
    texts: dict[str, str] = {}
    for task in plan.tasks:
        utils = _utils(task, top)
        texts[f"{plan.places[task.name]}/{task.name}.yaml"] = top + _yaml(_task_config(task, utils))
        texts[f"{plan.places[task.name]}/utils.py"] = utils
    if plan.group:
        config = {"group": plan.group, "task": [task.name for task in plan.tasks]}
        texts[f"{plan.group}.yaml"] = top + _yaml(config)
    return texts


def _header(plan: Plan) -> str:
    command = f"mmeval-pack compile {shlex.quote(plan.folder)}{' --rows DIR' if plan.rows else ''}"
    return header(f"{plan.folder}/{METADATA}", plan.digest, command)


def _utils(task: Task, top: str) -> str:
    literal = pprint.pformat(task.literal(), width=100, sort_dicts=False)
    return _UTILS.format(header=top, literal=literal, metric=task.metric)


def _yaml(config: Mapping[str, Any]) -> str:
    return str(yaml.dump(dict(config), Dumper=_Dumper, sort_keys=False, width=100))


def _task_config(task: Task, utils: str) -> dict[str, Any]:
    """The keys of lmms-eval 0.7.3 that a task needs, in the order of use."""
    return {
        "task": task.name,
        **{key: _Function(key) for key in ("dataset_path", "dataset_name", "dataset_kwargs")},
        "test_split": task.split,
        "output_type": "generate_until",
        **{
            key: _Function(key) for key in ("process_docs", "doc_to_visual", "doc_to_text", "doc_to_messages")
        },
        **{key: _Function(key) for key in ("doc_to_target", "process_results")},
        # The adapter takes reasoning blocks off; lmms-eval would take them out of its log as well.
        "reasoning_tags": "none",
        # Without `until`, lmms-eval stops a response at its first empty line.
        "generation_kwargs": {"max_new_tokens": 16384, "temperature": 0, "do_sample": False, "until": []},
        "filter_list": [{"name": "mm-eval", "filter": [{"function": _Function("FirstResponse")}]}],
        "metric_list": [
            {"metric": name, "aggregation": _Function(name), "higher_is_better": name != "unscored"}
            for name in (task.metric, "unscored", "published", "breakdown")
        ],
        # The digest is a part of lmms-eval's key for cached responses: other texts, other responses.
        "metadata": {"version": task.version, "digest": digest_of(utils.encode())},
    }
