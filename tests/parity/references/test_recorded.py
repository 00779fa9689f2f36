"""Verdicts that were recorded from the frameworks and the authors' code, given again by each reference."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.parity.references.verdict import Replies, Verdict

CASES = Path(__file__).resolve().parents[4] / "shared" / "cases"
BENCHMARKS = ("MuirBench", "SAT", "MathVerse")
# Which key of a recorded verdict is which of ours; None of a verdict that needs a judge who was not recorded.
DETAILS = {
    "extract_calls": "extract_calls",
    "prefetch": "prefetch",
    "llm_calls": "judge_calls",
    "target": "target",
    "quick_match": "quick_match",
    "judgement": "judgement",
}

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the recorded cases are not there")


def replies_of(case: dict[str, Any]) -> Replies:
    """What the judge said; where only extractions are recorded, it judged as a careful reader does."""
    extract, judge = case.get("extract_replies", ()), case.get("judge_replies", ())
    if extract and not judge:
        judge = (str(case["human"] or 0),)
    return Replies(tuple(extract), tuple(judge))


def differences(recorded: dict[str, Any], verdict: Verdict) -> dict[str, Any]:
    """Each recorded value that the verdict does not have, with what it has."""
    if recorded.get("random_fallback"):
        return {} if verdict.status == "random" else {"random_fallback": verdict}
    if "error" in recorded:
        same = verdict.status == "crash" and recorded["error"].startswith(str(verdict.reason))
        return {} if same else {"error": verdict}
    if recorded.get("loops_forever"):
        return {} if verdict.status == "hang" else {"loops_forever": verdict}
    found = {name: verdict.detail.get(ours) for name, ours in DETAILS.items() if name in recorded}
    found |= {
        name: verdict.prediction
        for name in ("pred", "extraction", "extract")
        if recorded.get(name) is not None
    }
    if "score" in recorded:
        found["score"] = verdict.score
    return {
        name: (recorded[name], value) for name, value in found.items() if str(recorded[name]) != str_of(value)
    }


def str_of(value: Any) -> str:
    """As recorded: scores as whole numbers."""
    return str(int(value)) if isinstance(value, float) else str(value)


def disagreeing(ask: Callable[..., Verdict], reference: str, key: str) -> tuple[int, dict[str, Any]]:
    """How many recorded verdicts there are, and the differences by id."""
    lines = [line for path in sorted(CASES.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    cases = [case for case in map(json.loads, lines) if case["benchmark"] in BENCHMARKS and case.get(key)]
    found = {}
    for case in cases:
        question = {"question": case["question"]} if case.get("question") else {}
        choices = [] if case["benchmark"] == "MathVerse" else case["choices"]
        verdict = ask(
            reference,
            case["benchmark"],
            case["response"],
            case["answer"],
            choices,
            replies_of(case),
            **question,
        )
        if wrong := differences(case[key], verdict):
            found[case["id"]] = wrong
    return len(cases), found


def test_official(ask: Callable[..., Verdict]) -> None:
    """Draws by lot are compared as such, errors by their name."""
    count, wrong = disagreeing(ask, "official", "official")
    assert count
    assert wrong == {}


@pytest.mark.harness
def test_lmms_eval(ask: Callable[..., Verdict]) -> None:
    """The installed version's verdicts."""
    count, wrong = disagreeing(ask, "lmms-eval", "lmms_eval")
    assert count
    assert wrong == {}


@pytest.mark.vlmevalkit
def test_vlmevalkit(ask: Callable[..., Verdict]) -> None:
    """The recorded commit's verdicts."""
    count, wrong = disagreeing(ask, "vlmevalkit", "vlmevalkit")
    assert count
    assert wrong == {}
