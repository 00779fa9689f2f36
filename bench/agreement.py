"""How often each rule set agrees with a careful reader.

    python bench/agreement.py FILE.jsonl...

A line is a judged pair (``sample``, ``response``, ``pipeline``, ``params`` and a label ``human`` or
``intent``: 1 or 0) or a case (``benchmark``, ``choices``, ``answer``, ``response`` and ``human``: the option
that a reader takes the response to name, or null). Cases of other benchmarks than MuirBench and SAT are
passed over, and so are pairs whose pipeline has no rule stage.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mmeval_pack.judges.pipeline import DEFAULT_PIPELINE, RULES, Pipeline
from mmeval_pack.judges.records import Doc

OUTCOMES = ("right", "missed", "falsely credited")
WIDTHS = tuple(len(outcome) + (12 if outcome == "right" else 2) for outcome in OUTCOMES) * len(RULES)
_TRAILER = "Answer with the option's letter from the given choices directly."


class Judged(NamedTuple):
    """One response with the label of a careful reader."""

    table: str
    group: str
    row: dict[str, Any]
    response: Any
    pipeline: Any
    params: Any
    right: bool


def case_of(line: dict[str, Any]) -> Judged | None:
    """A case as a row: lettered choices in the question's text, or unlettered ones in a field."""
    choices = [str(choice) for choice in line["choices"] or ()]
    question = line.get("question") or "What is shown? <image> <image>"
    message: dict[str, Any] = {"role": "user", "question": question}
    if line["benchmark"] == "MuirBench":
        lettered = (f"{chr(ord('A') + place)}. {text}" for place, text in enumerate(choices))
        message["question"] = "\n".join([question, *lettered, _TRAILER])
    elif line["benchmark"] == "SAT":
        message["choices"] = choices
    else:
        return None
    row = {"id": line["id"], "media": [], "messages": [message], "answer": line["answer"]}
    group = "nothing readable" if line["human"] is None else "reads the truth"
    if line["human"] not in (None, line["answer"]):
        group = "reads another answer"
    right = line["human"] == line["answer"]
    return Judged(f"cases {line['benchmark']}", group, row, line["response"], None, None, right)


def pair_of(line: dict[str, Any]) -> Judged | None:
    """A pair that carries a label."""
    label = line["human"] if line.get("human") is not None else line.get("intent")
    if label is None or not {"exact-match", "rule-match"}.intersection(line["pipeline"] or DEFAULT_PIPELINE):
        return None
    row, response = line["sample"], line["response"]
    return Judged("pairs", line["family"], row, response, line["pipeline"], line["params"], label == 1)


def judged(paths: Iterable[str]) -> Iterator[Judged]:
    """The labelled lines of the files."""
    for path in paths:
        with Path(path).open(encoding="utf-8") as lines:
            for line in map(json.loads, lines):
                item = pair_of(line) if "sample" in line else case_of(line)
                if item:
                    yield item


def outcome_of(item: Judged, rules: str) -> str:
    """One of `OUTCOMES`."""
    pipeline = Pipeline.declared(item.pipeline, item.params, rules)
    credited = pipeline.score(Doc.from_row(item.row), item.response).is_correct == 1
    if credited == item.right:
        return "right"
    return "falsely credited" if credited else "missed"


def main(paths: list[str]) -> None:
    """Print a table a kind of line: the outcomes of each rule set by group."""
    counts: dict[str, Counter[tuple[str, str, str]]] = {}
    for item in judged(paths):
        table = counts.setdefault(item.table, Counter())
        for rules in RULES:
            found = outcome_of(item, rules)
            table[item.group, rules, found] += 1
            table["all", rules, found] += 1
    for name, table in counts.items():
        print(f"\n{name:22}" + "".join(f"{rules:>10}: {'  '.join(OUTCOMES)}" for rules in RULES))
        for group in sorted({key[0] for key in table}, key=lambda group: (group == "all", group)):
            cells = (table[group, rules, outcome] for rules in RULES for outcome in OUTCOMES)
            print(
                f"{group:22}"
                + "".join(f"{count:>{width}}" for count, width in zip(cells, WIDTHS, strict=True))
            )


if __name__ == "__main__":
    main(sys.argv[1:])
