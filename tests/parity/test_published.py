"""Published figures."""

from __future__ import annotations

from mmeval_pack.parity.published import MUIRBENCH_ROWS, comparability, reproduced


def test_the_published_counts_give_the_published_figures() -> None:
    """MuirBench's overall accuracy is the mean over rows, not over tasks."""
    assert sum(MUIRBENCH_ROWS) == 2600
    found = {line["model"]: line for line in reproduced()}
    assert {model: line["micro"] for model, line in found.items()} == {
        "GPT-4o": 68.00,
        "GPT-4-Turbo": 62.31,
        "Gemini Pro": 49.35,
        "Human": 93.15,
    }
    assert all(line["same"] for line in found.values())
    assert found["GPT-4o"]["macro"] == 58.74


def test_comparability_names_what_differs() -> None:
    """Another prompt or other rows rule a comparison out; another judge asks for care."""
    found = {
        (line["benchmark"], line["figures"]): line["comparable"]
        for name in ("MuirBench", "MathVerse", "SAT")
        for line in comparability(name)
    }
    assert found["MathVerse", "leaderboard, columns w/o"] == "with care: other protocol, judge"
    assert found["MathVerse", "leaderboard, columns CoT-E"] == "no: other protocol, prompt, judge"
    assert found["MuirBench", "paper and project page"] == "no: other protocol, prompt"
    assert found["SAT", "paper, real"] == "no: other protocol, prompt, rows"
    assert len(found) == 9
