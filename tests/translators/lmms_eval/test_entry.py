"""The entry point, beside stand-ins for the modules of lmms-eval."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mmeval_pack.translators.lmms_eval import entry

MANAGER = """
class TaskManager:
    def __init__(self, include_path=None, include_defaults=True):
        self.index = self.initialize_tasks(include_path=include_path, include_defaults=include_defaults)

    def initialize_tasks(self, include_path=None, include_defaults=True):
        defaults = {"mmmu_val": "built in", "sat_real_mmeval": "built in"} if include_defaults else {}
        return {**self._get_task_and_group(include_path), **defaults} if include_path else defaults

    def _get_task_and_group(self, folder):
        if folder == "broken":
            raise ValueError("bad YAML")
        return {name: folder for name in ("muirbench_mmeval", "sat_real_mmeval")}
"""

MANIFEST = """
def ModelManifest(model_id, simple_class_path, chat_class_path):
    return model_id, simple_class_path, chat_class_path
"""


@pytest.fixture(autouse=True)
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package lmms_eval whose tasks module is not imported yet."""
    package = tmp_path / "lmms_eval"
    (package / "models").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "tasks.py").write_text(MANAGER)
    (package / "models" / "__init__.py").touch()
    (package / "models" / "registry_v2.py").write_text(MANIFEST)
    for name in [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(entry, "TASKS_DIR", Path("pack"))
    monkeypatch.delenv("MMEVAL_AUTOLOAD", raising=False)
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "lmms_eval"]:
        del sys.modules[name]


def tasks() -> ModuleType:
    """The tasks module, imported now."""
    import lmms_eval.tasks

    return lmms_eval.tasks


def test_the_replay_model_is_named_for_both_kinds_of_use() -> None:
    """A simple and a chat class."""
    module = "mmeval_pack.translators.lmms_eval.replay"
    assert entry.register() == [("replay", f"{module}.Replay", f"{module}.ChatReplay")]


def test_registering_does_not_import_the_tasks_module() -> None:
    """Its import takes seconds that `lmms-eval models` does not pay."""
    entry.register()
    assert "lmms_eval.tasks" not in sys.modules


def test_the_packs_tasks_are_found_once_the_module_is_imported() -> None:
    """They are added to the index; what lmms-eval has under the same name stays."""
    entry.register()
    assert tasks().TaskManager().index == {
        "mmmu_val": "built in",
        "sat_real_mmeval": "built in",
        "muirbench_mmeval": "pack",
    }


def test_a_module_that_is_imported_already_is_extended_at_once() -> None:
    """The order of imports is lmms-eval's affair."""
    module = tasks()
    entry.register()
    assert module.TaskManager().index["muirbench_mmeval"] == "pack"


def test_without_defaults_nothing_is_added() -> None:
    """Who asks for their own tasks alone gets them alone."""
    entry.register()
    assert tasks().TaskManager(include_defaults=False).index == {}


def test_tasks_of_the_users_include_path_win() -> None:
    """One entry a name, and it is the user's."""
    entry.register()
    assert tasks().TaskManager(include_path="theirs").index["muirbench_mmeval"] == "theirs"


def test_registering_twice_extends_once() -> None:
    """Also when the second call comes after the import."""
    entry.register()
    entry.register()
    assert sum(isinstance(finder, entry.TasksFinder) for finder in sys.meta_path) == 1
    extended = tasks().TaskManager.initialize_tasks
    entry.register()
    assert tasks().TaskManager.initialize_tasks is extended
    assert not any(isinstance(finder, entry.TasksFinder) for finder in sys.meta_path)


def test_autoload_0_adds_nothing_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model and no task."""
    monkeypatch.setenv("MMEVAL_AUTOLOAD", "0")
    assert entry.register() == []
    assert "muirbench_mmeval" not in tasks().TaskManager().index


def test_a_tasks_folder_that_cannot_be_read_is_one_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """lmms-eval's own tasks can still be used."""
    monkeypatch.setattr(entry, "TASKS_DIR", Path("broken"))
    entry.register()
    assert tasks().TaskManager().index == {"mmmu_val": "built in", "sat_real_mmeval": "built in"}
    assert capsys.readouterr().err == "mmeval-pack: warning: not added to lmms-eval: ValueError: bad YAML\n"


@pytest.mark.parametrize("change", ["TaskManager = None", "raise_me = 1"])
def test_another_lmms_eval_is_one_warning(
    harness: Path, capsys: pytest.CaptureFixture[str], change: str
) -> None:
    """A version without what the hook needs: its own import goes through."""
    (harness / "lmms_eval" / "tasks.py").write_text(change)
    entry.register()
    tasks()
    assert capsys.readouterr().err.count("mmeval-pack: warning: not added to lmms-eval: AttributeError") == 1


def test_other_imports_are_none_of_the_finders_business() -> None:
    """It answers for one name."""
    assert entry.TasksFinder().find_spec("json") is None


def test_the_entry_point_loads_only_the_standard_library() -> None:
    """Every lmms-eval command pays for what it imports."""
    code = (
        "import sys; before = set(sys.modules)\n"
        "import mmeval_pack.translators.lmms_eval.entry\n"
        "heads = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(heads - sys.stdlib_module_names))"
    )
    done: Any = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['mmeval_pack']\n"
