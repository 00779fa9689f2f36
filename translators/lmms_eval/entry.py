"""The entry point of lmms-eval's group ``lmms_eval.models``: the replay model, and the pack's tasks.

lmms-eval has no entry point for tasks, but it loads this one in every evaluation, before it indexes the
tasks. ``lmms_eval.tasks`` takes seconds to import and many commands never need it, so it is changed when it
is imported and not before. Stdlib only, for the same reason.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from mmeval_pack.translators.lmms_eval import source
from mmeval_pack.translators.naming import TASKS_DIR

TASKS_MODULE = "lmms_eval.tasks"
REPLAY = "mmeval_pack.translators.lmms_eval.replay"


def register() -> list[Any]:
    """What lmms-eval calls: add the pack's tasks and name the pack's models.

    Returns:
        The manifests of the models; empty with ``MMEVAL_AUTOLOAD=0``.
    """
    if not source.autoload():
        return []
    guarded(hook_tasks)
    manifests: list[Any] = []
    guarded(lambda: manifests.append(replay_manifest()))
    return manifests


def guarded(step: Callable[[], Any]) -> None:
    """Run a step; whatever goes wrong in it is one warning and lmms-eval goes on without it."""
    try:
        step()
    except Exception as error:  # noqa: BLE001 - a fault of the pack must not stop runs that do not use it
        sys.stderr.write(f"mmeval-pack: warning: not added to lmms-eval: {type(error).__name__}: {error}\n")


def replay_manifest() -> Any:
    """The manifest of the model ``replay``."""
    from lmms_eval.models.registry_v2 import ModelManifest

    return ModelManifest(
        "replay", simple_class_path=f"{REPLAY}.Replay", chat_class_path=f"{REPLAY}.ChatReplay"
    )


def hook_tasks() -> None:
    """Let lmms-eval's TaskManager search the pack's tasks too, now or as soon as its module is imported."""
    if TASKS_MODULE in sys.modules:
        extend(sys.modules[TASKS_MODULE])
    elif not any(isinstance(finder, TasksFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, TasksFinder())


class TasksFinder(MetaPathFinder):
    """Finds ``lmms_eval.tasks`` as usual, once, and extends the module after its execution."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ARG002 - the protocol's signature
        """The usual spec with a loader that extends the module; None for every other module."""
        if fullname != TASKS_MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                execute(module)
                guarded(lambda: extend(module))

            spec.loader.exec_module = exec_module  # type: ignore[method-assign] # this loader, not its class
        return spec


def extend(module: ModuleType) -> None:
    """Add the pack's tasks to every index that ``module.TaskManager`` builds with its defaults.

    A name that lmms-eval or the user's ``--include_path`` already has stays theirs.
    """
    manager = module.TaskManager
    original = manager.initialize_tasks
    if getattr(original, "extended_by_mmeval_pack", False):
        return

    @wraps(original)
    def initialize_tasks(
        self: Any, include_path: Any = None, include_defaults: bool = True
    ) -> dict[str, Any]:
        index: dict[str, Any] = original(self, include_path, include_defaults)
        if not include_defaults:
            return index
        pack: dict[str, Any] = {}
        guarded(lambda: pack.update(self._get_task_and_group(str(TASKS_DIR))))
        return {**pack, **index}

    initialize_tasks.extended_by_mmeval_pack = True  # type: ignore[attr-defined] # seen by the guard above
    manager.initialize_tasks = initialize_tasks
