"""The rule set as a pipeline runs it, and the laws that every reading keeps."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mmeval_pack.judges.pipeline import RULES, Pipeline, PipelineError
from mmeval_pack.judges.records import Doc, Score

LETTERED = {"messages": [{"question": "Which?\nA. red\nB. dark red\nC. blue"}], "answer": "B"}
ROWS: dict[str, dict[str, Any]] = {
    "letters": LETTERED,
    "sets": {
        "messages": [{"question": "Which?", "options": {"A": "x", "B": "y", "C": "z"}}],
        "answer": "A, C",
    },
    "choices": {"messages": [{"question": "Which?", "choices": ["left", "right"]}], "answer": "left"},
    "yes or no": {"messages": [{"question": "Is it open?"}], "answer": "yes"},
    "number": {"messages": [{"question": "How many?"}], "answer": "14"},
    "formula": {"messages": [{"question": "How long?"}], "answer": "4\\sqrt{2}"},
    "text": {"messages": [{"question": "Where?"}], "answer": ["Lisbon", "Lisboa"]},
}
PIECES = st.sampled_from(
    ["A", "B", " or ", "not ", "The answer is ", "\\boxed{", "}", "{", "<answer>", "</answer>", "**", "$",
     "(", ")", "\n", ". ", "dark red", "red", "yes", "no", "wait, ", "14", "1/2", "%", "sqrt", "^", "Lisbon",
     "如果", "答案", "½", "\u0301", "\ue100"]
)  # fmt: skip
RESPONSES = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=14).map("".join))


def score(row: dict[str, Any], response: object, stages: object = None, rules: str = "improved") -> Score:
    """The verdict of a pipeline on a row."""
    return Pipeline.declared(stages, None, rules).score(Doc.from_row(row), response)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@given(response=RESPONSES)
def test_no_response_raises_and_none_is_decided_wrong(row: dict[str, Any], response: str) -> None:
    """A verdict is full credit or undecided, and white space around the response changes nothing."""
    verdict = score(row, response)
    assert verdict.status == "ok"
    assert (verdict.score, verdict.decided_by) in ((1.0, "exact-match"), (0.0, None))
    assert score(row, f" \n{response}\t ") == verdict


@given(truth=st.one_of(st.text(), st.integers(), st.lists(st.text(max_size=5))), response=RESPONSES)
@example(truth="{", response="{")
def test_no_truth_raises(truth: object, response: str) -> None:
    """Whatever the row's answer, the score is 0 or 1."""
    assert score({"messages": [{"question": "Q"}], "answer": truth}, response).score in (0.0, 1.0)


@pytest.mark.parametrize("response", ["dark red", "`B`", "A. Sorry, I meant B.", '"B"'])
def test_improved_credits_what_parity_misses(response: str) -> None:
    """Each rule set gives its own verdict on the same row."""
    assert score(LETTERED, response, rules="parity").score == 0
    assert score(LETTERED, response).score == 1


@pytest.mark.parametrize(
    "response", ["It is not B", "A. red B. dark red", "The incorrect answer is B.", "<think>B"]
)
def test_improved_passes_on_what_takes_the_truth_back(response: str) -> None:
    """Nothing is decided where the response does not say the truth."""
    assert score(LETTERED, response).decided_by is None


def test_yes_and_no_as_choices_must_be_named() -> None:
    """Where the words are offered, a synonym is no choice."""
    row = {"messages": [{"question": "Is it?", "choices": ["yes", "no"]}], "answer": "no"}
    assert score(row, "Nope").score == 0
    assert score(row, "No, it is shut.").score == 1


def test_the_first_rule_stage_answers_for_both() -> None:
    """Both names stand for one reading."""
    assert score(LETTERED, "B").decided_by == "exact-match"
    assert score(LETTERED, "B", ["rule-match", "exact-match"]).decided_by == "rule-match"
    assert score(LETTERED, "C", ["rule-match", "llm-judge"]).reason == "no_judge"


def test_extraction_is_what_was_read() -> None:
    """Also where it is not the truth."""
    assert score(LETTERED, "I pick blue.").extraction == "C"
    assert score(ROWS["number"], "about 15 cups").extraction == "15"
    assert score(ROWS["text"], "The answer is Rome.").extraction == "Rome."


def test_rule_sets_have_names() -> None:
    """The default is parity; an unknown name is refused with the known ones."""
    assert RULES == ("parity", "improved")
    assert Pipeline.declared().rules == "parity"
    assert Pipeline.declared(None, None, "improved").rules == "improved"
    with pytest.raises(PipelineError) as refused:
        Pipeline.declared(None, None, "improve")
    assert (
        str(refused.value) == "unknown rules 'improve' (did you mean improved?): known are parity, improved"
    )


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize(
    "atom",
    ["<answer> ", "\\boxed{", "the answer is ", "A ", "1 ", " ", ".", "(", "\u0301\u0323", "\ufdfa", "no, "],
)
def test_a_million_characters_take_bounded_time(row: dict[str, Any], atom: str) -> None:
    """Only the two ends of a long response are read."""
    response = (atom * (10**6 // len(atom) + 1))[: 10**6]
    start = time.process_time()
    score(row, response)
    assert time.process_time() - start < 0.6
