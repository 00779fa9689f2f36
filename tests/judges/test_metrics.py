"""Records, means, breakdown, intervals and the running tally."""

import json
import math
import random
import statistics
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.metrics import Tally, breakdown, interval, mean, records
from mmeval_pack.judges.records import Score

RIGHT = Score(1.0, 1, "exact-match", "ok", "A", None)
WRONG = Score(0.0, 0, None, "ok", None, None)
UNCLOSED = Score(0.0, 0, None, "ok", None, "reasoning_unclosed")
INVALID = Score(0.0, 0, None, "invalid", None, "missing_answer")
UNSCORED = Score(None, None, None, "unscored", None, "no_judge")
MIXED = [RIGHT, RIGHT, UNCLOSED, INVALID, UNSCORED]

ROWS = [234, 164, 84, 464, 64, 186, 340, 78, 398, 100, 196, 292]
MUIRBENCH = {
    "GPT-4o": ([115, 73, 31, 403, 15, 133, 205, 40, 353, 56, 110, 234], 68.00, 58.74),
    "GPT-4-Turbo": ([99, 65, 45, 373, 23, 110, 206, 41, 315, 57, 99, 187], 62.31, 56.24),
    "Gemini Pro": ([67, 59, 24, 309, 8, 110, 154, 37, 258, 48, 81, 128], 49.35, 43.51),
    "Human": ([222, 160, 72, 440, 56, 176, 316, 64, 394, 98, 172, 252], 93.15, 91.76),
}


def graded(value: float) -> Score:
    """A sample that a fractional stage graded."""
    return Score(value, int(value == 1), "anls", "ok", None, None)


SCORES = st.sampled_from(MIXED) | st.floats(0, 1).map(graded)


def test_a_graded_sample_counts_everywhere() -> None:
    """Its score stands in the headline, the published figure and the breakdown."""
    assert records(RIGHT, {"topic": "maps"}) == {
        "accuracy": {"score": 1.0},
        "unscored": {"score": 0.0},
        "published": {"score": 1.0},
        "breakdown": {"groups": {"topic": "maps"}, "stage": RIGHT.decided_by, "reason": None, "value": 1.0},
    }


@pytest.mark.parametrize(("score", "share"), [(INVALID, 0.0), (UNSCORED, 1.0)])
def test_a_sample_without_a_grade_counts_as_wrong_in_published_only(score: Score, share: float) -> None:
    """Its headline record has no score, and says why."""
    assert records(score, {}, "mean_score") == {
        "mean_score": {"status": score.status},
        "unscored": {"score": share},
        "published": {"score": 0.0},
        "breakdown": {"groups": {}, "stage": "undecided", "reason": score.reason},
    }


@given(SCORES)
@settings(deadline=None)
def test_records_are_plain_json_and_never_none_as_score(score: Score) -> None:
    """A score that is not a float ends lmms-eval's run; a shared record mixes two metrics' errors."""
    own = records(score, {"topic": "maps"})
    assert json.loads(json.dumps(own)) == own
    assert all(type(record.get("score", 0.0)) is float for record in own.values())
    assert len({id(record) for record in own.values()}) == len(own)
    assert "score" not in own["breakdown"]


def test_means_of_a_mixed_run() -> None:
    """Invalid and unscored samples are out of the headline, and wrong in the published figure."""
    own = [records(score, {}) for score in MIXED]
    assert {name: mean(record[name] for record in own) for name in ("accuracy", "unscored", "published")} == {
        "accuracy": 2 / 3,
        "unscored": 1 / 5,
        "published": 2 / 5,
    }


def test_nothing_that_counts_has_no_mean() -> None:
    """None, which lmms-eval prints as N/A; never 0."""
    assert mean([]) is None
    assert mean([records(UNSCORED, {})["accuracy"]] * 2) is None


def test_breakdown_of_a_mixed_run() -> None:
    """Values without a graded sample are shown, and left out of the macro mean."""
    groups = [
        {"topic": "maps", "a/b": "x/1"},
        {"topic": "maps"},
        {"topic": "art"},
        {"topic": "art"},
        {"topic": "none"},
    ]
    own = [records(score, group)["breakdown"] for score, group in zip(MIXED, groups, strict=True)]
    assert breakdown(own) == {
        "groups": {
            "a/b": {"x/1": {"n": 1, "accuracy": 1.0}},
            "topic": {
                "art": {"n": 1, "accuracy": 0.0},
                "maps": {"n": 2, "accuracy": 1.0},
                "none": {"n": 0, "accuracy": None},
            },
        },
        "n": 3,
        "micro": 2 / 3,
        "macro": {"a/b": 1.0, "topic": 0.5},
        "reasons": {"missing_answer": 1, "no_judge": 1, "reasoning_unclosed": 1},
    }


def test_breakdown_of_nothing() -> None:
    """No sample, no figure."""
    assert breakdown([]) == {"groups": {}, "n": 0, "micro": None, "macro": {}, "reasons": {}}
    unscored = breakdown([records(UNSCORED, {"topic": "maps"})["breakdown"]])
    assert unscored["macro"] == {"topic": None}


@given(st.lists(st.tuples(SCORES, st.sampled_from("abc"))), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_figures_do_not_depend_on_the_order(
    samples: list[tuple[Score, str]], shuffler: random.Random
) -> None:
    """Ranks deliver their samples in turns; the bytes of the result stay the same."""
    own = [records(score, {"topic": topic}) for score, topic in samples]
    shuffled = own[:]
    shuffler.shuffle(shuffled)
    for name, figure in (("accuracy", mean), ("published", mean), ("breakdown", breakdown)):
        first, second = (json.dumps(figure([r[name] for r in rs])) for rs in (own, shuffled))
        assert first == second


@pytest.mark.parametrize("model", MUIRBENCH)
def test_the_published_figures_of_muirbench(model: str) -> None:
    """Right answers per task give the overall figures of https://arxiv.org/abs/2406.09411."""
    right, micro, macro = MUIRBENCH[model]
    own = [
        records(score, {"task": f"task {index}"})
        for index, (correct, rows) in enumerate(zip(right, ROWS, strict=True))
        for score in [RIGHT] * correct + [WRONG] * (rows - correct)
    ]
    result = breakdown([record["breakdown"] for record in own])
    accuracy = mean([record["accuracy"] for record in own])
    assert accuracy == result["micro"] == sum(right) / 2600
    assert round(100 * accuracy, 2) == micro
    assert round(100 * result["macro"]["task"], 2) == macro


@pytest.mark.parametrize(
    ("correct", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
        (29, 29, 0.8830, 1.0),
    ],
)
def test_wilson_intervals(correct: int, n: int, low: float, high: float) -> None:
    """Published examples, https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8%3C857::AID-SIM777%3E3.0.CO;2-E."""
    bounds = interval([1.0] * correct + [0.0] * (n - correct))
    assert bounds == pytest.approx((low, high), abs=5e-5)


def test_fractional_scores_have_the_normal_interval() -> None:
    """Mean plus and minus 1.96 standard errors, inside 0 and 1."""
    scores = [0.25, 0.5, 1.0, 0.75, 0.5]
    half = 1.959964 * statistics.stdev(scores) / math.sqrt(5)
    assert interval(scores) == pytest.approx((0.6 - half, 0.6 + half), abs=1e-6)
    assert interval([0.9, 0.95, 1.0, 0.5]) == pytest.approx((0.8375 - 0.22444, 1.0), abs=1e-3)


def test_intervals_without_information() -> None:
    """No score, no interval; one fraction, all of it."""
    assert interval([]) is None
    assert interval([0.4]) == (0.0, 1.0)


@given(st.lists(st.floats(0, 1), min_size=1))
@settings(deadline=None)
def test_an_interval_holds_the_mean(scores: list[float]) -> None:
    """And stays inside 0 and 1."""
    bounds = interval(scores)
    assert bounds is not None
    average = math.fsum(scores) / len(scores)
    assert 0 <= bounds[0] <= average + 1e-12
    assert average - 1e-12 <= bounds[1] <= 1


def tally_of(scores: list[Score]) -> Tally:
    """All of them, added one by one."""
    tally = Tally()
    for score in scores:
        tally.add(score)
    return tally


def test_tally_of_a_mixed_run() -> None:
    """Counts by status, stage and reason, and the same figures as the records give."""
    tally = tally_of([*MIXED, graded(0.5)])
    assert tally.status == {"ok": 4, "invalid": 1, "unscored": 1}
    assert tally.stage == {"exact-match": 2, "anls": 1, "undecided": 3}
    assert tally.reason == {"reasoning_unclosed": 1, "missing_answer": 1, "no_judge": 1}
    assert (tally.samples, tally.mean, tally.published, tally.unscored) == (6, 2.5 / 4, 2.5 / 6, 1 / 6)
    assert tally.interval == interval([1.0, 1.0, 0.0, 0.5])
    assert (tally.full, tally.parts, tally.wrong) == (2, 1, 1)


def test_an_empty_tally_has_no_figures() -> None:
    """None, never 0."""
    tally = Tally()
    assert (tally.samples, tally.mean, tally.published, tally.unscored, tally.interval) == (
        0,
        None,
        None,
        None,
        None,
    )


@given(st.lists(SCORES), st.integers(1, 4))
@settings(deadline=None)
def test_shards_merge_to_the_figures_of_one_pass(scores: list[Score], shards: int) -> None:
    """Exactly, and equal to the means over the records."""
    merged = Tally()
    for shard in range(shards):
        merged.merge(tally_of(scores[shard::shards]))
    whole = tally_of(scores)
    own = [records(score, {}) for score in scores]
    assert merged == whole
    assert merged.mean == mean(record["accuracy"] for record in own)
    assert merged.published == mean(record["published"] for record in own)
    assert merged.unscored == mean(record["unscored"] for record in own)


@pytest.mark.harness
def test_lmms_eval_aggregates_these_records() -> None:
    """Its standard errors cover the samples that count, and none stands beside the breakdown."""
    evaluator = pytest.importorskip("lmms_eval.evaluator_utils")
    figures: dict[str, Callable[..., Any]] = {
        "accuracy": mean,
        "unscored": mean,
        "published": mean,
        "breakdown": breakdown,
    }
    output = evaluator.TaskOutput(
        task=SimpleNamespace(aggregation=lambda: figures), task_name="t", task_config={}
    )
    for score in MIXED:
        for name, record in records(score, {"topic": "maps"}).items():
            output.sample_metrics[name, "mm-eval"].append(record)
    output.calculate_aggregate_metric()
    output.calculate_clt_aggregate_metric()
    result = output.agg_metrics
    assert result["accuracy,mm-eval"] == 2 / 3
    assert result["accuracy_stderr_clt,mm-eval"] == pytest.approx(statistics.stdev([1, 1, 0]) / math.sqrt(3))
    assert result["published_stderr_clt,mm-eval"] == pytest.approx(
        statistics.stdev([1, 1, 0, 0, 0]) / math.sqrt(5)
    )
    assert result["breakdown,mm-eval"]["micro"] == 2 / 3
    assert result["breakdown_stderr_clt,mm-eval"] == "N/A"
