"""What counts as the media of a row before a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.lmms_eval.check import check, lengths
from mmeval_pack.translators.prompt import Prompt

pa = pytest.importorskip("pyarrow")
IMAGE = {"bytes": b"png", "path": None}


@pytest.mark.parametrize(
    ("media", "expected"),
    [
        ([[IMAGE], [], None, [IMAGE, IMAGE]], [1, 0, 0, 2]),
        ([[None], [IMAGE, None], [None, IMAGE], [IMAGE]], [0, 1, 0, 1]),
        ([["a.mp4", None, "b.mp4"], None, ["c.mp4"]], [1, 0, 1]),
        ([None, None], [0, 0]),
        ([[], []], [0, 0]),
        ([[None], [None, None]], [0, 0]),
        ([], []),
    ],
)
def test_media_count_up_to_the_first_null(media: list[Any], expected: list[int]) -> None:
    """What stands behind a null would be asked for in its place."""
    assert lengths(pa.chunked_array([pa.array(media)])) == expected
    split = [pa.array(part, pa.array(media).type) for part in (media[:1], media[1:])]
    assert lengths(pa.chunked_array(split)) == expected


@pytest.mark.parametrize("kind", ["large_list", "fixed_size_list"])
def test_all_kinds_of_lists(kind: str) -> None:
    """A file may have been written by anything."""
    wanted = pa.large_list(pa.string()) if kind == "large_list" else pa.list_(pa.string(), 2)
    media = [["a", "b"], None, ["c", None], [None, "d"]]
    assert lengths(pa.chunked_array([pa.array(media, wanted)])) == [2, 0, 1, 0]


def test_a_column_without_lists() -> None:
    """The message names what it holds."""
    with pytest.raises(InputError) as error:
        lengths(pa.chunked_array([pa.array(["a.png"])]))
    assert str(error.value) == "the column media holds string, expected lists"


TEMPLATE = "{{ question }}{{ context }}"


def rows(*messages: dict[str, str], **columns: list[str]) -> Any:
    """A dataset of rows with these messages."""
    datasets = pytest.importorskip("datasets")
    texts = [json.dumps([message]) for message in messages]
    names = [str(number) for number in range(len(texts))]
    return datasets.Dataset.from_dict({"id": names, "messages": texts, **columns})


def test_a_name_that_no_row_has_is_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """The publisher renders it as nothing, too."""
    check("toy_mmeval", Prompt(TEMPLATE), rows({"question": "?"}, {"question": "!"}))
    assert capsys.readouterr().err == (
        "mmeval-pack: warning: task toy_mmeval: the prompt template reads 'context', which no row has: "
        "it is rendered as nothing\n"
    )


def test_a_misspelt_name_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Each prompt would lack what it is about."""
    with pytest.raises(SystemExit):
        check("toy_mmeval", Prompt(TEMPLATE), rows({"question": "?"}, contxt=["x"]))
    assert capsys.readouterr().err == (
        "mmeval-pack: task toy_mmeval: the prompt template reads 'context', which no row has; they have "
        "'contxt', so one of the two is misspelt, and nothing is asked\n"
    )


@pytest.mark.parametrize(
    ("template", "messages"),
    [
        (TEMPLATE, [{"question": "?"}, {"question": "?", "context": ""}]),
        (TEMPLATE, [{"prompt": "as it is"}]),
        ("?{% if context %}{{ context }}{% endif %}", [{"question": "?"}]),
        (TEMPLATE, []),
    ],
)
def test_names_that_may_be_missing(
    template: str, messages: list[dict[str, str]], capsys: pytest.CaptureFixture[str]
) -> None:
    """From some rows, where the row brings its prompt, where the template provides for it, without rows."""
    check("toy_mmeval", Prompt(template), rows(*messages))
    assert capsys.readouterr().err == ""


def test_a_row_with_a_null_for_an_image_stops_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is generated, not when the row's turn comes."""
    datasets = pytest.importorskip("datasets")
    messages = '[{"question": "<image>?"}]'
    data = datasets.Dataset.from_dict({"id": ["a"], "messages": [messages], "media": [[None]]})
    with pytest.raises(SystemExit):
        check("toy_mmeval", Prompt("{{ question }}"), data)
    assert capsys.readouterr().err == (
        "mmeval-pack: task toy_mmeval: 1 of 1 rows cannot be asked, so nothing is:\n"
        "  row 0, id 'a': 1 media tokens in the prompt, 0 media in the row\n"
    )
