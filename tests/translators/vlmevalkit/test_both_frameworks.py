"""Both real command lines over the whole sample, with the same recorded responses and the same judge."""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pytest
from PIL import Image, ImageChops, ImageStat

from mmeval_pack.translators import recorded
from mmeval_pack.translators.cli import main
from mmeval_pack.translators.demo import run as demo
from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge
from mmeval_pack.translators.demo.model import Part, asked, digest, received
from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.lmms_eval import log
from mmeval_pack.translators.naming import TASKS_DIR
from mmeval_pack.translators.plan import find_task
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.vlmevalkit import predictions

pytestmark = [
    pytest.mark.vlmevalkit,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in ("vlmeval", "lmms_eval")),
        reason="lmms-eval and VLMEvalKit are not both installed",
    ),
]

ALL = "muirbench_mmeval,mathverse_mmeval,sat_mmeval"
FIGURES = ("accuracy", "unscored", "published", "breakdown")
Key = tuple[str, str]


class Side(NamedTuple):
    """What one framework made of the sample.

    Attributes:
        verdicts: score, stage, status, extraction and reason by task and row id.
        figures: by task.
        files: what ``mmeval-pack score`` can read.
    """

    verdicts: dict[Key, tuple[float | None, str, str, str, str]]
    figures: dict[str, dict[str, Any]]
    files: list[Path]


def verdict(record: Mapping[str, Any], score: Any) -> tuple[float | None, str, str, str, str]:
    """A verdict; a table cannot tell an empty text from none."""
    decided, status, extraction, reason = (
        record[name] or "" for name in ("decided_by", "status", "extraction", "reason")
    )
    return None if score in ("", None) else float(score), decided, status, extraction, reason


def lmms_eval(folder: Path, rows: Path, **env: str) -> Side:
    """All tasks under lmms-eval's own command line."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("MMEVAL_", "OPENAI_"))
    }
    command = [
        *(sys.executable, "-m", "lmms_eval", "--model", "replay", "--model_args", f"responses={TASKS_DIR}"),
        *("--tasks", ALL, "--batch_size", "1", "--log_samples", "--output_path", "out", "--timezone", "UTC"),
    ]
    given = {"MMEVAL_ROWS": str(rows), "HF_HUB_OFFLINE": "1", "MMEVAL_JUDGE": "off", **env}
    done = subprocess.run(
        command, env={**inherited, **given}, cwd=folder, capture_output=True, text=True, timeout=1200
    )
    files = sorted(folder.glob("out/**/*_samples_*.jsonl"))
    assert len(files) == 5, done.stderr[-3000:]
    details = [detail for file in files for detail in log.read(file)]
    (results,) = folder.glob("out/**/*_results.json")
    figures = {
        task: {name: found[f"{name},mm-eval"] for name in FIGURES}
        for task, found in json.loads(results.read_text())["results"].items()
        if "breakdown,mm-eval" in found
    }
    return Side(
        {(each["task"], each["id"]): verdict(each, each["score"]) for each in details}, figures, files
    )


def written(folder: Path, judge: str, samples: Mapping[str, Bundled]) -> Side:
    """What VLMEvalKit's run with the model replay left in a folder."""
    verdicts = {}
    for task in samples:
        for line in predictions.read(folder / f"replay_{task}_{judge}_result.tsv"):
            verdicts[task, json.loads(line["mmeval"])["id"]] = verdict(line, line["hit"])
    texts = {task: (folder / f"replay_{task}_mmeval.json").read_text() for task in samples}
    figures = {task: {name: json.loads(text)[name] for name in FIGURES} for task, text in texts.items()}
    return Side(verdicts, figures, [folder / f"replay_{task}.tsv" for task in samples])


class Both(NamedTuple):
    """The two sides of one comparison."""

    lmms_eval: Side
    vlmevalkit: Side
    folder: Path


@pytest.fixture(scope="module")
def without(replayed: Any, samples: Mapping[str, Bundled], rows_folder: Path, tmp_path_factory: Any) -> Both:
    """Without a judge."""
    side = lmms_eval(tmp_path_factory.mktemp("without"), rows_folder)
    folder = replayed.folder / "replay"
    return Both(side, written(folder, "exact_matching", samples), folder)


@pytest.fixture(scope="module")
def judged(
    replayed: Any,
    samples: Mapping[str, Bundled],
    rows_folder: Path,
    tmp_path_factory: Any,
    judge: RecordedJudge,
    judge_environment: Any,
    vlmevalkit: Callable[..., Any],
) -> Both:
    """With the recorded judge; VLMEvalKit only evaluates the predictions that are there, see --mode eval."""
    one, other = tmp_path_factory.mktemp("lmms-eval"), tmp_path_factory.mktemp("evaluated")
    (other / "out" / "replay").mkdir(parents=True)
    for task in samples:
        shutil.copy(replayed.folder / "replay" / f"replay_{task}.tsv", other / "out" / "replay")
    with Endpoint(judge) as endpoint:
        side = lmms_eval(one, rows_folder, **judge_environment(endpoint, one))
        arguments = ["--mode", "eval", "--model", "replay", "--data", *samples]
        done = vlmevalkit(other, *arguments, **judge_environment(endpoint, other))
    assert (done.returncode, judge.unknown) == (0, []), done.stderr[-3000:]
    return Both(side, written(other / "out" / "replay", MODEL, samples), other / "out" / "replay")


@pytest.fixture(params=["without", "judged"])
def both(request: pytest.FixtureRequest) -> Both:
    """Each of the two comparisons."""
    found: Both = request.getfixturevalue(request.param)
    return found


def test_every_sample_gets_the_same_verdict(both: Both, samples: Mapping[str, Bundled]) -> None:
    """Score, deciding stage, status, extraction and reason, of all rows of all five tasks."""
    assert both.vlmevalkit.verdicts == both.lmms_eval.verdicts
    assert len(both.lmms_eval.verdicts) == sum(len(sample.rows) for sample in samples.values())


def test_the_figures_are_the_same(both: Both) -> None:
    """Accuracy, unscored, published; and the breakdown but for the judge's stamp, which lmms-eval adds."""
    theirs = {
        task: {**figures, "breakdown": figures["breakdown"]["groups"]}
        for task, figures in both.lmms_eval.figures.items()
    }
    ours = {
        task: {**figures, "breakdown": figures["breakdown"]["groups"]}
        for task, figures in both.vlmevalkit.figures.items()
    }
    assert ours == theirs
    for task, figures in ours.items():
        with (both.folder / f"replay_{task}_acc.csv").open(newline="") as stream:
            (line,) = csv.DictReader(stream)
        assert float(line["Overall"]) == figures["accuracy"]


def test_a_judge_decides_what_rules_leave_open(without: Both, judged: Both) -> None:
    """So the comparison with a judge is not that without one."""
    opened = {key for key, each in without.lmms_eval.verdicts.items() if each[4] == "no_judge"}
    decided = {key for key, each in judged.vlmevalkit.verdicts.items() if each[1] == "llm-judge"}
    assert len(decided) > 10
    assert decided < opened
    closed = without.vlmevalkit.verdicts.keys() - opened
    assert {key: without.vlmevalkit.verdicts[key] for key in closed} == {
        key: judged.vlmevalkit.verdicts[key] for key in closed
    }


def test_score_gives_the_verdicts_of_the_run(
    without: Both, samples: Mapping[str, Bundled], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From predictions of the one and samples of the other; what it writes is what replay reads."""
    responses = {
        (task, name): text for task, sample in samples.items() for name, text in sample.responses.items()
    }
    monkeypatch.setenv("MMEVAL_JUDGE", "off")
    for side in (without.lmms_eval, without.vlmevalkit):
        out = tmp_path / "out.jsonl"
        assert main(["score", *map(str, side.files), "--out", str(out), "--quiet"]) == 3
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        assert {(each["task"], each["id"]): verdict(each, each["score"]) for each in lines} == side.verdicts
        assert recorded.load([out]) == responses


@pytest.fixture(scope="module")
def sent_by_lmms_eval(
    samples: Mapping[str, Bundled], tmp_path_factory: pytest.TempPathFactory
) -> dict[Key, list[Part]]:
    """What lmms-eval's chat model asked the endpoint of `mmeval-pack demo`, by task and row id."""
    known = {
        digest(asked(row, prompt)): (sample.task, row["id"])
        for sample in samples.values()
        for prompt in [Prompt(find_task(TASKS_DIR, sample.task).prompt_template)]
        for row in sample.rows
    }
    out = tmp_path_factory.mktemp("demo")
    demo.run(TASKS_DIR, out)
    bodies = (json.loads(line)["body"] for line in (out / demo.REQUESTS).read_text().splitlines())
    parts = [[*received(body)] for body in bodies if body["model"] != MODEL]
    return {known[digest(each)]: each for each in parts}


def pairs(one: Mapping[Key, list[Part]], other: Mapping[Key, list[Part]]) -> Iterator[tuple[Part, Part]]:
    """The parts that stand in the same place on both wires."""
    for key, parts in one.items():
        yield from zip(parts, other[key], strict=True)


def as_jpeg(image: Image.Image) -> Image.Image:
    """What VLMEvalKit's encoding makes of an image."""
    buffer = BytesIO()
    image.convert("RGB").save(buffer, "JPEG")
    return Image.open(buffer)


def test_the_same_goes_over_the_wire(
    sent_by_lmms_eval: dict[Key, list[Part]], replayed: Any, samples: Mapping[str, Bundled]
) -> None:
    """Part by part: equal texts; images of equal size, whose pixels differ by the losses of JPEG alone."""
    assert len(sent_by_lmms_eval) == sum(len(sample.rows) for sample in samples.values())
    assert sent_by_lmms_eval.keys() == replayed.asked.keys()
    images = 0
    for one, other in pairs(sent_by_lmms_eval, replayed.asked):
        if isinstance(one, Image.Image) and isinstance(other, Image.Image):
            assert (one.format, other.format) == ("PNG", "JPEG")
            assert one.size == other.size
            assert other.tobytes() == as_jpeg(one).tobytes()
            difference = ImageChops.difference(one.convert("RGB"), other)
            assert fmean(ImageStat.Stat(difference).mean) < 10  # of 255; the drawings are small and sharp
            images += 1
        else:
            assert one == other
    assert images == sum(len(row["media"]) for sample in samples.values() for row in sample.rows)
