"""pack.json: its form, and all its faults in one message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.pack import Pack, read

SUBSETS = {"main": ("test",), "two": ("dev", "test")}


def message(file: Path) -> str:
    """The text of the refusal."""
    with pytest.raises(InputError) as caught:
        read(file, SUBSETS)
    return str(caught.value)


def test_a_whole_file(tmp_path: Path) -> None:
    """A text as split stands for the only one, an object for several."""
    file = tmp_path / "pack.json"
    hub = {"main": {"config": "default", "split": "main_test"}, "two": {"split": {"dev": "two_dev"}}}
    file.write_text(
        json.dumps({"version": "2.10", "groups": [["a"], ["a", "b"]], "judge": "mathverse", "hub": hub})
    )
    assert read(file, SUBSETS) == Pack(
        version="2.10",
        groups=(("a",), ("a", "b")),
        judge="mathverse",
        configs={"main": "default"},
        splits={("main", "test"): "main_test", ("two", "dev"): "two_dev"},
    )


def test_a_missing_or_empty_file(tmp_path: Path) -> None:
    """Both are the empty pack."""
    file = tmp_path / "pack.json"
    assert read(file, SUBSETS) == Pack()
    file.write_text("{}")
    assert read(file, SUBSETS) == Pack(version="1.0", groups=(), judge=None, configs={}, splits={})


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Not the same as a missing one."""
    assert message(tmp_path) == f"{tmp_path}: cannot be read: Is a directory"


def test_all_problems_of_a_pack_file_at_once(tmp_path: Path) -> None:
    """Each with its place, what would be right and the nearest known key."""
    pack = {
        "versoin": "1.0",
        "version": 1.0,
        "groups": [["subject"], []],
        "hub": {"mian": {}, "main": {"konfig": "x", "config": "", "split": 1}, "two": {"split": "dev"}},
        "else": 1,
    }
    file = tmp_path / "pack.json"
    file.write_text(json.dumps(pack))
    assert message(file).split("\n  ") == [
        f"{file}: 9 problems:",
        "versoin: unknown key; did you mean 'version'?",
        "else: unknown key; known are 'version', 'groups', 'judge', 'hub'",
        'version: expected a text such as "1.0", found 1.0',
        'groups: expected lists of field names such as [["subject"]], found [["subject"], []]',
        "hub.mian: unknown key; did you mean 'main'?",
        "hub.main.konfig: unknown key; did you mean 'config'?",
        'hub.main.config: expected the name of a configuration, found ""',
        "hub.main.split: expected the name of a split, found 1",
        "hub.two.split: expected an object with a name for each of dev, test",
    ]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("[]", "expected an object, found []"),
        ('{"hub": []}', "hub: expected an object of subsets, found []"),
        (
            '{"hub": {"main": 1}}',
            'hub.main: expected an object such as {"config": "default"}, found 1',
        ),
        (
            '{"hub": {"main": {"split": {"test": 1}}}}',
            "hub.main.split: expected names of splits,",
        ),
        (
            '{"judge": "mathvers"}',
            'judge: expected the name of a judge, found "mathvers" (did you mean mathverse?): '
            "known are general, mathverse",
        ),
        ('{"judge": null}', "judge: expected the name of a judge, found null"),
        ("{", "is no JSON text: "),
        (
            '{"version": "1.0", "version": "2.0"}',
            "is no JSON text: a key stands twice among 'version', 'version'",
        ),
        (
            '{"\\u001b[31m\\n": 1, "\\u001b[31m\\n": 2}',
            r"is no JSON text: a key stands twice among '\x1b[31m\n', '\x1b[31m\n'",
        ),
        (r'{"\u001b[31m\n": 1}', r"'\x1b[31m\n': unknown key; "),
        (r'{"hub": {"\u001b[31m\n": {}}}', r"hub.'\x1b[31m\n': unknown key; "),
        (
            r'{"hub": {"main": {"config": "a\nb"}}}',
            r'hub.main.config: expected the name of a configuration, found "a\nb"',
        ),
        (r'{"groups": [["a"], ["b"], ["a"]]}', "groups: 'a' stands twice"),
        (r'{"groups": [["a/b"], ["a", "b"]]}', "groups: 'a/b' stands twice"),
    ],
)
def test_a_pack_file_of_another_shape(tmp_path: Path, content: str, fault: str) -> None:
    """One clear message, whatever stands in the file."""
    file = tmp_path / "pack.json"
    file.write_text(content)
    assert message(file).startswith(f"{file}: {fault}")


@pytest.mark.parametrize("name", ["test-mini", "no good", "all", "", "a.", "a\n", "\ud800", "../x"])
def test_a_split_that_no_dataset_can_have(tmp_path: Path, name: str) -> None:
    """Refused here, where it says what the hub has; nothing else would find it before a run."""
    file = tmp_path / "pack.json"
    file.write_text(json.dumps({"hub": {"main": {"split": name}}}))
    fault = f"hub.main.split: expected the name of a split, found {json.dumps(name)}"
    assert message(file) == f"{file}: {fault}"
    file.write_text(json.dumps({"hub": {"two": {"split": {"dev": name}}}}))
    fault = f"hub.two.split: expected names of splits, found {json.dumps({'dev': name})}"
    assert message(file) == f"{file}: {fault}"
