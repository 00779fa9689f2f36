"""Samples with verdicts written beforehand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Replies, Verdict
from mmeval_pack.parity.sample import Response, Sample

OUTCOMES = {"1": Verdict(1.0, None), "0": Verdict(0.0, None)}


@pytest.fixture
def sample() -> Callable[..., Sample]:
    """``sample(response, answer, choices, verdicts...)`` -> a Sample."""

    def making(
        text: str | None,
        answer: str = "B",
        choices: list[str] | None = None,
        benchmark: str = "MuirBench",
        judge: tuple[str, ...] = (),
        id: str = "1",  # noqa: A002 (the published name of the field)
        groups: dict[str, str] | None = None,
        **verdicts: Any,
    ) -> Sample:
        message = {"question": "Which?", "choices": choices or ["a red bus", "a blue car", "two bicycles"]}
        raw = {"id": id, "messages": [message], "answer": answer}
        response = Response("model", "task", id, raw, text, Replies(judge=judge))
        named = {
            name.replace("_", "-"): value if isinstance(value, Verdict) else Verdict(float(value), None)
            for name, value in verdicts.items()
        }
        return Sample(response, Row.of(raw), benchmark, groups or {}, named)

    return making
