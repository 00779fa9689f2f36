"""Rows for the references, and where the frameworks are."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import pytest

from mmeval_pack.parity.references import load
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies, Verdict
from mmeval_pack.translators.plan import TASKS_DIR, find_task

TASKS = {"MuirBench": "muirbench_mmeval", "SAT": "sat_real_mmeval", "MathVerse": "mathverse_testmini_mmeval"}
MODULES = {"lmms-eval": "lmms_eval", "vlmevalkit": "vlmeval", "vlmevalkit-installed": "vlmeval"}

Ask = Callable[..., Verdict]


@pytest.fixture(scope="session")
def ask() -> Ask:
    """``ask(reference, benchmark, response, answer, choices, replies)`` -> the verdict."""
    references: dict[tuple[str, str], Any] = {}

    def asking(
        name: str,
        benchmark: str,
        response: str,
        answer: str,
        choices: list[str] | None = None,
        replies: Replies = NO_REPLIES,
        question: str = "Which one?",
    ) -> Verdict:
        if name in MODULES and find_spec(MODULES[name]) is None:
            pytest.skip(f"{MODULES[name]} is not installed")
        if (name, benchmark) not in references:
            loaded = load(find_task(TASKS_DIR, TASKS[benchmark]), [name])
            assert not loaded.skipped
            (references[name, benchmark],) = loaded.used
        message = {"role": "user", "question": question, "choices": choices or []}
        row = Row.of({"id": "1", "messages": [message], "answer": answer})
        verdict: Verdict = references[name, benchmark].verdict(row, response, replies)
        return verdict

    return asking
