"""Responses that a framework had a part in."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval_pack.judges.generated import FAILED, UNCLOSED, offered, score_generated
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc, Score

DOC = Doc("B", {"question": "Which?", "options": {"A": "cat", "B": "dog"}})
RIGHT = Score(1.0, 1, "exact-match", "ok", "B", None)


def verdict(response: Any, doc: Doc = DOC, *, strip: bool = False, logged: bool = False) -> Score:
    """The verdict of the default pipeline."""
    return score_generated(Pipeline.declared().score, doc, response, strip=strip, logged=logged)


def test_reasoning_is_taken_off_only_when_asked() -> None:
    """The publisher's scorer leaves it in."""
    response = "<think>A or B? Not A.</think>B"
    assert verdict(response, strip=True) == RIGHT
    assert verdict(response).decided_by != "exact-match"


def test_reasoning_that_never_ends() -> None:
    """Wrong, whatever it says; but where no truth is, nothing is wrong."""
    response = "<think>The answer is B"
    assert verdict(response, strip=True) == UNCLOSED
    assert verdict(response, Doc(None, {}), strip=True).reason == "missing_answer"


@pytest.mark.parametrize("strip", [True, False])
def test_failure_texts(strip: bool) -> None:
    """They are no response of the model, in a log or out of it."""
    for logged in (True, False):
        assert verdict("[LMMS_EVAL_REQUEST_FAILED after 3 retries] x", strip=strip, logged=logged) == FAILED


def test_the_word_none() -> None:
    """In a log it stands for no response, unless it was offered; elsewhere a model may have said it."""
    assert verdict("None", logged=True) == FAILED
    assert verdict("None") == Score(0.0, 0, None, "ok", None, None)
    none = Doc("none", {"question": "How many?"})
    assert verdict("None", none, logged=True)[:4] == (1.0, 1, "exact-match", "ok")


@pytest.mark.parametrize("response", [None, 5, ["B"], {"a": "B"}, True])
def test_what_is_no_text_goes_to_the_pipeline(response: Any) -> None:
    """Nothing can be taken off it."""
    assert verdict(response, strip=True, logged=True) == Pipeline.declared().score(DOC, response)


def test_what_is_offered() -> None:
    """Truths, options and choices, as far as they are texts."""
    doc = Doc(["a", 1], {"options": {"A": "b", "B": None}, "choices": ["c", 2]})
    assert list(offered(doc)) == ["a", "b", "c"]
    assert list(offered(Doc("x", {"options": "A", "choices": "B"}))) == ["x"]
