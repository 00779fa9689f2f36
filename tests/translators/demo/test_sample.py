"""The bundled sample: it is what it is said to be, and holds what careless readers stumble over."""

import json
import re
from collections import Counter
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo import sample

parquet = pytest.importorskip("pyarrow.parquet")

TASKS = Path(__file__).resolve().parents[3] / "tasks"
FILES = {path.stem: path for path in sorted(TASKS.glob("*/sample/*.parquet"))}
MUIRBENCH, TESTMINI, TEXT_ONLY = (
    "muirbench_mmeval",
    "mathverse_testmini_mmeval",
    "mathverse_testmini_text_only_mmeval",
)
REAL, SYNTHETIC = "sat_real_mmeval", "sat_synthetic_mmeval"
MATH_EXTRAS = ["question_type", "problem_version", "problem_index", "source", "subject", "subfield"]
SAT_EXTRAS = ["question_type", "n_images"]
EXTRAS = {
    MUIRBENCH: ["task"],
    TESTMINI: MATH_EXTRAS,
    TEXT_ONLY: MATH_EXTRAS,
    REAL: SAT_EXTRAS,
    SYNTHETIC: SAT_EXTRAS,
}
MATH_VERSIONS = {"Text Dominant", "Text Lite", "Vision Intensive", "Vision Dominant", "Vision Only"}


@pytest.fixture(scope="module")
def rows() -> dict[str, list[dict[str, Any]]]:
    """The committed rows by task, with their messages read and their images decoded."""
    found = {task: parquet.read_table(path).to_pylist() for task, path in FILES.items()}
    for row in (row for rows in found.values() for row in rows):
        row["message"] = json.loads(row.pop("messages"))[0]
        row["media"] = [Image.open(BytesIO(image["bytes"])) for image in row["media"]]
    return found


@pytest.fixture(scope="module")
def responses() -> dict[str, dict[str, str]]:
    """The recorded responses by task and id."""
    found: dict[str, dict[str, str]] = {}
    for path in TASKS.glob("*/sample/*.responses.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            assert list(entry) == ["task", "id", "response"]
            assert entry["task"] == path.name.removesuffix(".responses.jsonl")
            assert found.setdefault(entry["task"], {}).setdefault(entry["id"], entry["response"]) is not None
    return found


def content(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose images are modes, sizes and pixels: the bytes of a PNG depend on the compressor."""
    images = [Image.open(BytesIO(image["bytes"])) for image in row["media"]]
    return {**row, "media": [(image.mode, image.size, image.convert("RGBA").tobytes()) for image in images]}


def test_the_files_are_what_their_descriptions_say(tmp_path: Path) -> None:
    """Rebuilding gives the committed rows, pixels and features, for every task."""
    pytest.importorskip("datasets")
    described = [item for path in TASKS.glob("*/sample/rows.json") for item in sample.described(path).items()]
    assert sorted(task for task, _ in described) == sorted(EXTRAS)
    for task, rows in described:
        sample.write(rows, tmp_path / f"{task}.parquet")
        new, committed = parquet.read_table(tmp_path / f"{task}.parquet"), parquet.read_table(FILES[task])
        assert new.schema.equals(committed.schema, check_metadata=True)
        assert [content(row) for row in new.to_pylist()] == [content(row) for row in committed.to_pylist()]


@pytest.mark.parametrize("task", EXTRAS)
def test_rows_have_the_published_layout(task: str, rows: dict[str, list[dict[str, Any]]]) -> None:
    """Columns, their types for ``datasets``, the keys of the message, unique ids; 12 to 24 rows."""
    table = parquet.read_schema(FILES[task])
    assert table.names == ["id", "media", "messages", "answer", *EXTRAS[task]]
    features = json.loads(table.metadata[b"huggingface"])["info"]["features"]
    assert features["media"] == {"feature": {"_type": "Image"}, "_type": "List"}
    assert features["messages"] == features["id"] == {"dtype": "string", "_type": "Value"}
    keys = ["role", "question", "choices", "n_images"] if task in (REAL, SYNTHETIC) else ["role", "question"]
    assert {tuple(row["message"]) for row in rows[task]} == {tuple(keys)}
    assert 12 <= len({row["id"] for row in rows[task]}) == len(rows[task]) <= 24


def test_no_two_images_share_their_pixels(rows: dict[str, list[dict[str, Any]]]) -> None:
    """So a wrong image in the right place is always seen; every mode occurs."""
    images = [image for found in rows.values() for row in found for image in row["media"]]
    assert len({(image.size, image.convert("RGB").tobytes()) for image in images}) == len(images) > 100
    assert set(Counter(image.mode for image in images)) == {"RGB", "RGBA", "L", "P"}


def test_the_sample_is_small() -> None:
    """Under 600 kB, descriptions and responses included."""
    assert sum(path.stat().st_size for path in TASKS.glob("*/sample/*")) < 600_000


def test_muirbench_covers_its_hard_shapes(rows: dict[str, list[dict[str, Any]]]) -> None:
    """2 to 9 images, tokens in mid-sentence and as options, three to five options in several forms."""
    questions = [row["message"]["question"] for row in rows[MUIRBENCH]]
    counts = [len(row["media"]) for row in rows[MUIRBENCH]]
    assert [question.count("<image>") for question in questions] == counts
    assert {2, 9} <= set(counts) <= set(range(2, 10))
    assert all(question.endswith("\nAnswer with the letter of the option only.") for question in questions)
    assert sum(bool(re.search(r"\w <image>,? \w", question)) for question in questions) >= 3
    for option in (r"A\. <image>", r"A: <image>", r"A\. \w", r"\(A\) \w", r"A\) \w"):
        assert any(re.search(rf"\n{option}", question) for question in questions), option
    options = [re.findall(r"\n\(?[A-E][.):] ?(.*)", question) for question in questions]
    assert {len(texts) for texts in options} == {3, 4, 5}
    assert {texts[-1] for texts in options} == {"None of the choices provided"}
    letters = ["ABCDE".index(row["answer"]) for row in rows[MUIRBENCH]]
    gold = [texts[letter] for texts, letter in zip(options, letters, strict=True)]
    assert "None of the choices provided" in gold
    assert "<image>" in gold


def test_mathverse_covers_its_hard_shapes(rows: dict[str, list[dict[str, Any]]]) -> None:
    """Five versions a problem, Vision Only without question, LaTeX truths, ids that text-only repeats."""
    for index in ("1", "2", "3", "4"):
        problem = [row for row in rows[TESTMINI] if row["problem_index"] == index]
        assert {row["problem_version"] for row in problem} == MATH_VERSIONS
    for row in rows[TESTMINI]:
        assert len(row["media"]) == 1
        assert ("Question:" in row["message"]["question"]) == (row["problem_version"] != "Vision Only")
    for task in (TESTMINI, TEXT_ONLY):
        assert {row["question_type"] for row in rows[task]} == {"multi-choice", "free-form"}
        assert any("\\" in row["answer"] for row in rows[task])
        assert not any("<image>" in row["message"]["question"] for row in rows[task])
    assert all(row["media"] == [] for row in rows[TEXT_ONLY])
    assert {row["id"] for row in rows[TEXT_ONLY]} < {row["id"] for row in rows[TESTMINI]}


def test_sat_covers_its_hard_shapes(rows: dict[str, list[dict[str, Any]]]) -> None:
    """Choices that hold one another, yes/no, five counts of which two are equal, 1 and 2 images."""
    both = rows[REAL] + rows[SYNTHETIC]
    choices = [row["message"]["choices"] for row in both]
    assert any(a != b and a in b for texts in choices for a in texts for b in texts)
    assert ["left", "left and up"] in choices
    assert ["yes", "no"] in choices
    assert ["A", "B", "C"] in choices
    assert any(len(texts) == 5 and len(set(texts)) == 4 for texts in choices)
    for row in both:
        assert row["n_images"] == row["message"]["n_images"] == len(row["media"])
        assert row["answer"] in (*row["message"]["choices"], "")
    for task in (REAL, SYNTHETIC):
        assert {row["n_images"] for row in rows[task]} == {1, 2}
    assert [row["id"] for row in both if row["answer"] == ""] == ["syn-0010"]


def test_every_row_has_one_response(
    rows: dict[str, list[dict[str, Any]]], responses: dict[str, dict[str, str]]
) -> None:
    """In the order of the rows; closed and open reasoning, refusals and an empty response are among them."""
    assert {task: list(found) for task, found in responses.items()} == {
        task: [row["id"] for row in found] for task, found in rows.items()
    }
    texts = [text for found in responses.values() for text in found.values()]
    assert sum("</think>" in text for text in texts) >= 3
    assert sum("<think>" in text and "</think>" not in text for text in texts) >= 3
    assert "" in texts
    assert any("sorry" in text for text in texts)
    assert responses[TESTMINI]["7"] == "$\\sqrt{8}$"  # equal to the truth, which no rule can see


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ('{"t": [{"id": "1", "images": []}]}', "a row lacks 'message'; it needs id, message and images"),
    ],
)
def test_a_broken_description_is_named(tmp_path: Path, text: str, message: str) -> None:
    """One clear error with the file."""
    path = tmp_path / "rows.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        sample.described(path)
    assert str(error.value) == f"{path}: {message}"
