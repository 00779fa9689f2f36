"""Rows between layouts: what goes in comes out."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import rows
from mmeval_pack.translators.rows_held import HeldRows

NASTY = [
    *("None", "NA", "n/a", "N/A", "null", "nan", "NaN", "", " ", "1.0", "007", "1e5", "True", "=1+1", "{=1}"),
    *("a\tb", "a\nb", "a\r\nb", "a\rb", '"quoted"', "'", "\\n", "[1]", "x" * 40_000, "\u2028\x85é\U0001f600"),
    *("@SUM(1)", "-1", "+1", "http://a.b", "mailto:a", "\x00\x01", "_x0041_", "\ufeff"),
]
IMAGES = [b"\x89PNG\r\n\x1a\n any bytes \x00\xff", b"", bytes(range(256)) * 9]


def row(number: int, answer: Any, **fields: Any) -> dict[str, Any]:
    """A row of the published layout."""
    message = {"role": "user", "question": answer, "options": {"A": answer, "B": "None"}}
    media = [{"bytes": data, "path": None} for data in IMAGES[: number % 4]]
    return {
        "id": str(number),
        "media": media,
        "messages": json.dumps([message]),
        "answer": answer,
        **fields,
    }


def joined(held: rows.Rows) -> list[dict[str, Any]]:
    """The rows with their media."""
    return [{**each, "media": held.media(number)} for number, each in enumerate(held.rows)]


def there_and_back(made: list[dict[str, Any]], layouts: list[str], folder: Path) -> list[dict[str, Any]]:
    """The rows after they were written in each layout and read from it."""
    held: rows.Rows = HeldRows(made)
    for place, layout in enumerate(layouts):
        path = folder / f"{place}.{layout}"
        rows.write(held, "x_mmeval", path)
        held = rows.read(path)
    return joined(held)


@pytest.mark.parametrize("layouts", [["tsv"], ["jsonl"], ["tsv", "jsonl", "tsv"]])
def test_nasty_values_survive(layouts: list[str], tmp_path: Path) -> None:
    """As answers, options, extras and ids; images with every byte."""
    made = [row(number, text, extra=text) for number, text in enumerate(NASTY)]
    made += [row(900, ["None", "1.0"], extra=1.0), row(901, None, extra=None), row(902, "", extra=True)]
    made += [{**row(903, "x"), "id": name} for name in ("NA", "007", "1.0", "None")]
    made += [{**row(904, "x"), "media": None}, {**row(905, "x"), "media": ["videos/1.mp4"]}]
    assert there_and_back(made, layouts, tmp_path) == made
    assert json.dumps([each["extra"] for each in made if "extra" in each][-3:]) == "[1.0, null, true]"


@pytest.mark.parametrize("layouts", [["parquet"], ["tsv", "parquet", "jsonl", "parquet", "tsv"]])
def test_parquet_keeps_them_too(layouts: list[str], tmp_path: Path) -> None:
    """Columns of one type each, as parquet has them."""
    pytest.importorskip("datasets")
    made = [row(number, text, extra=number / 2, tags=[text]) for number, text in enumerate(NASTY)]
    assert there_and_back(made, layouts, tmp_path) == made


def test_images_of_parquet_are_decoded_by_datasets(tmp_path: Path) -> None:
    """So the file serves as MMEVAL_ROWS."""
    datasets = pytest.importorskip("datasets")
    rows.write(HeldRows([row(1, "x")]), "x_mmeval", tmp_path / "x.parquet")
    features = datasets.Dataset.from_parquet(str(tmp_path / "x.parquet"), cache_dir=str(tmp_path)).features
    assert features["media"] == datasets.List(datasets.Image())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    value=JSON,
    name=st.text(min_size=1),
    images=st.lists(st.binary(), max_size=3),
    layout=st.sampled_from(["tsv", "jsonl"]),
)
def test_any_value_survives(value: Any, name: str, images: list[bytes], layout: str, tmp_path: Path) -> None:
    """All that JSON can hold, lone surrogates included, with its type."""
    made = {
        "id": name,
        "media": [{"bytes": data, "path": name} for data in images],
        "messages": [{"question": value}],
        "answer": value,
    }
    (found,) = there_and_back([made], [layout], tmp_path)
    assert found == made
    assert json.dumps(found["answer"]) == json.dumps(value)


def test_ids_become_text(tmp_path: Path) -> None:
    """Whatever type they had."""
    (found,) = there_and_back([{**row(1, "x"), "id": 7}], ["tsv"], tmp_path)
    assert found["id"] == "7"


def test_the_columns_of_the_tsv(tmp_path: Path) -> None:
    """What VLMEvalKit's own classes read; images as a list that eval of JSON and of Python gives alike."""
    rows.write(HeldRows([row(2, "cat", subject="x")]), "x_mmeval", tmp_path / "x.tsv")
    with (tmp_path / "x.tsv").open(newline="") as stream:
        (line,) = csv.DictReader(stream, delimiter="\t")
    shown = {"index": "2", "question": "cat", "A": "cat", "B": "None", "answer": "cat", "subject": "x"}
    assert {name: line[name] for name in shown} == shown
    assert json.loads(line["image"]) == [base64.b64encode(data).decode() for data in IMAGES[:2]]


def test_a_table_of_vlmevalkit(tmp_path: Path) -> None:
    """Without our column: all values are text; a short image names the row whose image it shares."""
    image = base64.b64encode(IMAGES[2]).decode()
    lines = [
        ["index", "image", "question", "A", "B", "answer", "category"],
        ["1", image, "Which?", "None", "", "A", "n/a"],
        ["2", "1", "Q", "", "", "1.0", ""],
        ["3", f"['{image}', \"{image}\"]", "Q", "", "", "=1+1", ""],
    ]
    with (tmp_path / "x.tsv").open("w", newline="") as stream:
        csv.writer(stream, delimiter="\t").writerows(lines)
    found = joined(rows.read(tmp_path / "x.tsv"))
    assert found[0] == {
        "id": "1",
        "messages": '[{"role": "user", "question": "Which?", "options": {"A": "None"}}]',
        "media": [{"bytes": IMAGES[2], "path": None}],
        "answer": "A",
        "category": "n/a",
    }
    assert [len(each["media"]) for each in found] == [1, 1, 2]
    assert [each["answer"] for each in found] == ["A", "1.0", "=1+1"]


def image_column(path: Path) -> list[str]:
    """The cells of the column image."""
    with path.open(newline="") as stream:
        return [line["image"] for line in csv.DictReader(stream, delimiter="\t")]


@pytest.mark.parametrize("form", ["{}", '{{"bytes": null, "path": {}}}'])
@pytest.mark.parametrize("absolute", [True, False])
def test_images_by_path_are_read_for_a_tsv(form: str, absolute: bool, tmp_path: Path) -> None:
    """Relative to the file of the rows; the row keeps the path."""
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "a.png").write_bytes(IMAGES[0])
    name = str(tmp_path / "pictures" / "a.png") if absolute else "pictures/a.png"
    media = [json.loads(form.format(json.dumps(name))), {"bytes": IMAGES[2], "path": None}]
    made = {**row(1, "x"), "media": media}
    rows.write(HeldRows([made]), "x_mmeval", tmp_path / "in.jsonl")
    assert rows.write(rows.read(tmp_path / "in.jsonl"), "x_mmeval", tmp_path / "x.tsv") == []
    (cell,) = image_column(tmp_path / "x.tsv")
    assert [base64.b64decode(each) for each in json.loads(cell)] == [IMAGES[0], IMAGES[2]]
    assert joined(rows.read(tmp_path / "x.tsv")) == [made]


def test_videos_are_a_warning(tmp_path: Path) -> None:
    """VLMEvalKit's table has no column for them; the row has them all the same."""
    made = [row(1, "x"), {**row(2, "x"), "media": ["a.mp4"]}, {**row(3, "x"), "media": ["b.MOV", "c.mp4"]}]
    assert rows.write(HeldRows(made), "x_mmeval", tmp_path / "x.tsv") == [
        "the column image holds no videos, which 2 of 3 rows have; first row 1, id '2'"
    ]
    assert image_column(tmp_path / "x.tsv")[1:] == ["", ""]


def refusal(made: list[dict[str, Any]], layout: str, folder: Path) -> str:
    """The message of an attempt to write, which leaves nothing behind."""
    with pytest.raises(InputError) as caught:
        rows.write(HeldRows(made), "x_mmeval", folder / f"x.{layout}")
    assert [*folder.iterdir()] == []
    return str(caught.value)


@pytest.mark.parametrize("layout", ["tsv", "jsonl"])
def test_what_json_cannot_hold_is_refused(layout: str, tmp_path: Path) -> None:
    """By row; nothing is written."""
    message = refusal([row(1, float("nan"))], layout, tmp_path)
    assert message.startswith("row 0, id '1': holds what JSON cannot: ")
    assert refusal([{**row(1, "x"), "id": None}], layout, tmp_path) == (
        "row 0, id None: the id is None, expected text"
    )


def test_what_parquet_cannot_hold_is_refused(tmp_path: Path) -> None:
    """By column: types that differ, media of both kinds."""
    pytest.importorskip("datasets")
    mixed = "column answer: parquet cannot hold its values"
    assert refusal([row(1, "x"), row(2, ["x"])], "parquet", tmp_path).startswith(mixed)
    assert refusal([row(1, 1), row(2, 1.5)], "parquet", tmp_path) == (
        f"{mixed} as they are: they differ in type"
    )
    assert refusal([row(1, "x"), {**row(2, "x"), "media": ["a.mp4"]}], "parquet", tmp_path) == (
        "media are images in some rows and paths in others; parquet holds one kind"
    )


@pytest.mark.parametrize(
    ("medium", "folder", "message"),
    [
        (
            "no.png",
            Path("/rows"),
            "the image 'no.png' cannot be read from /rows/no.png: No such file or directory; "
            "VLMEvalKit would leave the row out",
        ),
        (
            {"bytes": None, "path": "/no.png"},
            None,
            "the image '/no.png' cannot be read from /no.png: No such file or directory; "
            "VLMEvalKit would leave the row out",
        ),
        (
            "a\0",
            Path("/rows"),
            "the image 'a\\x00' cannot be read from /rows/a\0: embedded null byte; "
            "VLMEvalKit would leave the row out",
        ),
        (
            "no.png",
            None,
            "the image 'no.png' is a file of its own on the hub; download the dataset, "
            "and give its rows with --from FILE",
        ),
        (None, None, "a medium is None, expected an image or a path"),
    ],
)
def test_an_image_that_is_not_there_is_refused(
    medium: Any, folder: Path | None, message: str, tmp_path: Path
) -> None:
    """By row and path: VLMEvalKit says nothing of a row without its image, and leaves it out."""
    with pytest.raises(InputError) as caught:
        rows.write(
            HeldRows([row(1, "x"), {**row(2, "x"), "media": [medium]}], folder), "x", tmp_path / "x.tsv"
        )
    assert str(caught.value) == f"row 1, id '2': {message}"
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", "", "{path}: of no known layout; expected a name that ends in .tsv, .parquet, .jsonl"),
        ("x.jsonl", "[1]\n", "{path}, line 1: a JSON list, expected a row, an object"),
        ("x.jsonl", '{"id": "1", "media": 1}', "{path}, line 1: media is int, expected a list"),
        ("x.jsonl", "{}", "{path}, line 1: the id is None, expected text"),
        (
            "x.tsv",
            "a\tb\n1\t2\n",
            "{path}: lacks the columns index and question; expected a table of VLMEvalKit",
        ),
        (
            "x.tsv",
            "index\timage\tquestion\n1\t[oops\tq\n",
            "{path}, row 2: the cell image holds no image in base64, and no list of such",
        ),
        (
            "x.tsv",
            "index\timage\tmmeval\n1\t\t{}\n",
            "{path}, row 2: the cell mmeval holds no row with the images of the cell image",
        ),
        ("x.tsv", "index\tquestion\n1\tq\tz\n", "{path}, row 2: 3 cells under 2 columns"),
    ],
)
def test_files_that_cannot_be_read(name: str, content: str, message: str, tmp_path: Path) -> None:
    """One message with the place."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        rows.read(path)
    assert str(caught.value) == message.format(path=path)
