"""mmeval-pack vlmevalkit, with a stand-in for VLMEvalKit; the real one runs in ../vlmevalkit/test_run.py."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ENTRY = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main())"
PARTS = {
    "vlmeval/__init__.py": "",
    "vlmeval/config.py": "supported_VLM = {}\n",
    "vlmeval/dataset/__init__.py": "DATASET_CLASSES = []\nSUPPORTED_DATASETS = []\n",
    "vlmeval/dataset/image_base.py": "class ImageBaseDataset:\n    pass\n",
}
MAIN = """\
import os, sys
from vlmeval.config import supported_VLM
from vlmeval.dataset import DATASET_CLASSES, SUPPORTED_DATASETS
print(sys.argv[1:], os.environ["PRED_FORMAT"], sorted(supported_VLM), sorted(SUPPORTED_DATASETS))
print(sorted(name for each in DATASET_CLASSES for name in each.supported_datasets()))
"""
SEEN = """\
['--data', 'muirbench_mmeval', '--model', 'replay', '--verbose'] {format} ['replay'] {tasks}
{tasks}
"""
TASKS = [
    *("mathverse_testmini_mmeval", "mathverse_testmini_text_only_mmeval", "muirbench_mmeval"),
    *("sat_real_mmeval", "sat_synthetic_mmeval"),
]
HELP = """\
usage: mmeval-pack vlmevalkit [options below] [arguments of VLMEvalKit's run.py]

Run VLMEvalKit's own command line, its run.py, with the pack's tasks.

passed on to run.py as it is: every argument but the options below, so --data, --model, --work-dir, --mode,
--judge and all others that VLMEvalKit documents.
added by the pack: its tasks as datasets for --data, under the names of mmeval-pack list, and for --model the
name replay, which answers with the recorded responses of --responses. VLMEvalKit itself is not changed.
"""
GIVEN = ("--data", "muirbench_mmeval", "--model", "replay", "--verbose")


class Done(NamedTuple):
    """How the command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like VLMEvalKit's repository, whose command line stands beside the package."""
    pytest.importorskip("pandas")
    for name, text in {**PARTS, "run.py": f"if __name__ == '__main__':\n    exec({MAIN!r})\n"}.items():
        (tmp_path / "checkout" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "checkout" / name).write_text(text)
    return tmp_path / "checkout"


def start(*arguments: object, **env: str) -> Done:
    """The command in a process of its own, since it changes the process."""
    inherited = {name: value for name, value in os.environ.items() if name != "PRED_FORMAT"}
    command = [sys.executable, "-c", ENTRY, "vlmevalkit", *map(str, arguments)]
    done = subprocess.run(command, env={**inherited, **env}, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


def test_a_checkout(checkout: Path) -> None:
    """Its own arguments go to it in their order; ours do not; every task is among its datasets."""
    done = start("--checkout", checkout, *GIVEN)
    assert done == Done(0, SEEN.format(format="tsv", tasks=TASKS), "VLMEvalKit: checkout unknown\n")


def test_the_package(checkout: Path) -> None:
    """Where the command line is part of the package; the user's format of predictions stays."""
    (checkout / "run.py").unlink()
    (checkout / "vlmeval" / "run.py").write_text(f"def main():\n    exec({MAIN!r})\n")
    done = start(*GIVEN, "--quiet", PYTHONPATH=str(checkout), PRED_FORMAT="xlsx")
    assert done == Done(0, SEEN.format(format="xlsx", tasks=TASKS), "")


def test_the_commit_of_a_checkout(checkout: Path) -> None:
    """Detected, and said; and whether it is the commit that runs."""
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", checkout, *words], check=True)
    head = ["git", "-C", checkout, "rev-parse", "HEAD"]
    commit = subprocess.run(head, capture_output=True, text=True, check=True).stdout
    assert start("--checkout", checkout, *GIVEN).err == f"VLMEvalKit: checkout {commit}"
    with (checkout / "run.py").open("a") as stream:
        stream.write("# edited\n")
    assert start("--checkout", checkout, *GIVEN).err == f"VLMEvalKit: checkout {commit.strip()}-dirty\n"


def test_a_folder_that_is_no_checkout(run: Callable[..., Done], tmp_path: Path) -> None:
    """One message."""
    assert run("vlmevalkit", "--checkout", tmp_path) == (
        2,
        "",
        f"mmeval-pack: {tmp_path}: is no checkout of VLMEvalKit; expected {tmp_path}/vlmeval in it\n",
    )


def test_tasks_that_were_not_compiled(checkout: Path, tasks: Path) -> None:
    """One message with the command that helps."""
    done = start("--checkout", checkout, "--tasks", tasks, "--quiet")
    assert done == Done(
        2, "", f"mmeval-pack: {tasks}: holds no vlmevalkit.py; write it with mmeval-pack compile\n"
    )


def test_without_vlmevalkit(run: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    """How to install it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert run("vlmevalkit", "--data", "x", "--quiet") == (
        2,
        "",
        "mmeval-pack: VLMEvalKit is not installed: pip install 'mmeval-pack[vlmevalkit]', or name a checkout "
        "of it with --checkout DIR\n",
    )


def test_no_other_command_takes_unknown_arguments(run: Callable[..., Done]) -> None:
    """Only this one hands them on."""
    done = run("list", "--data", "x")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("mmeval-pack: error: unrecognized arguments: --data x\n")


def test_the_help_begins_with_what_is_passed_on() -> None:
    """And with what the pack adds; VLMEvalKit's own options are not there to be listed."""
    code, out, _ = start("--help")
    assert (code, out[: len(HELP)]) == (0, HELP)
