"""Pipelines: refusals, order, and what holds for any input."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.pipeline import DEFAULT_PIPELINE, Pipeline, PipelineError
from mmeval_pack.judges.records import Doc, Score

MESSAGE = {"question": "Which?", "options": {"A": "owl", "B": "elk"}}
KNOWN = "exact-match, rule-match, llm-match, llm-judge, vqa-accuracy, anls"


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        (["exact_match"], f"unknown stage 'exact_match' (did you mean exact-match?): known are {KNOWN}"),
        ([7], f"unknown stage 7: known are {KNOWN}"),
        ([" "], "score pipeline is [' '], expected at least one stage name"),
        ("anls", "score pipeline is 'anls', expected a list of stage names"),
        (0, "score pipeline is 0, expected a list of stage names"),
        (["anls ", "anls"], "score pipeline names anls twice, expected each stage once"),
        (["rule-match", "rule-match"], "score pipeline names rule-match twice, expected each stage once"),
        (
            ["anls", "exact-match"],
            "score pipeline has anls before exact-match, expected the grader anls as the last stage",
        ),
        (
            {"unsupported": "code-execution", "reason": "runs code"},
            "scoring is unsupported (code-execution): runs code",
        ),
        ({}, "score pipeline is {}, expected a list of stage names, or an object with 'unsupported'"),
    ],
)
def test_refused_pipelines(stages: Any, message: Any) -> None:
    """The message names the fault and what would be right."""
    with pytest.raises(PipelineError) as error:
        Pipeline.declared(stages)
    assert str(error.value) == message


@pytest.mark.parametrize("key", ["numeric_rel_tol", "numeric_abs_tol"])
@pytest.mark.parametrize("value", [True, "0.1", math.nan, math.inf, -0.1, [], 10**400])
def test_refused_tolerances(key: Any, value: Any) -> None:
    """Finite numbers of at least 0 only."""
    with pytest.raises(PipelineError, match=f"^{key} is .*, expected a finite number of at least 0$"):
        Pipeline.declared([], {key: value})


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"string_match": "contain"},
            "unknown string_match 'contain' (did you mean contains?): known are exact, contains, anls",
        ),
        ({"threshold": True}, "threshold is True, expected a number from 0 to 1"),
        ({"anls_threshold": 50}, "anls_threshold is 50, expected a number from 0 to 1"),
        ([], "params is [], expected an object"),
    ],
)
def test_refused_parameters(params: Any, message: Any) -> None:
    """A value that cannot be meant is no value."""
    with pytest.raises(PipelineError) as error:
        Pipeline.declared(None, params)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("params", "threshold"),
    [
        ({}, 0.5),
        ({"threshold": 0}, 0.5),
        ({"threshold": None, "anls_threshold": 0.8}, 0.5),
        ({"anls_threshold": 0.8}, 0.8),
    ],
)
def test_threshold(params: Any, threshold: Any) -> None:
    """0 counts as not given, and a null threshold hides the other key."""
    assert Pipeline.declared(["anls"], params).params.threshold == threshold


def test_declared_names() -> None:
    """Trimmed, without blank ones; none at all is the default pipeline."""
    assert Pipeline.declared([" rule-match", ""]).stages == ("rule-match",)
    assert Pipeline.declared([]).stages == Pipeline.declared(None).stages == DEFAULT_PIPELINE


@pytest.mark.parametrize(
    ("stages", "truth", "response", "score"),
    [
        ([], "B", "B", Score(1.0, 1, "exact-match", "ok", "B", None)),
        ([], "B", "(B)", Score(1.0, 1, "rule-match", "ok", "B", None)),
        ([], "B", "A", Score(0.0, 0, None, "ok", "A", None)),
        ([], "B", "neither", Score(0.0, 0, None, "ok", None, None)),
        ([], None, "B", Score(0.0, 0, None, "invalid", None, "missing_answer")),
        ([], "B", None, Score(0.0, 0, None, "invalid", None, "missing_response")),
        (["exact-match", "llm-judge"], "B", "A", Score(None, None, None, "unscored", "A", "no_judge")),
        (["exact-match", "llm-judge"], "B", "B", Score(1.0, 1, "exact-match", "ok", "B", None)),
        (["vqa-accuracy"], ["elk"], "elk", Score(0.0, 0, None, "invalid", None, "needs_references")),
        (["anls"], "elk", 5, Score(0.0, 0, None, "invalid", None, "missing_response")),
    ],
)
def test_scores(stages: Any, truth: Any, response: Any, score: Any) -> None:
    """The first stage that decides, else the last reading."""
    assert Pipeline.declared(stages).score(Doc(truth, MESSAGE), response) == score


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["B", "yes", "5%", "answer: A", "<answer>"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "options": VALUES,
        "choices": VALUES,
        "question": VALUES,
        "prompt": VALUES,
        "A": VALUES,
        "B": VALUES,
    },
)


@given(VALUES, VALUES, MESSAGES, VALUES, st.sampled_from(["exact", "contains", "anls"]))
@settings(deadline=None, max_examples=400)
def test_rules_take_any_value(truth: Any, response: Any, message: Any, question_type: Any, mode: Any) -> None:
    """No JSON value raises; rules credit or pass; every order of the stages gives the same verdict."""
    verdicts = set()
    for stages in (["exact-match", "rule-match"], ["rule-match", "exact-match"]):
        score = Pipeline.declared(stages, {"string_match": mode}).score(
            Doc(truth, message, question_type), response
        )
        verdicts.add((score.score, score.is_correct, score.status))
        assert (score.decided_by is not None) == (score.score == 1.0)
    assert len(verdicts) == 1
    assert verdicts <= {(0.0, 0, "ok"), (1.0, 1, "ok"), (0.0, 0, "invalid")}


@given(
    st.sampled_from(["B", "A, C", "yes", "42", "elm"]),
    st.text(max_size=30),
    st.sampled_from([" ", "\n", "\t ", "\u00a0"]),
)
@settings(deadline=None)
def test_whitespace_around_a_response_changes_nothing(truth: Any, response: Any, space: Any) -> None:
    """Models differ in line breaks."""
    pipeline, doc = Pipeline.declared(), Doc(truth, {})
    assert pipeline.score(doc, response)[:4] == pipeline.score(doc, f"{space}{response}{space}")[:4]
