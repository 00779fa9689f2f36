"""Metadata files: what is read from good ones, and every way in which bad ones are refused."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.translators.metadata import Benchmark, MetadataError, parse, read

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
FILE: dict[str, Any] = {
    "name": "Shapes",
    "release_date": "2024-02-29",
    "subsets": {
        "main": {
            "language": ["en"],
            "modalities": ["single_image_start", "text"],
            "task_type": "multiple_choice_qa",
            "score_pipeline": ["exact-match", "rule-match"],
            "score_params": {"numeric_rel_tol": 0.01},
            "score_protocol": {"reference": "a paper", "note": "a note"},
            "prompt_template": "<image>{{ question }}",
            "prompt_template_source": {"origin": "official", "reference": "a page"},
            "mapping_from_source": {
                "media": {"from": "image_1..image_7", "type": "list", "min_items": 0, "max_items": 7},
                "answer": {"from": "Correct Answer", "optional": True},
                "choices": [{"key": "A", "from": "Choice A"}, {"key": "B", "from": "b", "optional": True}],
                "extra": {
                    name: {"from": name} for name in ("source", "task_type", "language", "question_type")
                },
                "source": {
                    "format": "json",
                    "url": {"2022": "https://example.org, see the page", "main": ""},
                },
            },
        }
    },
}
Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def changed(change: Change) -> bytes:
    """The file's bytes after a change of it and of its subset ``main``."""
    file = copy.deepcopy(FILE)
    change(file, file["subsets"]["main"])
    return json.dumps(file).encode()


def load(change: Change = lambda _, __: None) -> Benchmark:
    """The benchmark that the changed file describes."""
    return parse(changed(change), "f.json")


def problems(data: bytes) -> list[str]:
    """The problems of a file, as its error tells them."""
    with pytest.raises(MetadataError) as error:
        parse(data, "f.json")
    first, *rest = str(error.value).split("\n  ")
    assert first == ("f.json: 1 problem" if len(rest) == 1 else f"f.json: {len(rest)} problems")
    assert error.value.problems == tuple(rest)
    return rest


def of_main(**values: Any) -> Change:
    """A change of keys of the subset."""
    return lambda _, main: main.update(values)


def of_file(**values: Any) -> Change:
    """A change of keys at the top."""
    return lambda file, _: file.update(values)


def of_mapping(**values: Any) -> Change:
    """A change of keys of mapping_from_source."""
    return lambda _, main: main["mapping_from_source"].update(values)


def renamed(key: str, new: str) -> Change:
    """A key of the subset under another name."""
    return lambda _, main: main.update({new: main.pop(key)})


def test_a_good_file() -> None:
    """All that the compiler needs is there, and nothing is odd."""
    benchmark = load()
    assert (benchmark.name, benchmark.release_date) == ("Shapes", date(2024, 2, 29))
    assert benchmark.sha256 == sha256(changed(lambda _, __: None)).hexdigest()
    assert benchmark.warnings == ()
    (main,) = benchmark.subsets
    assert (main.name, main.language, main.modalities) == ("main", ("en",), ("single_image_start", "text"))
    assert (main.score_pipeline, main.unsupported) == (("exact-match", "rule-match"), None)
    assert (main.score_params, main.official_protocol) == ({"numeric_rel_tol": 0.01}, True)
    assert main.splits == ("2022", "main")
    assert [entry.origin for entry in main.mapping.choices] == ["Choice A", "b"]


def test_records_are_frozen() -> None:
    """What was read stays as it was."""
    benchmark = load()
    with pytest.raises(ValueError, match="frozen"):
        benchmark.name = "x"  # type: ignore[misc] # the fault under test
    with pytest.raises(ValueError, match="frozen"):
        benchmark.subsets[0].prompt_template = "x"  # type: ignore[misc] # the fault under test


def test_an_older_file() -> None:
    """v2 has no scoring keys and no source of its template."""

    def older(_: dict[str, Any], main: dict[str, Any]) -> None:
        for key in ("score_pipeline", "score_params", "score_protocol", "prompt_template_source"):
            del main[key]

    (main,) = load(older).subsets
    assert (main.score_pipeline, main.official_protocol, main.unsupported) == (None, None, None)


def test_no_official_protocol() -> None:
    """An empty pipeline is a statement of its own."""
    (main,) = load(of_main(score_pipeline=[])).subsets
    assert (main.score_pipeline, main.official_protocol) == ((), False)


def test_stages_are_read_as_scoring_reads_them() -> None:
    """Spaces around a name do not count, and blank names are passed over."""
    (main,) = load(of_main(score_pipeline=[" exact-match ", "", "anls"])).subsets
    assert main.score_pipeline == ("exact-match", "anls")


def test_an_unsupported_subset() -> None:
    """It is read, with the publisher's reason."""
    (main,) = load(of_main(score_pipeline={"unsupported": "code-execution", "reason": "runs code"})).subsets
    assert main.unsupported is not None
    assert (main.unsupported.name, main.unsupported.reason) == ("code-execution", "runs code")
    assert main.score_pipeline is None


def test_unknown_keys_are_kept() -> None:
    """Prose that the format does not define is no fault, even under the names of our own attributes."""
    prose = {"remark": "x", "warnings": 1, "name": 2, "unsupported": 3, "extra": {"a": None}}
    benchmark = load(lambda file, main: (file.update(license="MIT"), main.update(prose)))
    assert (benchmark.extra, benchmark.subsets[0].extra) == ({"license": "MIT"}, prose)
    assert (benchmark.subsets[0].name, benchmark.subsets[0].warnings) == ("main", ())


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        (of_main(task_type="vqaa"), "subsets.main.task_type: 'vqaa' is no known name; did you mean vqa?"),
        (
            of_main(task_type="sorting"),
            "subsets.main.task_type: 'sorting' is no known name; known are multiple_choice_qa, "
            "multiple_choice_vqa, vqa, captioning, judge_scored",
        ),
        (
            of_main(score_params={"rubric": "binry"}),
            "subsets.main.score_params.rubric: 'binry' is no known name; did you mean binary?",
        ),
        (
            of_main(prompt_template=" "),
            "subsets.main.prompt_template: is empty, so every row must bring its own prompt",
        ),
        (
            of_main(modalities=["single_video_start"]),
            "subsets.main.video_storage: is missing, though the subset has videos",
        ),
        (
            of_main(score_protocol={"refrence": "x"}),
            "subsets.main.score_protocol.refrence: is no known key; did you mean reference?",
        ),
        (
            of_mapping(id={"from": "id", "notes": "x"}),
            "subsets.main.mapping_from_source.id.notes: is no known key; did you mean note?",
        ),
        (
            of_mapping(source={"url": {"val-1": "", "val.1": "", "2022": ""}}),
            "subsets.main.mapping_from_source.source.url: 'val-1' is no name of a split on the hub; "
            "pack.json can say the hub's name",
        ),
        (
            of_mapping(source={"url": {"all": ""}}),
            "subsets.main.mapping_from_source.source.url: 'all' is no name of a split on the hub; "
            "pack.json can say the hub's name",
        ),
        (
            of_main(prompt_template="{% if hint %}{{ hnit }}{% endif %}{{ question }}"),
            "subsets.main.prompt_template: reads 'hnit', which is no known field of the rows; "
            "did you mean hint?",
        ),
        (
            of_main(
                prompt_template="{{ contxt }}",
                mapping_from_source={"source": {"url": {"test": ""}}, "extra": {"context": {"from": "c"}}},
            ),
            "subsets.main.prompt_template: reads 'contxt', which is no known field of the rows; "
            "did you mean context?",
        ),
        (
            of_main(prompt_template="{{ question }} {{ answer }}"),
            "subsets.main.prompt_template: reads 'answer', which no template gets to see",
        ),
    ],
)
def test_oddities_are_warnings(change: Change, warning: str) -> None:
    """They stand in the records, and the file is read."""
    benchmark = load(change)
    assert benchmark.warnings == benchmark.subsets[0].warnings == (warning,)


@pytest.mark.parametrize(
    "template",
    [
        "{{ question }}{{ options }}{{ choices }}{{ id }}{{ question_type }}",
        "{% for _ in range(n_images) %}<image>{% endfor %}{{ subject }}{{ A }}{{ choice_b }}",
        "{% for optoin in options %}{{ optoin }}{% endfor %}",
    ],
)
def test_names_that_rows_can_have(template: str) -> None:
    """Fields of the format, mapped or not, the template's own names, and names like none of them."""
    assert load(of_main(prompt_template=template)).warnings == ()


def test_a_missing_date_is_odd() -> None:
    """Null says that there is none; a missing key is only odd."""
    assert load(of_file(release_date=None)).warnings == ()
    benchmark = load(lambda file, _: file.pop("release_date"))
    assert benchmark.warnings == ("release_date: is missing, expected YYYY-MM-DD or null",)
    assert (benchmark.release_date, benchmark.subsets[0].warnings) == (None, ())


STAGES = "known are exact-match, rule-match, llm-match, llm-judge, vqa-accuracy, anls"
PIPELINE = 'a list of stages, [] where no official protocol exists, or {"unsupported": name, "reason": text}'
URL = "{split: address}: its keys name the published splits"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            renamed("prompt_template", "promt_template"),
            [
                "promt_template: is no known key; did you mean prompt_template?",
                "prompt_template: is missing, expected a Jinja template",
            ],
        ),
        (
            renamed("score_pipeline", "score_pipline"),
            ["score_pipline: is no known key; did you mean score_pipeline?"],
        ),
        (
            renamed("score_pipeline", "scorePipeline"),
            ["scorePipeline: is no known key; did you mean score_pipeline?"],
        ),
        (
            of_main(score_params={"strng_match": "anls", "threshold": 4, "numeric_abs_tol": "x"}),
            [
                "score_params.strng_match: is no known key; did you mean string_match?",
                "score_params.threshold: is 4, expected a number from 0 to 1",
                "score_params.numeric_abs_tol: is 'x', expected a finite number of at least 0",
            ],
        ),
        (of_main(score_params=[]), ["score_params: is a list, expected an object"]),
        (of_main(score_type="mcq"), ["score_type: is retired; publish score_pipeline instead"]),
        (
            of_main(score_params={"score_type": 1}),
            ["score_params.score_type: is retired; publish score_pipeline instead"],
        ),
        (of_main(score_pipeline=None), [f"score_pipeline: is null, expected {PIPELINE}"]),
        (of_main(score_pipeline="anls"), [f"score_pipeline: is 'anls', expected {PIPELINE}"]),
        (of_main(score_pipeline={"reason": "x"}), [f"score_pipeline: is an object, expected {PIPELINE}"]),
        (
            of_main(score_pipeline={"unsupported": "x"}),
            ["score_pipeline.reason: is missing, expected text that says why"],
        ),
        (
            of_main(score_pipeline={"unsupported": 3, "reason": ""}),
            ["score_pipeline.unsupported: is 3, expected text"],
        ),
        (
            of_main(score_pipeline=["exact-mach"]),
            [f"score_pipeline: unknown stage 'exact-mach' (did you mean exact-match?): {STAGES}"],
        ),
        (of_main(score_pipeline=[1, "anls"]), ["score_pipeline[0]: is 1, expected text"]),
        (
            of_main(score_pipeline=["anls", "anls"]),
            ["score_pipeline: score pipeline names anls twice, expected each stage once"],
        ),
        (
            of_main(prompt_template="a\n{{ x"),
            [
                "prompt_template: template line 2: unexpected end of template, "
                "expected 'end of print statement'."
            ],
        ),
        (of_main(prompt_template=None), ["prompt_template: is null, expected text"]),
        (
            of_main(prompt_template="x" * 100_001),
            ["prompt_template: the template has 100,001 characters, expected 100,000 at most"],
        ),
        (of_main(language="en"), ["language: is 'en', expected a list"]),
        (
            of_main(modalities=["txt"]),
            [
                "modalities[0]: is 'txt', expected single_image_start or single_video_start or "
                "multi_image_start or multi_image_interleave or multi_video_interleave or "
                "multi_image_video_interleave or text; "
                "did you mean text?"
            ],
        ),
        (
            of_main(video_storage={"format": "file", "media_root": "../x", "archive_format": "rar"}),
            [
                "video_storage.format: is 'file', expected files or archives; did you mean files?",
                "video_storage.media_root: is '../x', expected a path within the repository",
                "video_storage.archive_format: is 'rar', expected zip or tar or tar.gz; did you mean tar?",
            ],
        ),
        (
            of_mapping(source={"format": "json"}),
            [f"mapping_from_source.source.url: is missing, expected {URL}"],
        ),
        (
            of_mapping(source={"url": {}}),
            [f"mapping_from_source.source.url: is empty, expected {URL}"],
        ),
        (
            of_mapping(source={"url": ["x"]}),
            ["mapping_from_source.source.url: is a list, expected an object"],
        ),
        (
            of_mapping(source={"url": {"": "x", "a/b": "y", "c": None}}),
            [
                "mapping_from_source.source.url['']: is blank, expected a name",
                "mapping_from_source.source.url['a/b']: looks like a path, expected a plain name",
                "mapping_from_source.source.url.c: is null, expected text",
            ],
        ),
        (
            of_mapping(choices=[{"from": 1}], media=3, extra={"a list": {"optional": "no"}}),
            [
                "mapping_from_source.extra['a list'].optional: is 'no', expected true or false",
                "mapping_from_source.media: is 3, expected an object",
                "mapping_from_source.choices[0].from: is 1, expected text",
            ],
        ),
        (of_main(mapping_from_source=None), ["mapping_from_source: is null, expected an object"]),
        (
            of_main(note={"deep": [2**63, "\ud800"]}),
            [
                "note.deep[0]: is an integer too large, expected 64 bits at most",
                "note.deep[1]: holds half of a surrogate pair, which no UTF-8 file can hold",
            ],
        ),
    ],
)
def test_problems_of_a_subset(change: Change, expected: list[str]) -> None:
    """Each names its place, what is wrong and what would be right; all of a file come together."""
    assert problems(changed(change)) == [f"subsets.main.{text}" for text in expected]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            of_file(name=3, release_date="2024-02-30"),
            [
                "name: is 3, expected text",
                "release_date: is '2024-02-30', no date: day is out of range for month",
            ],
        ),
        (of_file(release_date=20240101), ["release_date: is 20240101, expected a date YYYY-MM-DD or null"]),
        (
            of_file(release_date="20240101"),
            ["release_date: is '20240101', expected a date YYYY-MM-DD or null"],
        ),
        (of_file(subsets={}), ["subsets: is empty, expected at least one subset"]),
        (of_file(subsets=[]), ["subsets: is a list, expected an object"]),
        (of_file(subsets={"x": 3}), ["subsets.x: is 3, expected an object"]),
        (of_file(name="a\x00b"), ["name: holds a control or invisible character, expected a plain name"]),
        (of_file(name="../b"), ["name: looks like a path, expected a plain name"]),
        (of_file(name=" b"), ["name: begins or ends with a space, expected a plain name"]),
        (of_file(name="b" * 201), ["name: is a name of 201 characters, expected 200 at most"]),
        (of_file(name="\udfff"), ["name: holds half of a surrogate pair, which no UTF-8 file can hold"]),
        (
            lambda file, _: file.clear(),
            [
                "name: is missing, expected the benchmark's name",
                "subsets: is missing, expected {name: subset}",
            ],
        ),
    ],
)
def test_problems_at_the_top(change: Change, expected: list[str]) -> None:
    """The same for the file's own keys."""
    assert problems(changed(change)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "is empty, expected a JSON object"),
        (b"\xef\xbb\xbf{}", "begins with a byte order mark; save it as UTF-8 without one"),
        (b'{"a": "\xff"}', "is not UTF-8: byte 7, 0xff"),
        (b"[]", "holds no JSON object at its top level, expected {name, release_date, subsets}"),
        (b'{"a": ', "is no JSON: line 1, column 7: Expecting value"),
        (b'{"a": "\x00"}', "is no JSON: line 1, column 8: Invalid control character at"),
        (b'{"a": NaN}', "holds NaN, which is no JSON"),
        (b'{"a": -Infinity}', "holds -Infinity, which is no JSON"),
        (b"[" * 100_000, "is nested too deeply, expected 30 levels at most"),
        (b" " * 5_000_001, "is larger than 5,000,000 bytes"),
    ],
)
def test_bytes_that_are_no_file(data: bytes, expected: str) -> None:
    """The one problem that hides all others."""
    assert problems(data) == [expected]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ('1, "note": 2', "'note': stands twice in one object"),
        ("9" * 5_000, "note: is an integer too large, expected 64 bits at most"),
        ("1e999", "note: is a number too large, expected a finite one"),
        ("[" * 40 + "]" * 40, "note" + "[0]" * 30 + ": is nested too deeply, expected 30 levels at most"),
    ],
)
def test_json_that_nobody_should_write(value: str, problem: str) -> None:
    """Numbers that no reader agrees on, keys that hide each other, bottomless lists."""
    text = changed(of_file(note="HERE")).decode().replace('"HERE"', value)
    assert problems(text.encode()) == [problem]


def test_a_message_has_an_end() -> None:
    """A hundred problems are enough to read; all of them are data."""
    with pytest.raises(MetadataError) as error:
        parse(changed(of_file(subsets={f"s{number}": 3 for number in range(150)})), "f.json")
    lines = str(error.value).split("\n")
    assert (lines[0], len(lines), lines[-1]) == ("f.json: 150 problems", 102, "  and 50 more")
    assert len(error.value.problems) == 150


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A folder or nothing in the file's place is one clear error."""
    with pytest.raises(MetadataError) as error:
        read(tmp_path)
    assert str(error.value) == f"{tmp_path}: 1 problem\n  cannot be read: Is a directory"
    with pytest.raises(MetadataError) as error:
        read(tmp_path / "none.json")
    assert str(error.value) == f"{tmp_path}/none.json: 1 problem\n  cannot be read: No such file or directory"


FILES = sorted(
    {*ROOT.glob("tasks/*/metadata.json"), *SHARED.glob("corpus/*/*.json"), *SHARED.glob("metadata/*.json")}
)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_published_files_are_read_without_a_warning(file: Path) -> None:
    """Ours, and those beside the checkout where they are."""
    benchmark = read(file)
    assert benchmark.warnings == ()
    assert all(subset.splits for subset in benchmark.subsets)


def parses_or_refuses(data: bytes) -> None:
    """Nothing but the one error comes out of the reader."""
    try:
        parse(data, "f.json")
    except MetadataError as error:
        assert error.problems  # noqa: PT017 # either end is fine; this one must say why


@settings(deadline=None)
@given(st.binary() | st.text().map(str.encode))
def test_any_bytes(data: bytes) -> None:
    """Whatever stands in a file."""
    parses_or_refuses(data)


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text() | st.sampled_from(["from", "unsupported", "url"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_change_of_a_good_file(data: st.DataObject) -> None:
    """Values replaced, taken away and renamed at any place."""
    file = copy.deepcopy(FILE)
    for _ in range(data.draw(st.integers(1, 3))):
        place: Any = file
        while True:
            key = data.draw(
                st.sampled_from(sorted(place, key=str) if isinstance(place, dict) else range(len(place)))
            )
            if not place[key] or not isinstance(place[key], (dict, list)) or data.draw(st.booleans()):
                break
            place = place[key]
        action = data.draw(st.sampled_from(["replace", "remove", "rename"]))
        if action == "replace" or isinstance(place, list):
            place[key] = data.draw(VALUES)
        elif action == "remove" and place is not file:
            del place[key]
        else:
            place[data.draw(st.text() | st.sampled_from([key[1:], key + "s"]))] = place.pop(key)
    parses_or_refuses(json.dumps(file).encode())


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 20), st.binary(max_size=4))
def test_any_damage_of_a_good_file(start: int, length: int, patch: bytes) -> None:
    """Bytes overwritten, cut out and put in."""
    data = changed(lambda _, __: None)
    start %= len(data)
    parses_or_refuses(data[:start] + patch + data[start + length :])


def _paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Each key of an object and of the objects in it, by its path."""
    for key in value if isinstance(value, dict) else ():
        yield (*path, key)
        yield from _paths(value[key], (*path, key))


def test_the_least_that_the_docs_say_a_file_needs() -> None:
    """It is read without a warning, and is not when any of its keys is missing."""
    text = (Path(__file__).parents[2] / "docs" / "pack.md").read_text("utf-8")
    (least,) = (found for found in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if "subsets" in found)
    assert parse(least.encode(), "least").warnings == ()
    for path in _paths(json.loads(least)):
        data = json.loads(least)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        try:
            warnings = parse(json.dumps(data).encode(), "less").warnings
        except MetadataError:
            continue
        assert warnings == ("release_date: is missing, expected YYYY-MM-DD or null",), path
