"""Modules of a framework without what they never use: of a small one made here, and of the installed ones."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from mmeval_pack.parity.references.native import guarded, lean, module
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import MissingError, Replies, Verdict

FILES = {
    "frame/__init__.py": "raise RuntimeError('all of it')",
    "frame/tasks/__init__.py": "raise RuntimeError('all tasks')",
    "frame/tasks/one.py": "from frame.rules import right\nimport heavy\nfrom heavy.parts import Part\n",
    "frame/rules.py": "def right(text):\n    return text == 'B'\n",
    "heavy/__init__.py": "raise RuntimeError('gigabytes')",
}
PROGRAM = """
import sys
from mmeval_pack.parity.references import load
from mmeval_pack.translators.plan import TASKS_DIR, find_task
for name in ("muirbench_mmeval", "sat_real_mmeval", "mathverse_testmini_mmeval"):
    loaded = load(find_task(TASKS_DIR, name), sys.argv[2:])
    print(name, [reference.name for reference in loaded.used], file=sys.stderr)
heavy = (sys.argv[1], "torch", "transformers", "evaluate")
print([name for name in sys.modules if name.split(".")[0] in heavy])
"""


@pytest.fixture
def frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A framework whose packages must not be imported whole."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_functions_are_those_of_the_files(frame: Path) -> None:
    """And afterwards nothing of it, or of what it does without, is left among the modules."""
    with lean("frame", ("frame.tasks",), ("heavy", "heavy.parts")):
        right = module("frame.tasks.one").right
    assert right("B")
    assert not right("b")
    assert right.__code__.co_filename == str(frame / "frame/rules.py")
    assert not {"frame", "frame.tasks", "frame.rules", "heavy", "heavy.parts"} & {*sys.modules}


@pytest.mark.usefixtures("frame")
def test_what_was_imported_before_stays() -> None:
    """Another module of the same name has been in use, and is again."""
    with lean("frame"):
        before = module("frame.rules")
    sys.modules["frame.rules"] = before
    try:
        with lean("frame"):
            assert module("frame.rules") is not before
        assert sys.modules["frame.rules"] is before
    finally:
        del sys.modules["frame.rules"]


@pytest.mark.usefixtures("frame")
def test_a_framework_that_is_not_as_expected_is_missing() -> None:
    """A name that is not there is said, and is no traceback."""
    with pytest.raises(MissingError) as caught, lean("frame"):
        module("frame.gone")
    assert str(caught.value) == "the installed frame cannot be used: No module named 'frame.gone'"
    with pytest.raises(MissingError) as caught, lean("no_such_frame"):
        pass
    assert str(caught.value) == "the installed no_such_frame cannot be used: no package no_such_frame"


def test_an_error_of_the_framework_is_a_crash() -> None:
    """It is named; other samples go on."""

    def scorer(_: Row, response: str, __: Replies) -> Verdict:
        raise KeyError(response)

    row = Row.of({"id": "1", "messages": [{"question": "Which?"}], "answer": "B"})
    assert guarded(scorer)(row, "B", Replies()) == (None, None, "crash", "KeyError", {})


@pytest.mark.parametrize(
    ("package", "names"),
    [
        pytest.param("lmms_eval", ("lmms-eval",), marks=pytest.mark.harness),
        pytest.param("vlmeval", ("vlmevalkit", "vlmevalkit-installed"), marks=pytest.mark.vlmevalkit),
    ],
)
def test_the_installed_frameworks_are_not_imported_whole(package: str, names: tuple[str, ...]) -> None:
    """Neither torch nor transformers is: they would take 15 s and 1 GB."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, package, *names], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    tasks = 3 if package == "lmms_eval" else 2
    assert done.stderr.count(str(list(names))) == tasks


@pytest.mark.parametrize(
    ("package", "bare", "unused", "name", "function"),
    [
        pytest.param(
            "lmms_eval",
            ("lmms_eval.filters", "lmms_eval.tasks"),
            ("evaluate", "lmms_eval.api.model"),
            "lmms_eval.tasks.muirbench.utils",
            "muir_process_results",
            marks=pytest.mark.harness,
        ),
        pytest.param(
            "vlmeval",
            ("vlmeval.dataset", "vlmeval.dataset.utils"),
            (),
            "vlmeval.utils",
            "can_infer",
            marks=pytest.mark.vlmevalkit,
        ),
    ],
)
def test_a_function_is_the_one_of_the_whole_import(
    package: str, bare: tuple[str, ...], unused: tuple[str, ...], name: str, function: str
) -> None:
    """The same code of the same file."""
    if find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    with lean(package, bare, unused):
        found: Callable[..., object] = getattr(module(name), function)
    whole = getattr(module(name), function)
    assert found is not whole
    assert found.__code__ == whole.__code__
    assert found.__code__.co_filename == whole.__code__.co_filename
