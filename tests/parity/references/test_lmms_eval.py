"""The installed lmms-eval's own verdicts: a version that changes one fails here."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mmeval_pack.parity.references import Skipped, load
from mmeval_pack.parity.references.verdict import Replies, Verdict
from mmeval_pack.translators.plan import TASKS_DIR, find_task

CHOICES = ["a red bus", "a blue car", "two bicycles"]


@pytest.mark.harness
@pytest.mark.parametrize(
    ("response", "prediction", "score"),
    [
        ("B", "B", 1),
        ("b", "b", 1),
        (" B. a blue car", "B", 1),
        ("(B)", "(B)", 0),
        ("**B**", "**B**", 0),
        ("The answer is B", "The answer is B", 0),
        ("<think>(A)?</think>B", "B", 1),
        ("<think>(A)?</think>B.", "B.", 0),
    ],
)
def test_muirbench(ask: Callable[..., Verdict], response: str, prediction: str, score: int) -> None:
    """A letter and a dot at the start, or the whole response; reasoning goes after the filter."""
    verdict = ask("lmms-eval", "MuirBench", response, "B", CHOICES)
    assert verdict == (score, prediction, "ok", None, {})


@pytest.mark.harness
@pytest.mark.parametrize(
    ("response", "prediction", "score"),
    [("A", "A", 1), ("A chair is there", "A", 1), ("left", "left", 0), ("A\nsince", "A\nsince", 0)],
)
def test_sat(ask: Callable[..., Verdict], response: str, prediction: str, score: int) -> None:
    """The first word as a letter; texts of options match nothing."""
    verdict = ask("lmms-eval", "SAT", response, "left", ["left", "right"])
    assert verdict == (score, prediction, "ok", None, {"target": "A"})


@pytest.mark.harness
@pytest.mark.parametrize(("reply", "score"), [("1", 1), ("0", 0), ("0 (the model said 10)", 1), ("Yes", 0)])
def test_mathverse_reads_any_one_as_right(ask: Callable[..., Verdict], reply: str, score: int) -> None:
    """The digit 1 anywhere in the judge's reply."""
    verdict = ask("lmms-eval", "MathVerse", "L = 14", "14", replies=Replies(judge=(reply,)))
    assert verdict == (score, "L = 14", "ok", None, {"quick_match": 0, "judge_calls": 1})


@pytest.mark.harness
def test_mathverse_without_a_judge_has_no_verdict(ask: Callable[..., Verdict]) -> None:
    """Every response goes to the judge, even one that equals the answer."""
    verdict = ask("lmms-eval", "MathVerse", "<think>12?</think> 14", "14")
    assert verdict == (None, "14", "unscored", "no_judge", {"quick_match": 1})


def test_a_missing_framework_is_skipped_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others still run."""
    monkeypatch.setattr("mmeval_pack.parity.references.lmms_eval.version", _not_installed)
    loaded = load(find_task(TASKS_DIR, "sat_real_mmeval"), ["official", "lmms-eval"])
    assert [reference.name for reference in loaded.used] == ["official"]
    message = "lmms-eval is not installed; get it with: pip install 'mmeval-pack[lmms-eval]'"
    assert loaded.skipped == (Skipped("lmms-eval", message),)


def _not_installed(name: str) -> str:
    from importlib.metadata import PackageNotFoundError

    raise PackageNotFoundError(name)
