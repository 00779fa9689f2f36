"""The README does what it says: each of its commands is run here or by the check that is named beside it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mmeval_pack.translators.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCS = README + "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
BLOCKS = re.findall(r"^```(sh|python|json)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line
    for language, block in BLOCKS
    if language == "sh"
    for line in block.replace("\\\n", "").splitlines()
    if line and not line.startswith("#")
]
# What the commands of the README are covered by, by their beginning.
TESTED_BY = {
    "python3 -m venv .venv && .venv/bin/pip install '.[lmms-eval]'": "translators/demo/test_run.py",
    "python3 -m venv .venv && .venv/bin/pip install tox": ".ci/run",
    "lmms-eval --model qwen2_5_vl": "lmms_eval/test_chat_model.py, on a tiny checkpoint",
    "export MMEVAL_JUDGE_MODEL=": "translators/lmms_eval/test_judged_run.py",
    "export MMEVAL_ROWS=": "test_rows_of_the_users_own",
    "lmms-eval --model replay": "test_rows_of_the_users_own",
    "unset MMEVAL_ROWS": "test_rows_of_the_users_own",
    "pip install '.[vlmevalkit]'": "tox -e vlmevalkit",
    "mmeval-pack vlmevalkit": "vlmevalkit/test_run.py, GPT4o on a loopback endpoint",
    "mmeval-pack score out/": "vlmevalkit/test_run.py, GPT4o on a loopback endpoint",
    "mmeval-pack ": "test_a_command_of_the_readme_runs",
}
ELSEWHERE = ("mmeval-pack vlmevalkit", "mmeval-pack score out/")
OWN = [
    command
    for command in COMMANDS
    if command.startswith("mmeval-pack ") and not command.startswith(ELSEWHERE)
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_covered(command: str) -> None:
    """A command that no test runs does not get into the README."""
    assert any(command.startswith(beginning) for beginning in TESTED_BY), command


@pytest.mark.parametrize("command", OWN)
def test_a_command_of_the_readme_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it stands there, in a folder like a clone, with the files that the README shows."""
    shutil.copytree(ROOT / "tasks", tmp_path / "tasks")
    row, line = [block for language, block in BLOCKS if language == "json"]
    (tmp_path / "row.json").write_text(row)
    for name in ("responses.jsonl", "scored.jsonl"):
        (tmp_path / name).write_text(line)
    monkeypatch.chdir(tmp_path)
    assert main(command.split()[1:]) == 0


@pytest.mark.parametrize("block", [block for language, block in BLOCKS if language == "python"])
def test_python_of_the_readme_runs(block: str) -> None:
    """As it stands there."""
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "decided_by='rule-match'" in done.stdout


@pytest.mark.harness
def test_rows_of_the_users_own(tmp_path: Path) -> None:
    """The block with MMEVAL_ROWS and the replay model, typed into a shell."""
    pytest.importorskip("lmms_eval")
    (block,) = [block for _, block in BLOCKS if "MMEVAL_ROWS" in block]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(["bash", "-ec", block], cwd=tmp_path, env=env, capture_output=True, text=True)
    (results,) = tmp_path.glob("logs/**/*_results.json")
    assert "accuracy,mm-eval" in json.loads(results.read_text())["results"]["muirbench_mmeval"], done.stderr


def test_every_command_and_option_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    """What --help lists stands in the README or in docs/."""
    main(["--help"])
    names = re.findall(r"^    ([a-z]+)\b", capsys.readouterr().out, re.MULTILINE)
    assert {"compile", "check", "list", "path", "render", "demo"} <= set(names)
    for name in names:
        assert f"mmeval-pack {name}" in DOCS
        main([name, "--help"])
        for option in re.findall(r"^  (--[a-z-]+)", capsys.readouterr().out, re.MULTILINE):
            assert option in DOCS, f"{name} {option}"


@pytest.mark.parametrize("target", re.findall(r"\]\(([^)#]+)\)", DOCS))
def test_links_lead_somewhere(target: str) -> None:
    """Relative links name files of the project."""
    assert target.startswith("https://") or (ROOT / target).exists() or (ROOT / "docs" / target).exists()
