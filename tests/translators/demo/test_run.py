"""The demo through the real lmms-eval: what was asked, what came out, and what it says."""

import base64
import hashlib
import json
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmeval_pack.translators.demo.drawing import draw

pytestmark = pytest.mark.harness

TASKS = Path(__file__).resolve().parents[3] / "tasks"
ROWS = {
    task: rows
    for path in TASKS.glob("*/sample/rows.json")
    for task, rows in json.loads(path.read_text(encoding="utf-8")).items()
}
METRICS = ("accuracy", "unscored", "published", "breakdown")
Parts = tuple[tuple[str, ...], ...]


def shown(image: Image.Image) -> tuple[str, ...]:
    """An image by its mode and pixels."""
    return ("image", image.mode, hashlib.sha256(image.tobytes()).hexdigest())


def received(body: dict[str, Any]) -> Parts:
    """What arrived: texts as they are, images by the mode and pixels of their PNG."""
    (message,) = body["messages"]
    assert message["role"] == "user"
    parts = []
    for part in message["content"]:
        if part["type"] == "text":
            parts.append(("text", part["text"]))
        else:
            head, _, data = part["image_url"]["url"].partition(",")
            assert (part["type"], head) == ("image_url", "data:image/png;base64")
            parts.append(shown(Image.open(BytesIO(base64.b64decode(data)))))
    return tuple(parts)


def expected(task: str, row: dict[str, Any]) -> Parts:
    """What should arrive, written down here task by task and not by the pack's own prompts."""
    message = row["message"]
    images = [shown(draw(lines).convert("RGB")) for lines in row["images"]]
    if task.startswith("sat"):
        choices = ", or ".join(message["choices"])
        question = f"{message['question']} Choose between the following options: {choices}."
        return (*images, ("text", question))
    if task.startswith("mathverse"):
        return (*images, ("text", message["question"]))
    texts = [("text", text) for text in message["question"].split("<image>")]
    mixed = [part for pair in zip(texts, [*images, ("text", "")], strict=True) for part in pair]
    return tuple(part for part in mixed if part != ("text", ""))


@pytest.fixture(scope="session")
def bodies(demo: Any) -> list[dict[str, Any]]:
    """The bodies of all requests to the model, in the order of arrival."""
    lines = (demo.out / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    return [body for body in (json.loads(line)["body"] for line in lines) if body["model"] == "recorded"]


@pytest.fixture(scope="session")
def stages(demo: Any) -> Counter[str]:
    """How often each stage of the judge was asked."""
    lines = (demo.out / "requests.jsonl").read_text(encoding="utf-8").splitlines()
    requests = [json.loads(line) for line in lines]
    judged = [request for request in requests if request["body"]["model"] == "recorded-judge"]
    return Counter(request["headers"]["x-mmeval-stage"] for request in judged)


@pytest.fixture(scope="session")
def results(demo: Any) -> dict[str, dict[str, Any]]:
    """lmms-eval's results by task."""
    (path,) = (demo.out / "results").rglob("*_results.json")
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["results"]
    return found


def test_the_demo_ends_well(demo: Any) -> None:
    """Exit code 0 in spite of all the foreign settings, and one message on stderr."""
    assert demo.code == 0, demo.stderr
    assert demo.stderr == "running lmms-eval on the bundled sample; this takes half a minute to two minutes\n"


@pytest.mark.parametrize("task", ROWS)
def test_every_row_is_asked_as_published(task: str, bodies: list[dict[str, Any]]) -> None:
    """Texts and images in the order of the tokens, every image RGB and in its place, and no token left."""
    wanted = [expected(task, row) for row in ROWS[task]]
    arrived = {received(body) for body in bodies}
    assert [parts for parts in wanted if parts not in arrived] == []
    assert not any("<image>" in part[1] for parts in wanted for part in parts)
    if task == "mathverse_testmini_text_only_mmeval":
        assert {tuple(part[0] for part in parts) for parts in wanted} == {("text",)}
    if task.startswith("sat"):
        assert {parts[-1][0] for parts in wanted} == {"text"}
        assert {part[0] for parts in wanted for part in parts[:-1]} == {"image"}


def test_nothing_else_is_asked(bodies: list[dict[str, Any]]) -> None:
    """One request a row, no row twice, with the published generation settings."""
    assert len(bodies) == len({received(body) for body in bodies}) == sum(map(len, ROWS.values()))
    assert {(body["model"], body["temperature"], body["max_tokens"]) for body in bodies} == {
        ("recorded", 0, 16384)
    }


def test_every_task_has_its_metrics(results: dict[str, dict[str, Any]]) -> None:
    """All five, and the recorded responses make no accuracy 0 or 1."""
    assert sorted(results) == sorted(ROWS)
    for task, found in results.items():
        assert found.keys() >= {f"{name},mm-eval" for name in METRICS}, task
        assert 0 < found["accuracy,mm-eval"] < 1, task
        assert 0 < found["published,mm-eval"] < 1, task


def test_samples_join_to_rows_and_responses(demo: Any) -> None:
    """Each sample logs the recorded response of its own row, untouched, whatever the order of arrival."""
    for task, rows in ROWS.items():
        (path,) = (demo.out / "results").rglob(f"*_samples_{task}.jsonl")
        details = [json.loads(line)["detail"] for line in path.read_text(encoding="utf-8").splitlines()]
        recorded = next(TASKS.glob(f"*/sample/{task}.responses.jsonl")).read_text(encoding="utf-8")
        wanted = {(row["id"], row["response"]) for row in map(json.loads, recorded.splitlines())}
        assert {(detail["id"], detail["response"]) for detail in details} == wanted
        assert len(details) == len(rows)


def test_verdicts_of_hard_rows(demo: Any) -> None:
    """Status, reason and score where a careless scorer goes wrong."""
    verdicts = {}
    for path in (demo.out / "results").rglob("*_samples_*.jsonl"):
        for detail in (json.loads(line)["detail"] for line in path.read_text(encoding="utf-8").splitlines()):
            key = (detail["task"].removesuffix("_mmeval"), detail["id"])
            verdicts[key] = (detail["status"], detail["score"], detail["reason"])
    assert verdicts["muirbench", "mb-10"] == ("ok", 0.0, "reasoning_unclosed")
    assert verdicts["muirbench", "mb-03"] == ("ok", 1.0, None)
    assert verdicts["sat_real", "real-3"] == ("ok", 1.0, None)
    assert verdicts["sat_real", "real-4"] == ("ok", 0.0, None)
    assert verdicts["sat_synthetic", "syn-0010"] == ("invalid", 0.0, "missing_answer")
    assert verdicts["mathverse_testmini", "7"] == ("ok", 1.0, None)
    assert verdicts["mathverse_testmini", "14"] == ("ok", 0.0, None)
    assert verdicts["mathverse_testmini", "19"] == ("unscored", None, "judge_failed")
    assert verdicts["mathverse_testmini_text_only", "7"] == ("ok", 0.0, None)
    assert verdicts["mathverse_testmini_text_only", "12"] == ("unscored", None, "judge_unparseable")


def test_the_judge_is_asked_no_more_than_it_takes(stages: Counter[str]) -> None:
    """A probe for all tasks; one extraction for each of 15 rows, of which two ask the same.

    The one extraction that the rules accept needs no score; one score fails twice, one is asked four times.
    """
    assert stages == {"judge": 1, "extract": 14, "score": 18}


def test_the_output_tells_what_happened(demo: Any) -> None:
    """lmms-eval's table, the groups, what is unscored and why, and where the files are."""
    assert all(re.search(rf"(?m)^{task} +mm-eval .* accuracy ", demo.stdout) for task in ROWS)
    assert "\nmuirbench_mmeval: 16 rows: 16 graded, 0 invalid, 0 unscored\n" in demo.stdout
    assert "\nsat_synthetic_mmeval: 14 rows: 13 graded, 1 invalid, 0 unscored\n" in demo.stdout
    assert "  task = Counting: " in demo.stdout
    assert "  problem_version = Vision Only: " in demo.stdout
    assert "  subject/subfield = Plane Geometry/Angle: " in demo.stdout
    assert "  1 invalid, missing_answer (the row has no answer): id syn-0010\n" in demo.stdout
    assert "\n  1 unscored, judge_failed (the judge gave no reply): id 19\n" in demo.stdout
    assert (
        "\n  1 unscored, judge_unparseable (no reply of the judge was a verdict on offer): id 12\n"
        in demo.stdout
    )
    assert re.search(
        r"\njudge calls: extract \d+, score \d+, and 1 before them to see that it answers\n", demo.stdout
    )
    assert "\nrequests: out/requests.jsonl\nlmms-eval's log: out/lmms-eval.log\n" in demo.stdout
    (folder,) = re.findall(r"\nresults and samples: (.*)\n", demo.stdout)
    assert list((demo.out.parent / folder).glob("*_results.json"))


def test_nothing_foreign_is_written(demo: Any) -> None:
    """The folder holds what the help names, and no secret of the caller's is in it."""
    assert {path.name for path in demo.out.iterdir()} == {
        *(".mmeval-demo", "rows", "requests.jsonl", "judge", "lmms-eval.log", "results"),
    }
    texts = [path.read_bytes() for path in demo.out.rglob("*") if path.is_file()]
    assert not any(b"poison" in text for text in texts)
