"""mmeval-pack list."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_json(run: Callable[..., Any], tasks: Path) -> None:
    """One object a task, then the refused subsets of the benchmark."""
    code, out, err = run("list", "--json", "--quiet", "--tasks", tasks)
    common = {
        "pipeline": ["exact-match", "rule-match"],
        "judge": None,
        "protocol": "published",
        "official_protocol": True,
        "version": "1.0",
    }
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {"task": "one_mmeval", "benchmark": "One", "subset": "main", **common},
        {"task": "two_a_dev_mmeval", "benchmark": "Two", "subset": "a", **common},
        {"task": "two_a_test_mmeval", "benchmark": "Two", "subset": "a", **common},
        {
            "task": None,
            "benchmark": "Two",
            "subset": "b",
            "pipeline": None,
            "judge": None,
            "protocol": None,
            "official_protocol": None,
            "version": "1.0",
            "refused": "caption-metrics: needs CIDEr",
        },
    ]


def test_table(run: Callable[..., Any], tasks: Path, add: Callable[..., Path], subset: Any) -> None:
    """Columns in line; the refused subsets below."""
    add("three", "Three", {"main": subset(score_pipeline=[])})
    assert run("list", "--tasks", tasks) == (
        0,
        "task               benchmark  subset  pipeline                  protocol   "
        "official_protocol  version\n"
        "one_mmeval         One        main    exact-match > rule-match  published  true               1.0\n"
        "three_mmeval       Three      main    exact-match > rule-match  default    false              1.0\n"
        "two_a_dev_mmeval   Two        a       exact-match > rule-match  published  true               1.0\n"
        "two_a_test_mmeval  Two        a       exact-match > rule-match  published  true               1.0\n"
        "Two, subset 'b': refused: caption-metrics: needs CIDEr\n",
        "4 tasks, 1 refused subset\n",
    )


def test_the_three_benchmarks(run: Callable[..., Any]) -> None:
    """The pack's own tasks, by the names that users type."""
    _, out, _ = run("list", "--json")
    assert [
        entry["task"] for entry in json.loads(out) if entry["benchmark"] in {"MathVerse", "MuirBench", "SAT"}
    ] == [
        "mathverse_testmini_mmeval",
        "mathverse_testmini_text_only_mmeval",
        "muirbench_mmeval",
        "sat_real_mmeval",
        "sat_synthetic_mmeval",
    ]
