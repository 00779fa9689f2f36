"""The tasks under VLMEvalKit's real command line. What it wrote counts: its exit code is 0 on failure too."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.translators.demo.endpoint import Endpoint, completion
from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.vlmevalkit import predictions

pytestmark = [
    pytest.mark.vlmevalkit,
    pytest.mark.skipif(importlib.util.find_spec("vlmeval") is None, reason="VLMEvalKit is not installed"),
]


class Run:
    """What the run with two models wrote, and how it ended."""

    def __init__(self, replayed: Any) -> None:
        self.done, self.folder = replayed.done, replayed.folder
        self.model, self.requests = replayed.model, replayed.requests

    def lines(self, model: str, task: str, ending: str = "") -> dict[str, dict[str, Any]]:
        """The lines of a file by row id."""
        path = self.folder / model / f"{model}_{task}{ending}.tsv"
        assert path.is_file(), self.done.stderr[-3000:]
        return {json.loads(line["mmeval"])["id"]: line for line in predictions.read(path)}

    def figures(self, model: str, task: str) -> dict[str, Any]:
        """All figures of a task."""
        found: dict[str, Any] = json.loads((self.folder / model / f"{model}_{task}_mmeval.json").read_text())
        return found


@pytest.fixture(scope="module")
def run(replayed: Any) -> Run:
    """All five tasks with replay, and with an API model."""
    return Run(replayed)


@pytest.mark.usefixtures("without_judge")
def test_replayed_responses_get_the_verdicts_of_lmms_eval(
    run: Run, samples: Mapping[str, Bundled], lmms_eval_side: Any
) -> None:
    """Per sample: verdict, stage, status, extraction and reason; nothing is lost on the way to the file."""
    for task, sample in samples.items():
        raw = {name: line["prediction"] for name, line in run.lines("replay", task).items()}
        assert raw == sample.responses
        found = run.lines("replay", task, "_exact_matching_result")
        for name, theirs in lmms_eval_side(sample).items():
            hit = found[name]["hit"]
            assert (None if hit == "" else float(hit)) == theirs["score"], (task, name)
            texts = ("decided_by", "status", "extraction", "reason")
            assert [found[name][key] for key in texts] == [theirs[key] or "" for key in texts]


def test_the_figures_are_those_of_lmms_eval(run: Run) -> None:
    """As counted by hand from the sample, see ../lmms_eval/test_harness.py; and VLMEvalKit reports them."""
    expected = {
        "mathverse_testmini_mmeval": (9 / 11, 9 / 20, 9 / 20),
        "mathverse_testmini_text_only_mmeval": (5 / 6, 6 / 12, 5 / 12),
        "muirbench_mmeval": (10 / 16, 0, 10 / 16),
        "sat_real_mmeval": (6 / 12, 0, 6 / 12),
        "sat_synthetic_mmeval": (9 / 13, 0, 9 / 14),
    }
    status = json.loads((run.folder / "replay" / "status.json").read_text())["datasets"]
    for task, figures in expected.items():
        found = run.figures("replay", task)
        assert (found["accuracy"], found["unscored"], found["published"]) == pytest.approx(figures)
        assert status[task]["metrics"]["split=none|Overall"] == pytest.approx(figures[0])


def test_the_wire_carries_the_published_prompts(run: Run, samples: Mapping[str, Bundled]) -> None:
    """The endpoint knows each row by its texts and pixels in their order, and knew every request."""
    assert run.model.unknown == []
    assert run.requests == sum(len(sample.rows) for sample in samples.values())


def test_responses_over_the_wire_get_the_same_verdicts(run: Run, samples: Mapping[str, Bundled]) -> None:
    """But for empty ones, which VLMEvalKit's API models make a failure of: unscored, not wrong."""
    for task, sample in samples.items():
        replayed = run.lines("replay", task, "_exact_matching_result")
        for name, line in run.lines("recorded", task, "_exact_matching_result").items():
            if sample.responses[name]:
                assert (line["hit"], line["log"]) == (replayed[name]["hit"], replayed[name]["log"]), name
            elif line["status"] != "invalid":
                assert (line["hit"], line["reason"]) == ("", "generation_failed")


def test_the_version_is_recorded(run: Run) -> None:
    """In the record of each task, and at the start."""
    version = run.figures("replay", "sat_real_mmeval")["vlmevalkit"]
    assert run.done.stderr.splitlines()[0] == f"VLMEvalKit: {version['name']} {version['version']}"
    assert version["name"] in ("ms-vlmeval", "checkout")


def test_nothing_failed_on_the_way(run: Run) -> None:
    """VLMEvalKit would go on with the next dataset."""
    for model in ("replay", "recorded"):
        status = json.loads((run.folder / model / "status.json").read_text())["datasets"]
        assert {name: each["status"] for name, each in status.items()} == dict.fromkeys(status, "done")
        assert [name for name, each in status.items() if "error_message" in each] == []
    assert "Traceback" not in run.done.stderr
    assert run.done.returncode == 0


def test_a_second_run_keeps_the_predictions(run: Run, vlmevalkit: Callable[..., Any]) -> None:
    """VLMEvalKit reads and rewrites them; an empty response does not become the word nan."""
    names = ("muirbench_mmeval", "mathverse_testmini_text_only_mmeval")
    files = [run.folder / "replay" / f"replay_{name}.tsv" for name in names]
    before = [file.read_bytes() for file in files]
    arguments = ["--data", *names, "--model", "replay", "--responses", str(TASKS_DIR)]
    done = vlmevalkit(run.folder.parent, *arguments)
    assert [file.read_bytes() for file in files] == before, done.stderr[-2000:]
    assert run.lines("replay", names[0])["mb-11"]["prediction"] == ""
    assert run.figures("replay", names[0])["accuracy"] == 10 / 16


def test_the_commands_of_the_readme(
    vlmevalkit_environment: Callable[[Path], dict[str, str]], tmp_path: Path
) -> None:
    """The second and the third, typed into a shell; VLMEvalKit's GPT4o then asks a loopback endpoint.

    The first is how the environment of tox that runs this test installs the pack.
    """
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    section = readme.partition("## Evaluate with VLMEvalKit")[2].partition("## ")[0]
    (block,) = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    install, *commands = block.splitlines()
    assert (install, len(commands)) == ("pip install '.[vlmevalkit]'", 2)
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "mmeval-pack"
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfrom mmeval_pack.translators.cli import main\nsys.exit(main())\n"
    )
    script.chmod(0o755)
    with Endpoint(lambda _: completion("(A)")) as endpoint:
        env = {
            **vlmevalkit_environment(tmp_path),
            "PATH": f"{tmp_path}/bin:{os.environ['PATH']}",
            "OPENAI_API_KEY": "none",
            "OPENAI_API_BASE": f"{endpoint.base_url}/chat/completions",
        }
        typed = ["bash", "-ec", "\n".join(commands)]
        done = subprocess.run(typed, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert {request.body["model"] for request in endpoint.requests} == {"gpt-4o-2024-05-13"}
    lines = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert [(each["response"], each["score"]) for each in lines] == [
        ("(A)", float(each["sample"]["answer"] == "A")) for each in lines
    ]
    folder = tmp_path / "out" / "GPT4o"
    for task in ("muirbench_mmeval", "mathverse_testmini_mmeval"):
        assert (folder / f"GPT4o_{task}_acc.csv").is_file()
