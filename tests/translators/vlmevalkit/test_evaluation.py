"""From a prediction file to verdicts and files, without VLMEvalKit."""

from __future__ import annotations

import csv
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, completion, failure
from mmeval_pack.translators.demo.faults import Dropped, Raw, refusal
from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.vlmevalkit import predictions
from mmeval_pack.translators.vlmevalkit.adapter import Bound
from mmeval_pack.translators.vlmevalkit.evaluation import evaluate

TEXT_ONLY = "mathverse_testmini_text_only_mmeval"
TASKS = (
    "muirbench_mmeval",
    "mathverse_testmini_mmeval",
    TEXT_ONLY,
    "sat_real_mmeval",
    "sat_synthetic_mmeval",
)
Line = dict[str, Any]


def predicted(made: Bound, sample: Bundled, folder: Path, layout: str = "tsv") -> Path:
    """The prediction file that VLMEvalKit writes for the recorded responses."""
    columns = made.columns()
    lines = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    for line, row in zip(lines, sample.rows, strict=True):
        line["prediction"] = sample.responses[row["id"]]
    path = folder / f"model_{made.name}.{layout}"
    predictions.write(path, lines)
    return path


def verdict(line: Mapping[str, Any]) -> dict[str, Any]:
    """What a line of a result file says, with the types of a verdict."""
    hit = None if line["hit"] == "" else float(line["hit"])
    whole = None if hit is None else int(hit >= 1)
    texts = {name: line[name] or None for name in ("decided_by", "status", "extraction", "reason")}
    return {"score": hit, "is_correct": whole, **texts}


def results(path: Path, judge: str = "exact_matching", kind: str = "result") -> dict[str, Line]:
    """The lines of a result file by row id."""
    file = path.with_name(f"{path.stem}_{judge}_{kind}{path.suffix}")
    return {json.loads(line["mmeval"])["id"]: line for line in predictions.read(file)}


@pytest.mark.usefixtures("without_judge")
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("layout", ["tsv", "xlsx", "json"])
def test_the_verdicts_are_those_of_lmms_eval(
    task: str,
    layout: str,
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    lmms_eval_side: Any,
) -> None:
    """Per sample, in each format; so are the figures."""
    made = bound(task)
    path = predicted(made, samples[task], tmp_path, layout)
    evaluate(made, path, {})
    found = results(path)
    if layout != "json":
        theirs = {
            name: {**each, "extraction": each["extraction"] or None}
            for name, each in lmms_eval_side(samples[task]).items()
        }
        assert {name: verdict(line) for name, line in found.items()} == theirs
    graded = [line["hit"] for line in found.values() if line["status"] == "ok"]
    with path.with_name(f"{path.stem}_acc.csv").open(newline="") as stream:
        (accuracy,) = csv.DictReader(stream)
    assert float(accuracy["Overall"]) == pytest.approx(sum(map(float, graded)) / len(graded))
    figures = json.loads(path.with_name(f"{path.stem}_mmeval.json").read_text())
    assert figures["accuracy"] == float(accuracy["Overall"])
    assert figures["task"] == task
    assert set(figures["vlmevalkit"]) == {"name", "version"}


@pytest.mark.usefixtures("without_judge")
def test_the_files_of_mathverse(
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Extract and score columns; without a judge the score is empty, not False."""
    made = bound(TEXT_ONLY)
    path = predicted(made, samples[TEXT_ONLY], tmp_path)
    line = evaluate(made, path, {"model": "exact_matching"})
    assert (line["split"], line["unscored"], line["published"]) == ("none", 6 / 12, 5 / 12)
    assert line["Text Only"] == line["Overall"] == 5 / 6
    assert capsys.readouterr().err.startswith(
        "mmeval-pack: warning: 6 samples need a judge, and none is configured;"
    )
    score = results(path, kind="score")
    assert {each["score"] for each in score.values()} == {"True", "False", ""}
    assert sum(each["score"] == "" for each in score.values()) == 6
    assert {each["log_score"] for each in score.values() if each["score"] == ""} == {"unscored, no_judge"}
    assert all("extract" in each for each in results(path, kind="extract").values())
    with path.with_name(f"{path.stem}_exact_matching_score.csv").open(newline="") as stream:
        (percent,) = csv.DictReader(stream)
    assert (percent["split"], float(percent["Overall"])) == ("Text Only", pytest.approx(100 * 5 / 6))
    hits = pickle.loads(path.with_name(f"{path.stem}_exact_matching_result.pkl").read_bytes())
    assert {each["hit"] for each in hits.values()} == {1, 0, None}
    assert {each["log"] for each in hits.values() if each["hit"] is None} == {"Match Log: unscored, no_judge"}


@pytest.mark.parametrize("task", ["mathverse_testmini_mmeval", TEXT_ONLY])
def test_a_judge_gives_the_verdicts_of_lmms_eval(
    task: str,
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    lmms_eval_side: Any,
    recorded_judge: Endpoint,
    judge_environment: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Through the same endpoint; each question is asked once, and a second evaluation asks nothing."""
    for name, value in judge_environment(recorded_judge, tmp_path).items():
        monkeypatch.setenv(name, value)
    made = bound(task)
    path = predicted(made, samples[task], tmp_path)
    evaluate(made, path, {})
    asked = len(recorded_judge.requests)
    assert asked > 1
    theirs = lmms_eval_side(samples[task])
    found = {name: verdict(line) for name, line in results(path, "recorded-judge").items()}
    assert found == {
        name: {**each, "extraction": each["extraction"] or None} for name, each in theirs.items()
    }
    settled = {name for name, each in found.items() if each["status"] == "ok"}
    before = len(recorded_judge.requests)
    evaluate(made, path, {})
    again = {name: verdict(line) for name, line in results(path, "recorded-judge").items()}
    assert {name: again[name] for name in settled} == {name: found[name] for name in settled}
    # One row of the other task has a recorded failure, and failures are asked about again.
    assert len(recorded_judge.requests) - before == (0 if task == TEXT_ONLY else 1)


FAULTS: dict[str, tuple[Reply, str]] = {
    "broken": (failure(500, "out of memory"), "judge_failed"),
    "missing": (failure(404, "no such model"), "judge_failed"),
    "dropped": (Dropped(), "judge_failed"),
    "garbage": (Raw(b"\x00<html>"), "judge_failed"),
    "refused": (refusal("I must not judge."), "judge_failed"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_judge_that_fails_leaves_samples_unscored(
    fault: str,
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    judge_environment: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not False, and not a guess."""
    reply, reason = FAULTS[fault]
    made = bound(TEXT_ONLY)
    path = predicted(made, samples[TEXT_ONLY], tmp_path)
    with Endpoint(lambda _: reply) as endpoint:
        for name, value in judge_environment(endpoint, tmp_path).items():
            monkeypatch.setenv(name, value)
        line = evaluate(made, path, {})
    assert (line["Overall"], line["unscored"]) == (5 / 6, 6 / 12)
    unscored = [each for each in results(path, "recorded-judge").values() if each["status"] == "unscored"]
    assert {(each["hit"], each["reason"]) for each in unscored} == {("", reason)}


def test_replies_that_are_no_verdict_leave_samples_unscored(
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    judge_environment: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a bounded number of questions; VLMEvalKit's own scorer would say False."""
    made = bound(TEXT_ONLY)
    path = predicted(made, samples[TEXT_ONLY], tmp_path)
    with Endpoint(lambda _: completion("Well, 0 or 1.")) as endpoint:
        for name, value in judge_environment(endpoint, tmp_path).items():
            monkeypatch.setenv(name, value)
        evaluate(made, path, {})
    reasons = {each["reason"] for each in results(path, "recorded-judge").values() if each["hit"] == ""}
    assert reasons == {"judge_unparseable"}


def test_options_of_vlmevalkit_name_the_judge(
    bound: Callable[..., Bound],
    samples: Mapping[str, Bundled],
    tmp_path: Path,
    recorded_judge: Endpoint,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They go before the environment; the full path of its api_base is understood."""
    monkeypatch.setenv("MMEVAL_JUDGE_MODEL", "other")
    monkeypatch.setenv("MMEVAL_JUDGE_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", str(tmp_path / "judge.sqlite"))
    made = bound(TEXT_ONLY)
    path = predicted(made, samples[TEXT_ONLY], tmp_path)
    evaluate(
        made,
        path,
        {"model": "a/judge", "api_base": f"{recorded_judge.base_url}/chat/completions", "nproc": 4},
    )
    assert {request.body["model"] for request in recorded_judge.requests} == {"a/judge"}
    assert any(each["decided_by"] == "llm-judge" for each in results(path, "a-judge").values())


@pytest.mark.usefixtures("without_judge")
def test_predictions_of_other_rows_are_refused(bound: Callable[..., Bound], tmp_path: Path) -> None:
    """By index."""
    predictions.write(tmp_path / "p.tsv", [{"index": "mb-99", "prediction": "A"}])
    with pytest.raises(InputError) as caught:
        evaluate(bound("muirbench_mmeval"), tmp_path / "p.tsv", {})
    assert str(caught.value) == (
        "task muirbench_mmeval: no row has the index 'mb-99'; these predictions are of other rows"
    )


@pytest.mark.usefixtures("without_judge")
def test_a_cut_response_is_told(
    bound: Callable[..., Bound], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Xlsx cuts; the format is the user's choice."""
    predictions.write(tmp_path / "p.xlsx", [{"index": "mb-01", "prediction": "x" * 40_000}])
    evaluate(bound("muirbench_mmeval"), tmp_path / "p.xlsx", {})
    assert capsys.readouterr().err == (
        f"mmeval-pack: warning: {tmp_path}/p.xlsx: xlsx cuts responses at 32767 characters: index mb-01; set "
        "PRED_FORMAT=tsv\n"
    )
