"""Values that tables change, in each field of a row: between all layouts, and through a run of VLMEvalKit."""

from __future__ import annotations

import importlib.util
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmeval_pack.translators import rows
from mmeval_pack.translators.cli import main
from mmeval_pack.translators.demo.sample import Bundled
from mmeval_pack.translators.rows_held import HeldRows
from mmeval_pack.translators.vlmevalkit import predictions

NASTY = [
    *(
        "None",
        "NA",
        "N/A",
        "n/a",
        "null",
        "nan",
        "",
        " ",
        "1.0",
        "1",
        "007",
        "1e5",
        "TRUE",
        "=1+1",
        "{=1}",
        "+1",
    ),
    *(
        "-1",
        "@SUM(1)",
        "'",
        '"',
        "a\tb",
        "a\nb",
        "a\r\nb",
        "\x01",
        "_x0041_",
        "é\u2028\U0001f600",
        "[1]",
        "\ufeff",
    ),
    "x" * 40_000,  # a cell of xlsx holds 32,767 characters
]
IMAGES = [b"\x89PNG\r\n\x1a\n any bytes \x00\xff", b"", bytes(range(256)) * 9]
LAYOUTS = ("tsv", "parquet", "jsonl")
WAYS = [*itertools.product(LAYOUTS, repeat=2)]
# How a value is put into a field.
FIELDS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "id": lambda value: {"id": value},
    "question": lambda value: {"question": value},
    "option": lambda value: {"options": {"A": value, "B": "None", "C": value}},
    "option of a list": lambda value: {"options": ["None", value]},
    "hint": lambda value: {"hint": value},
    "answer": lambda value: {"answer": value},
    "answer of a list": lambda value: {"answer": [value, "None"]},
    "further field": lambda value: {"category": value},
}
IN_MESSAGE = ("question", "options", "hint")


def row(number: int, **fields: Any) -> dict[str, Any]:
    """A row of the published layout, with images."""
    message = {"question": "Which?", **{name: fields.pop(name) for name in IN_MESSAGE if name in fields}}
    media = [{"bytes": data, "path": None} for data in IMAGES[: number % 4]]
    answer = fields.pop("answer", "B")
    made = {"id": f"row {number}", "media": media, "messages": json.dumps([message]), "answer": answer}
    return {**made, **fields}


def needs(way: tuple[str, ...]) -> None:
    """Parquet is written with datasets, so that it serves as MMEVAL_ROWS."""
    if "parquet" in way:
        pytest.importorskip("datasets")


def through(made: list[dict[str, Any]], way: tuple[str, ...], folder: Path) -> list[dict[str, Any]]:
    """The rows after each layout of a way was written and read."""
    held: rows.Rows = HeldRows(made)
    for place, layout in enumerate(way):
        path = folder / f"{place}.{layout}"
        rows.write(held, "x_mmeval", path)
        held = rows.read(path)
    return [{**each, "media": held.media(number)} for number, each in enumerate(held.rows)]


@pytest.mark.parametrize("way", WAYS, ids="-".join)
@pytest.mark.parametrize("name", FIELDS)
def test_every_value_survives_in_every_field(name: str, way: tuple[str, str], tmp_path: Path) -> None:
    """From each layout to each; so do the bytes of the images, and ids as text."""
    needs(way)
    made = [row(number, **FIELDS[name](value)) for number, value in enumerate(NASTY)]
    assert through(made, way, tmp_path) == made


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_value_is_no_word(layout: str, tmp_path: Path) -> None:
    """A null stays one, beside the word; a number stays one, beside its text."""
    needs((layout,))
    made = [
        row(1, answer=None, category=None, options={"A": None, "B": 1.0}),
        row(2, answer="None", category="None", options={"A": "None", "B": "1.0"}),
    ]
    found = through(made, (layout,), tmp_path)
    assert found == made
    assert '{"A": null, "B": 1.0}' in found[0]["messages"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(
    name=st.sampled_from([*FIELDS]),
    value=st.text(st.characters(codec="utf-8")),
    images=st.lists(st.binary(), max_size=2),
    way=st.sampled_from(
        WAYS if importlib.util.find_spec("datasets") else [("tsv", "jsonl"), ("jsonl", "tsv")]
    ),
)
def test_any_text_survives_in_every_field(
    name: str, value: str, images: list[bytes], way: tuple[str, str], tmp_path: Path
) -> None:
    """Whatever Unicode holds; images with any bytes."""
    made = [{**row(0, **FIELDS[name](value)), "media": [{"bytes": data, "path": None} for data in images]}]
    assert through(made, way, tmp_path) == made


def test_a_layout_made_of_another_is_what_was_made_first(tmp_path: Path) -> None:
    """Byte by byte, through the command."""
    pytest.importorskip("datasets")
    made = [
        row(number, id=value, answer=value, options={"A": value}, hint=value)
        for number, value in enumerate(NASTY)
    ]
    task = "muirbench_mmeval"
    rows.write(HeldRows(made), task, tmp_path / "first.jsonl")
    for start, middle in itertools.permutations(LAYOUTS, 2):
        files = [tmp_path / "first.jsonl"]
        for number, layout in enumerate((start, middle, start)):
            folder = tmp_path / f"{start}-{middle}-{number}"
            assert main(["rows", task, "--to", layout, str(folder), "--from", str(files[-1]), "--quiet"]) == 0
            files.append(folder / f"{task}.{layout}")
        assert files[3].read_bytes() == files[1].read_bytes()


TASK = "mathverse_testmini_text_only_mmeval"


@pytest.mark.vlmevalkit
@pytest.mark.skipif(importlib.util.find_spec("vlmeval") is None, reason="VLMEvalKit is not installed")
def test_they_survive_a_run(
    vlmevalkit: Callable[..., Any],
    lmms_eval_side: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As id, question, answer and response; the verdicts are those of lmms-eval."""
    monkeypatch.setenv("MMEVAL_JUDGE", "off")
    kept = {"question_type": "free-form", "problem_version": "n/a", "subject": "NA", "subfield": "None"}
    # The empty text only as answer and response: a row without an id or a question is refused.
    made = [
        row(
            0,
            id=value or "empty",
            question=value or "Which?",
            answer=value,
            problem_index=str(number),
            **kept,
        )
        for number, value in enumerate(NASTY)
    ]
    rows.write(HeldRows(made), TASK, tmp_path / f"{TASK}.parquet")
    responses = {each["id"]: each["answer"] for each in made}
    lines = [{"task": TASK, "id": name, "response": text} for name, text in responses.items()]
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    given = ["--data", TASK, "--model", "replay", "--responses", "made.jsonl"]
    done = vlmevalkit(tmp_path, *given, MMEVAL_ROWS=str(tmp_path))
    path = tmp_path / "out" / "replay" / f"replay_{TASK}_exact_matching_result.tsv"
    assert path.is_file(), done.stderr[-3000:]
    found = {json.loads(line["mmeval"])["id"]: line for line in predictions.read(path)}
    assert {name: line["prediction"] for name, line in found.items()} == responses
    assert {name: line["answer"] for name, line in found.items()} == responses
    assert {(line["problem_version"], line["subject"], line["subfield"]) for line in found.values()} == {
        ("n/a", "NA", "None")
    }
    theirs = lmms_eval_side(Bundled(TASK, tmp_path, made, responses, {}))
    for name, each in theirs.items():
        hit = found[name]["hit"]
        assert (None if hit == "" else float(hit)) == each["score"], name
        texts = ("decided_by", "status", "extraction", "reason")
        assert [found[name][key] for key in texts] == [each[key] or "" for key in texts]
    assert sum(each["score"] == 1 for each in theirs.values()) > len(NASTY) / 2
