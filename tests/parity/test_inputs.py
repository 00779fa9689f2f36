"""Files of three houses, read as responses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.parity.inputs import Inputs
from mmeval_pack.parity.references.verdict import Replies, Verdict
from mmeval_pack.parity.sample import Response

ROW = {"id": 7, "messages": [{"question": "Which?"}], "answer": "B"}


def written(path: Path, *lines: Any) -> Path:
    """A file of these values, one a line; a text is a line as it is."""
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def test_a_line_of_ours(tmp_path: Path) -> None:
    """The model is the file's name; the judge's replies come along."""
    line = {
        "sample": ROW,
        "response": "B",
        "task": "t",
        "extract_replies": ["x"],
        "judge_replies": ["1", "0"],
    }
    inputs = Inputs()
    found = list(inputs.read(written(tmp_path / "model-x.jsonl", line)))
    assert found == [Response("model-x", "t", "7", ROW, "B", Replies(("x",), ("1", "0")))]
    assert inputs.broken == []


def test_several_models_in_one_file(tmp_path: Path) -> None:
    """A line may say whose response it is."""
    lines = [{"sample": ROW, "response": "B", "task": "t", "model": model} for model in ("x", "y")]
    found = Inputs().read(written(tmp_path / "both.jsonl", *lines))
    assert [response.model for response in found] == ["x", "y"]


def test_a_sample_of_lmms_eval(tmp_path: Path) -> None:
    """The model is the folder's name; a verdict that a judge made there is kept."""
    (tmp_path / "org__model").mkdir()
    judged = {"decided_by": "llm-judge", "status": "ok", "score": 1.0, "extraction": "14"}
    detail = {"task": "t", "id": "7", "sample": ROW, "response": "L = 14", "reasoning": "none", **judged}
    path = written(tmp_path / "org__model" / "1_samples_t.jsonl", {"doc_id": 0, "detail": detail})
    (found,) = Inputs().read(path)
    assert (found.model, found.id, found.text) == ("org__model", "7", "L = 14")
    verdict = Verdict(1.0, "14", "ok", "recorded", {"decided_by": "llm-judge"})
    assert found.recorded == {"mmeval": verdict}
    made = {"model": "m", "protocol": "published", "prompt": "p", "calls": 2, "tokens": 9}
    for changes, recorded in (
        ({"rules": "improved"}, {"improved": verdict}),
        ({"decided_by": None, "judge": made}, {"mmeval": verdict._replace(detail={})}),
        ({"decided_by": "rule-match"}, {}),
        ({"score": 2.0}, {}),
    ):
        again = written(path, {"doc_id": 0, "detail": {**detail, **changes}})
        assert [response.recorded for response in Inputs().read(again)] == [recorded]


def test_a_prediction_file_needs_its_task(tmp_path: Path) -> None:
    """Nothing in it says which task it is of."""
    path = written(tmp_path / "p.tsv", "index\tanswer\tprediction", "7\tB\tb")
    with pytest.raises(InputError) as caught:
        list(Inputs().read(path))
    assert str(caught.value) == f"{path}: a prediction file names no task; give --task NAME"
    (found,) = Inputs(task="muirbench_mmeval").read(path)
    assert (found.model, found.task, found.id, found.text) == ("p", "muirbench_mmeval", "7", "b")


def test_two_responses_to_one_row_are_refused(tmp_path: Path) -> None:
    """Both places are named: a join on the id would take one of them in silence."""
    line = {"sample": ROW, "response": "B", "task": "t"}
    path = written(tmp_path / "m.jsonl", line, line)
    with pytest.raises(InputError) as caught:
        list(Inputs().read(path))
    assert str(caught.value) == (
        f"{path}, line 2: a second response of m to task t, id '7'; the first is {path}, line 1. "
        "Two runs of one model need two names: by the key model of the lines, the folder of a log of "
        "lmms-eval, or the name of another file"
    )


def test_broken_lines_are_left_out_and_named(tmp_path: Path) -> None:
    """The others are read."""
    good = {"sample": ROW, "response": None, "task": "t"}
    lines = ["{", {"response": "B", "id": 1}, {"task": "t", "response": "B"}, {**good, "sample": "B"}, good]
    path = written(tmp_path / "m.jsonl", *lines)
    inputs = Inputs()
    (found,) = inputs.read(path)
    assert found.text is None
    assert inputs.broken == [
        f"{path}, line 1: not JSON: Expecting property name enclosed in double quotes (column 2)",
        f"{path}, line 2: names no task; add task to the line, or give --task NAME",
        f"{path}, line 3: lacks response, or sample and id; expected a line of mmeval-pack or lmms-eval",
        f"{path}, line 4: sample is 'B', expected an object",
    ]


def test_several_models_and_houses_at_once(tmp_path: Path) -> None:
    """The same row under three models, from a line of ours, a log of lmms-eval and a file of VLMEvalKit."""
    (tmp_path / "logged").mkdir()
    line = {"sample": ROW, "response": "B", "task": "muirbench_mmeval"}
    detail = {"task": "muirbench_mmeval", "id": "7", "sample": ROW, "response": "(B)"}
    kept = json.dumps({"task": "muirbench_mmeval", "id": "7", "sample": ROW}).replace('"', '""')
    inputs = Inputs()
    paths = (
        written(tmp_path / "ours.jsonl", line),
        written(tmp_path / "logged" / "1_samples_muirbench_mmeval.jsonl", {"doc_id": 9, "detail": detail}),
        written(tmp_path / "kit_muirbench_mmeval.tsv", "index\tprediction\tmmeval", f'"0"\t"b"\t"{kept}"'),
    )
    found = [response for path in paths for response in inputs.read(path)]
    assert [(each.model, each.id, each.text) for each in found] == [
        ("ours", "7", "B"),
        ("logged", "7", "(B)"),
        ("kit", "7", "b"),
    ]
    assert {each.task for each in found} == {"muirbench_mmeval"}
    assert [each.raw for each in found] == [ROW] * 3
    assert inputs.broken == []


def test_recorded_responses_find_their_rows_by_id(tmp_path: Path) -> None:
    """In the task's parquet file beside them; position does not matter."""
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"id": name, "messages": "[]", "answer": name, "media": []} for name in ("1", "2")]
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    written(tmp_path / "t.judge.jsonl", {"task": "t", "id": "2", "extract": "x", "score": None})
    lines = [{"task": "t", "id": name, "response": "r" + name} for name in ("2", "1", "3")]
    inputs = Inputs()
    path = written(tmp_path / "t.responses.jsonl", *lines)
    found = list(inputs.read(path))
    assert [(response.id, response.raw["answer"], response.text) for response in found] == [
        ("2", "2", "r2"),
        ("1", "1", "r1"),
    ]
    assert found[0].replies == Replies(("x",))
    assert found[0].model == tmp_path.name
    assert inputs.broken == [f"{path}, line 3: no row has the id '3'; give --rows DIR with t.parquet"]
