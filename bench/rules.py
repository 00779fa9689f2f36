"""Pairs per second of the rule stages, beside the floor of parsing the same lines.

Usage: python bench/rules.py [FILE.jsonl ...]. A line holds sample, response,
pipeline and params, as `mmeval-pack score` reads them.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc

ROUNDS = 15
CHOICES = {"A": "a dog", "B": "a red bus", "C": "two birds", "D": "none of them"}
PAIRS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("B", ("B", "(C)", "The answer is B.", "It shows a bus, so the correct option is (B).", "**D**")),
    ("12.5", ("12.5", "about 12.5 cm", "x = 13")),
    ("yes", ("Yes.", "No")),
    ("elm", ("Elm", "an oak")),
)


def generated(count: int = 4000) -> list[str]:
    """Lines of choice, number, yes-or-no and free-text pairs."""
    lines = []
    for place in range(count):
        truth, responses = PAIRS[place % len(PAIRS)]
        message = {"question": "What is it?", **({"options": CHOICES} if truth in CHOICES else {})}
        sample = {"id": place, "messages": [message], "answer": truth}
        lines.append(json.dumps({"sample": sample, "response": responses[place // 4 % len(responses)]}))
    return lines


def rate(prepare: Callable[[], list[tuple[Any, ...]]], run: Callable[..., object]) -> float:
    """Calls per second of processor time, the best of several rounds; `prepare` is not timed."""
    best = float("inf")
    for _ in range(ROUNDS):
        calls = prepare()
        start = time.process_time()
        for arguments in calls:
            run(*arguments)
        best = min(best, (time.process_time() - start) / len(calls))
    return 1 / best


def main(names: Iterable[str]) -> None:
    """Print the figures for the files, or for a generated set."""
    lines = [line for name in names for line in Path(name).read_text("utf-8").splitlines()] or generated()
    pairs = [json.loads(line) for line in lines]
    for pair in pairs:
        pair["pipeline"] = Pipeline.declared(pair.get("pipeline"), pair.get("params"))
    default = Pipeline.declared()
    samples = [pair["sample"] for pair in pairs if str(pair["sample"].get("answer")) in CHOICES]
    gc.freeze()  # what was read above is no garbage; only what the rounds make is collected
    figures = {
        "json.loads (floor)": rate(lambda: [(line,) for line in lines], json.loads),
        "row to score": rate(
            lambda: [(pair["pipeline"], pair["sample"], pair["response"]) for pair in pairs],
            lambda pipeline, row, response: pipeline.score(Doc.from_row(row), response),
        ),
        "doc to score": rate(
            lambda: [(pair["pipeline"], Doc.from_row(pair["sample"]), pair["response"]) for pair in pairs],
            Pipeline.score,
        ),
        "doc to score, plain B": rate(
            lambda: [(Doc.from_row(row), row["answer"]) for row in samples], default.score
        ),
        "doc to score, plain (B)": rate(
            lambda: [(Doc.from_row(row), f"({row['answer']})") for row in samples], default.score
        ),
    }
    for name, figure in figures.items():
        print(f"{name:30} {figure:10,.0f} pairs/s")


if __name__ == "__main__":
    main(sys.argv[1:])
