"""mmeval-pack cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.cache import Cache

REPLY = {
    "text": "1",
    "model": "m",
    "calls": 1,
    "prompt_tokens": 9,
    "completion_tokens": 1,
    "cached_tokens": 0,
}


@pytest.fixture
def filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of three replies, which the environment names."""
    path = tmp_path / "judge.sqlite"
    monkeypatch.setenv("MMEVAL_JUDGE_CACHE", str(path))
    with Cache(path) as cache:
        for digit in "213":
            cache.put(digit * 64, REPLY).result()
    return path


def test_round_trip(run: Callable[..., Any], filled: Path, tmp_path: Path) -> None:
    """Export, import elsewhere, export again: the same bytes, in the order of the keys."""
    first, second, other = tmp_path / "1.jsonl", tmp_path / "2.jsonl", tmp_path / "other.sqlite"
    assert run("cache", "export", first) == (0, "", f"{first}: 3 replies written\n")
    assert run("cache", "import", first, "--judge-cache", other) == (0, "", f"{other}: 3 of 3 replies new\n")
    assert run("cache", "import", first) == (0, "", f"{filled}: 0 of 3 replies new\n")
    assert run("cache", "export", second, "--judge-cache", other, "--quiet") == (0, "", "")
    assert first.read_bytes() == second.read_bytes()
    keys = [json.loads(line)["key"] for line in first.read_text().splitlines()]
    assert keys == ["1" * 64, "2" * 64, "3" * 64]


def test_one_reply(run: Callable[..., Any], filled: Path, tmp_path: Path) -> None:
    """The message counts, and what is known stays as it is."""
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps({"key": "1" * 64, **REPLY, "text": "0"}) + "\n")
    assert run("cache", "import", file) == (0, "", f"{filled}: 0 of 1 reply new\n")
    with Cache(filled) as cache:
        assert cache.get("1" * 64) == REPLY


def test_the_folder_of_the_user(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing is named, and whether or not a judge is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("MMEVAL_JUDGE", "off")
    monkeypatch.delenv("MMEVAL_JUDGE_CACHE", raising=False)
    path = tmp_path / "mmeval-pack" / "judge.sqlite"
    message = f"mmeval-pack: {path}: no such cache; name another one with --judge-cache\n"
    assert run("cache", "export", tmp_path / "x") == (2, "", message)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        (
            json.dumps({"key": "1" * 64, **REPLY, "text": " "}),
            "text is ' ', expected the judge's reply, which is never blank",
        ),
    ],
)
def test_a_file_that_is_refused(
    run: Callable[..., Any], filled: Path, tmp_path: Path, line: str, fault: str
) -> None:
    """The message names the line; the cache stays as it was, and none is made."""
    file, new = tmp_path / "bad.jsonl", tmp_path / "new.sqlite"
    file.write_text(json.dumps({"key": "9" * 64, **REPLY}) + "\n" + line + "\n")
    for options in ([], ["--judge-cache", new]):
        assert run("cache", "import", file, *options) == (2, "", f"mmeval-pack: {file}:2: {fault}\n")
    assert not new.exists()
    with Cache(filled) as cache:
        assert cache.get("9" * 64) is None


def test_what_cannot_be_written_or_read(run: Callable[..., Any], filled: Path, tmp_path: Path) -> None:
    """A device stays one, the cache is not overwritten by itself, and a file of others is left alone."""
    assert (
        run("cache", "export", "/dev/null").err
        == "mmeval-pack: /dev/null: is no file; give the name of one\n"
    )
    assert Path("/dev/null").is_char_device()
    for action in ("export", "import"):
        assert run("cache", action, "-") == (2, "", "mmeval-pack: -: expected the name of a file\n")
    expected = f"mmeval-pack: {filled}: is the cache itself; give another file\n"
    assert run("cache", "export", filled) == (2, "", expected)
    code, _, err = run("cache", "export", tmp_path / "no" / "x.jsonl")
    assert (code, err.startswith(f"mmeval-pack: {tmp_path / 'no' / 'x.jsonl'}: cannot be written: ")) == (
        2,
        True,
    )
    other = tmp_path / "other.sqlite"
    other.write_text("no database, but long enough to have a header that says so" * 20)
    code, _, err = run("cache", "export", tmp_path / "x.jsonl", "--judge-cache", other)
    assert (code, err.startswith(f"mmeval-pack: {other}: cannot be used as a cache")) == (2, True)
    assert not (tmp_path / "x.jsonl").exists()
