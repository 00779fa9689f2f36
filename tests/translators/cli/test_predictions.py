"""mmeval-pack score on prediction files of VLMEvalKit."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from mmeval_pack.translators import recorded
from mmeval_pack.translators.vlmevalkit import predictions

NAMES = ("index", "question", "A", "B", "answer", "category", "prediction")
ROWS = [
    ("1", "Which?", "None", "dog", "A", "n/a", "None"),
    ("007", "Which?", "cat", "dog", "B", "", "(B)"),
    ("x", "How much?", "", "", "1.0", "", "1.0"),
    ("y", "Formula?", "", "", "=1+1", "", "=1+1"),
    ("z", "Which?", "cat", "dog", "B", "", "<think>A</think>B"),
    ("f", "Which?", "cat", "dog", "B", "", "Failed to obtain answer via API."),
    ("e", "Which?", "cat", "dog", "B", "", ""),
]
EXPECTED = [1, 1, 1, 1, 1, None, 0]


def written(folder: Path, layout: str, rows: Sequence[Sequence[str]] = ROWS) -> Path:
    """A prediction file as pandas writes it for VLMEvalKit."""
    path = folder / f"model_data.{layout}"
    if layout == "json":
        path.write_text(json.dumps([dict(zip(NAMES, row, strict=True)) for row in rows], indent=4))
    elif layout == "tsv":
        with path.open("w", newline="") as stream:
            csv.writer(stream, delimiter="\t", quoting=csv.QUOTE_ALL).writerows([NAMES, *rows])
    else:
        book = openpyxl.Workbook()
        for row in (NAMES, *rows):
            book.active.append([cell or None for cell in row])  # =1+1 becomes a formula
        book.save(path)
    return path


@pytest.mark.parametrize("layout", ["tsv", "xlsx", "json"])
def test_each_format(layout: str, run: Callable[..., Any], tmp_path: Path) -> None:
    """The same verdicts; what pandas would lose is there."""
    out = tmp_path / "out.jsonl"
    done = run("score", written(tmp_path, layout), "--out", out, "--json")
    assert done.code == 0
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["is_correct"] for line in lines] == EXPECTED
    assert [line["id"] for line in lines] == [row[0] for row in ROWS]
    assert [line["response"] for line in lines] == [row[-1] for row in ROWS]
    assert [line["reason"] for line in lines][5] == "generation_failed"
    assert json.loads(lines[0]["sample"]["messages"])[0]["options"] == {"A": "None", "B": "dog"}
    assert lines[0]["sample"]["category"] == "n/a"


def test_a_prediction_of_a_task(run: Callable[..., Any], tasks: Path, tmp_path: Path) -> None:
    """Its row and its task stand in a cell; the other columns are for readers."""
    row = {"messages": [{"question": "Which?"}], "answer": "B"}
    cell = json.dumps({"task": "one_mmeval", "id": "7", "sample": row})
    lines = [{"index": 0, "prediction": "(B)", "answer": "wrong", "mmeval": cell}]
    predictions.write(tmp_path / "p.tsv", lines)
    assert run("score", tmp_path / "p.tsv", "--out", "-", "--tasks", tasks, "--quiet").out == (
        json.dumps(
            {
                "task": "one_mmeval",
                "id": "7",
                "sample": row,
                "index": "0",
                "response": "(B)",
                "reasoning": "none",
                "score": 1.0,
                "is_correct": 1,
                "decided_by": "rule-match",
                "status": "ok",
                "extraction": "B",
                "reason": None,
            }
        )
        + "\n"
    )


def test_a_recorded_missing_response_is_missing(run: Callable[..., Any], tmp_path: Path) -> None:
    """What the replay model answers for a null."""
    path = written(tmp_path, "tsv", [(*ROWS[1][:-1], predictions.NO_RESPONSE)])
    assert '"reason": "missing_response"' in run("score", path, "--out", "-").out


def test_json_lines_in_a_json_file_stay_lines(run: Callable[..., Any], tmp_path: Path) -> None:
    """Only a list is a prediction file."""
    line = {"sample": {"messages": [{}], "answer": "x"}, "response": "x"}
    (tmp_path / "lines.json").write_text(json.dumps(line) + "\n")
    assert run("score", tmp_path / "lines.json").code == 0


CUT = json.dumps({"task": "x", "id": "1", "sample": {"q": "x" * 40_000}})


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "x.tsv",
            "index\tquestion\n1\tq\n",
            "lacks the column prediction; expected a prediction file of VLMEvalKit",
        ),
        ("x.tsv", "index\tprediction\tmmeval\n1\tA\tno\n", "prediction 1: the cell mmeval holds no row"),
        ("x.xlsx", "no zip", "no xlsx file: File is not a zip file"),
        ("x.json", "[1]", "expected a list of objects, one a row"),
        ("x.json", "[", "not JSON: Expecting value: line 1 column 2 (char 1)"),
    ],
)
def test_bad_files(name: str, content: str, message: str, run: Callable[..., Any], tmp_path: Path) -> None:
    """One message, exit code 2."""
    path = tmp_path / name
    path.write_text(content)
    code, out, err = run("score", path)
    assert (code, out) == (2, "")
    assert err in (f"mmeval-pack: {path}: {message}\n", f"mmeval-pack: {path}, {message}\n")


def test_a_row_that_xlsx_cut(run: Callable[..., Any], tmp_path: Path) -> None:
    """The message says what to do."""
    predictions.write(tmp_path / "p.xlsx", [{"index": "1", "prediction": "A", "mmeval": CUT}])
    assert run("score", tmp_path / "p.xlsx").err == (
        f"mmeval-pack: {tmp_path}/p.xlsx, prediction 1: the cell mmeval holds no row; xlsx cuts it at 32,767 "
        "characters, tsv does not (PRED_FORMAT=tsv)\n"
    )


def test_the_output_is_a_file_of_responses(run: Callable[..., Any], tasks: Path, tmp_path: Path) -> None:
    """For the replay model of either framework."""
    row = {"messages": [{"question": "Which?"}], "answer": "B"}
    cell = json.dumps({"task": "one_mmeval", "id": "7", "sample": row})
    predictions.write(tmp_path / "p.tsv", [{"index": 0, "prediction": "(B)", "mmeval": cell}])
    run("score", tmp_path / "p.tsv", "--out", tmp_path / "responses.jsonl", "--tasks", tasks)
    assert recorded.load([tmp_path / "responses.jsonl"]) == {("one_mmeval", "7"): "(B)"}
