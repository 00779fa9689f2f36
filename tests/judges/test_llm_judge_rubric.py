"""Rubrics: which replies are a verdict, and what score they give."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.llm_judge_rubric import RUBRICS, Rubric, read_value, rubric_of
from mmeval_pack.judges.params import Params, PipelineError
from mmeval_pack.judges.prompt_file import own


def rubric(name: str | None, scale: Any = None) -> Rubric:
    """A rubric by its name."""
    return rubric_of(Params.declared({"rubric": name, "scale": scale}))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ("1", "1"),
        (" **0.5** \n", "0.5"),
        ("3 (mostly right)", "3"),
        ("(3)", "3"),
        ("Not attempted.", "Not attempted"),
        ("correct\nThe response says so.", "correct"),
        ("4\n\nThe answer misses 2 of 6 parts.", "4"),
        ("It misses a part.\nJudgement: 0.5", "0.5"),
        ("Score: 2, no: score is 3", "3"),
        ("**Judgment:** incorrect", "incorrect"),
        ("**Judgment:**\nincorrect\nIt says 3.", "incorrect"),
        ('{"score": 3, "reason": "10 of 12"}', "3"),
        ('```json\n{"verdict": "correct"}\n```', "correct"),
        ('{"score": 3, "verdict": 4}', None),
        ("<think>score: 1</think>5", "5"),
        ("<think>score: 1", None),
        ("", None),
        (".", None),
    ],
)
def test_the_place_of_a_verdict(reply: str, value: str | None) -> None:
    """The text there, whatever is on offer."""
    assert read_value(reply) == value


@pytest.mark.parametrize(
    ("name", "reply", "score"),
    [
        (None, "1", 1.0),
        ("binary", "Judgement: 0", 0.0),
        ("binary", "0.5", None),
        ("partial_credit", "0", 0.0),
        ("partial_credit", "0.50", 0.5),
        ("partial_credit", ".5", 0.5),
        ("partial_credit", "1.0", 1.0),
        ("partial_credit", "0.25", None),
        ("partial_credit", "1/2", None),
        ("partial_credit", "half", None),
        ("partial_credit", "-0.5", None),
        ("three_way", "correct", 1.0),
        ("three_way", "**Incorrect.**", 0.0),
        ("three_way", "not attempted", 0.0),
        ("three_way", "NOT_ATTEMPTED", 0.0),
        ("three_way", "Judgement: not-attempted", 0.0),
        ("three_way", "not correct", None),
        ("three_way", "correct or incorrect", None),
        ("three_way", "1", None),
    ],
)
def test_a_verdict_and_its_score(name: str | None, reply: str, score: float | None) -> None:
    """Only what was offered is a verdict."""
    assert rubric(name).read(reply) == score


@pytest.mark.parametrize(
    ("scale", "reply", "score"),
    [
        ([1, 5], "1", 0.0),
        ([1, 5], "5", 1.0),
        ([1, 5], "2", 0.25),
        ([1, 5], "Score: 4/5", 0.75),
        ([0, 10], "7/10", 0.7),
        ([0, 10], "7/5", None),
        ([0, 10], "+7.5", 0.75),
        ([-1, 1], "-1", 0.0),
        ([0.0, 1.0], "0.25", 0.25),
        ([1, 5], "0", None),
        ([1, 5], "5.01", None),
        ([1, 5], "-3", None),
        ([1, 5], "three", None),
        ([1, 5], "3 or 4", None),
        ([1, 5], "nan", None),
        ([1, 5], "inf", None),
        ([1, 5], "1e0", None),
        ([1, 5], "３", None),
        ([1, 5], "9" * 5000, None),
    ],
)
def test_a_mark_and_its_place_on_the_scale(scale: list[float], reply: str, score: float | None) -> None:
    """A mark outside the scale is no verdict."""
    assert rubric("scale", scale).read(reply) == score


@pytest.mark.parametrize("name", RUBRICS)
def test_each_rubric_has_its_prompt(name: str) -> None:
    """With the slots that the stage fills and the rubric's own."""
    found = rubric(name, [1, 5])
    slots = {"question", "context", "references", "response"}
    assert own(found.prompt).slots == slots | found.constants.keys()


@pytest.mark.parametrize("name", RUBRICS)
@given(reply=st.text(alphabet="01.5/{}\"':()judgementscore correct\n<>think*-", max_size=60))
def test_a_score_is_between_0_and_1_or_none(name: str, reply: str) -> None:
    """Whatever the judge writes."""
    score = rubric(name, [1, 5]).read(reply)
    assert score is None or 0 <= score <= 1


def test_hostile_replies_cost_little() -> None:
    """Long runs are read in linear time."""
    started = time.perf_counter()
    for reply in (
        "(" * 200_000,
        " " * 200_000 + ")",
        "score " * 50_000,
        "score" + "*" * 200_000,
        "{" * 200_000,
    ):
        for name in RUBRICS:
            rubric(name, [1, 5]).read(reply)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("params", "fault"),
    [
        (
            {"rubric": "partial"},
            "unknown rubric 'partial' (did you mean partial_credit?): "
            "known are binary, scale, partial_credit, three_way",
        ),
        ({"rubric": 1}, "unknown rubric 1: known are binary, scale, partial_credit, three_way"),
        ({"rubric": "scale"}, "scale is None, expected two numbers, the lower one first, as in [1, 5]"),
        (
            {"rubric": "scale", "scale": [5, 1]},
            "scale is [5, 1], expected two numbers, the lower one first, as in [1, 5]",
        ),
        (
            {"rubric": "scale", "scale": [True, 3]},
            "scale is [True, 3], expected two numbers, the lower one first, as in [1, 5]",
        ),
        (
            {"rubric": "scale", "scale": [0, float("inf")]},
            "scale is [0, inf], expected two numbers, the lower one first, as in [1, 5]",
        ),
        (
            {"rubric": "scale", "scale": [-1e308, 1e308]},
            "scale is [-1e+308, 1e+308], expected two numbers, the lower one first, as in [1, 5]",
        ),
        (
            {"rubric": "scale", "scale": [0, 10**400]},
            f"scale is [0, 1{'0' * 72}..., expected two numbers, the lower one first, as in [1, 5]",
        ),
        (
            {"rubric": "scale", "scale": "1-5"},
            "scale is '1-5', expected two numbers, the lower one first, as in [1, 5]",
        ),
    ],
)
def test_a_rubric_that_cannot_be_used_is_refused(params: dict[str, Any], fault: str) -> None:
    """With what would be right."""
    with pytest.raises(PipelineError) as caught:
        rubric_of(Params.declared(params))
    assert str(caught.value) == fault
