"""The cache of judges' replies, in real files, threads and processes."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.cache import Cache, request_key
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.replay import Replay

# Writes replies for ever, and tells each key only after its reply is committed.
WRITER = """
import sys
from pathlib import Path
from mmeval_pack.judges.cache import Cache, request_key
counts = {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3, "cached_tokens": 0}
value = {"model": "m", "text": "1", **counts}
cache = Cache(Path(sys.argv[1]))
start, count, group = map(int, sys.argv[2:5])
for number in range(start, start + count, group):
    keys = [request_key({"number": k}) for k in range(number, number + group)]
    for future in [cache.put(key, {**value, "text": f"from {start}"}) for key in keys]:
        future.result()
    print(*keys, sep="\\n", flush=True)
"""

READER = """
import os, sys
from pathlib import Path
from mmeval_pack.judges.cache import Cache
if os.getuid() == 0:  # whom no permission stops
    os.setuid(65534)
cache = Cache(Path(sys.argv[1]))
counts = {"calls": 1, "prompt_tokens": 2, "completion_tokens": 3, "cached_tokens": 0}
value = {"model": "m", "text": "1", **counts}
found = cache.get(sys.argv[2])
print(found and found["text"])
print(cache.put("0" * 64, value).result()["text"])
print(cache.get("0" * 64))
print(cache.warning)
"""


def reply(text: str = "1", **fields: Any) -> dict[str, Any]:
    """A reply as the client records it."""
    counts = {"calls": 1, "prompt_tokens": 20, "completion_tokens": 3, "cached_tokens": 0}
    return {"model": "m", "text": text, **counts, **fields}


def key(number: int) -> str:
    """The key of a numbered request."""
    return request_key({"number": number})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a cache is to be made, in a folder that does not exist yet."""
    return tmp_path / "deep" / "verdicts.sqlite"


@pytest.fixture
def cache(path: Path) -> Iterator[Cache]:
    """An empty cache."""
    with Cache(path) as opened:
        yield opened


def start_writer(path: Path, start: int, count: int, group: int = 1) -> subprocess.Popen[str]:
    """A process that writes replies."""
    command = [sys.executable, "-c", WRITER, str(path), str(start), str(count), str(group)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_the_key_is_of_the_request_whatever_its_order() -> None:
    """Equal requests have equal keys, other ones have others."""
    assert request_key({"a": 1, "b": "é\ud800"}) == request_key({"b": "é\ud800", "a": 1})
    assert request_key({"a": 1}) != request_key({"a": "1"})
    assert len(request_key({})) == 64


def test_a_reply_survives_the_cache(cache: Cache, path: Path) -> None:
    """What was put is there, for this object and for the next one."""
    value = reply("Urteil: 1 \ud800 \u4e2d")
    assert cache.get(key(1)) is None
    assert cache.put(key(1), value).result() == value
    assert cache.get(key(1)) == value
    cache.close()
    with Cache(path) as again:
        assert again.get(key(1)) == value
        assert again.warning is None


def test_the_first_reply_stays(cache: Cache) -> None:
    """A second reply to the same request gives way, and its caller gets the first."""
    cache.put(key(1), reply("first")).result()
    assert cache.put(key(1), reply("second")).result() == reply("first")
    assert cache.get(key(1)) == reply("first")


@pytest.mark.parametrize("text", ["", " \n\t", None])
def test_a_blank_reply_is_not_stored(cache: Cache, text: str | None) -> None:
    """Blank text is refused."""
    with pytest.raises(ValueError, match="expected the judge's reply, which is never blank"):
        cache.put(key(1), reply() | {"text": text})
    assert cache.get(key(1)) is None


@pytest.mark.parametrize(
    "stored",
    ["", "{", "[]", '{"text": ""}', '{"text": "1"}', "[" * 100_000, '{"text": ' * 100_000, "9" * 5000],
    ids=lambda stored: stored[:20],
)
def test_what_others_left_blank_is_asked_again(cache: Cache, path: Path, stored: str, tmp_path: Path) -> None:
    """A blank or damaged entry is a miss, stays out of an export and is replaced."""
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO replies VALUES (?, ?)", (key(1), stored))
    assert cache.get(key(1)) is None
    assert cache.export(tmp_path / "out.jsonl") == 0
    assert cache.put(key(1), reply()).result() == reply()
    assert cache.get(key(1)) == reply()


def test_two_thousand_replies_cost_little(cache: Cache) -> None:
    """Replies that are put together share commits."""
    started = time.perf_counter()
    for future in [cache.put(key(number), reply()) for number in range(2000)]:
        future.result()
    assert time.perf_counter() - started < 2
    assert all(cache.get(key(number)) == reply() for number in range(2000))


def test_threads_share_a_cache(cache: Cache) -> None:
    """Readers and writers of many threads do not disturb each other."""
    faults: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for number in range(start, start + 100):
                cache.put(key(number), reply(str(number))).result()
                assert cache.get(key(number)) == reply(str(number))
        except BaseException as error:  # noqa: BLE001 (shown by the assertion below)
            faults.append(error)

    threads = [threading.Thread(target=work, args=(start,)) for start in range(0, 800, 50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_processes_share_a_cache(path: Path) -> None:
    """Processes that make and fill one file at once lose nothing, and agree on overlapping requests."""
    writers = [start_writer(path, start, 200) for start in (0, 100, 200, 300)]
    assert [writer.communicate()[0].count("\n") for writer in writers] == [200] * 4
    assert [writer.returncode for writer in writers] == [0] * 4
    with Cache(path) as cache:
        assert all(cache.get(key(number)) for number in range(500))


@pytest.mark.parametrize("group", [1, 64])
def test_kill_9_loses_no_committed_reply(path: Path, group: int) -> None:
    """Whatever a killed process has told of is on file, and the file works on."""
    told: list[str] = []
    for attempt in range(3):
        writer = start_writer(path, attempt * 100_000, 100_000, group)
        assert writer.stdout
        told += [writer.stdout.readline().strip() for _ in range(50 + 37 * attempt)]
        writer.send_signal(signal.SIGKILL)
        told += writer.stdout.read().split()
        writer.wait()
        writer.stdout.close()
    with Cache(path) as cache:
        missing = [text for text in told if len(text) == 64 and cache.get(text) is None]
        assert not missing
        assert cache.put(key(-1), reply()).result() == reply()


def test_a_forked_child_uses_connections_of_its_own(cache: Cache) -> None:
    """Parent and child go on after a fork."""
    cache.put(key(1), reply("before")).result()
    child = os.fork()
    if child == 0:
        good = cache.get(key(1)) == reply("before") and cache.put(key(2), reply("child")).result(10)
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert cache.get(key(2)) == reply("child")
    assert cache.put(key(3), reply("parent")).result(10) == reply("parent")


def test_a_read_only_medium_is_read_and_not_written() -> None:
    """Known replies are served, new ones are passed on unrecorded, and a warning says so."""
    with tempfile.TemporaryDirectory() as name:  # open to the user that the reader becomes
        folder = Path(name)
        path = folder / "verdicts.sqlite"
        with Cache(path) as cache:
            cache.put(key(1), reply("known")).result()
        path.chmod(0o444)
        folder.chmod(0o555)
        warning = f"{path}: cannot be written, so that no reply of the judge is kept"
        for file, known in ((path, "known"), (folder / "other.sqlite", "None")):
            command = [sys.executable, "-c", READER, str(file), key(1)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")
            assert printed == [known, "1", "None", warning.replace(str(path), str(file)), ""]
        assert sorted(folder.iterdir()) == [path]
        folder.chmod(0o755)


def test_a_file_that_is_no_database_is_refused_and_kept(tmp_path: Path) -> None:
    """One error names the file, the fault and the remedy."""
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n" * 100)
    with pytest.raises(InputError) as error:
        Cache(path)
    assert str(error.value) == (
        f"{path}: cannot be used as a cache of judges' replies (file is not a database); "
        "name another one with --judge-cache or MMEVAL_JUDGE_CACHE"
    )
    assert path.read_text() == "my notes\n" * 100


def test_a_damaged_file_is_refused(path: Path) -> None:
    """Damage behind the header is found when it is read."""
    with Cache(path) as cache:
        for future in [cache.put(key(number), reply("x" * 500)) for number in range(100)]:
            future.result()
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    with Cache(path) as cache, pytest.raises(InputError) as error:
        cache.get(key(1))
    assert str(error.value) == (
        f"{path}: cannot be used as a cache of judges' replies (database disk image is malformed); "
        "name another one with --judge-cache or MMEVAL_JUDGE_CACHE"
    )


def test_another_programs_database_is_refused_and_kept(tmp_path: Path) -> None:
    """A foreign sqlite file is not touched, not even its journal mode."""
    path = tmp_path / "foreign.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InputError) as error:
        Cache(path)
    assert str(error.value) == (
        f"{path}: a database of another program, no cache of judges' replies; "
        "name another file with MMEVAL_JUDGE_CACHE"
    )
    assert path.read_bytes() == before


def test_another_version_is_refused(path: Path) -> None:
    """A file of a later release is not misread."""
    Cache(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    with pytest.raises(InputError) as error:
        Cache(path)
    assert str(error.value) == (
        f"{path}: a cache of version 2, this release reads 1; name another file with MMEVAL_JUDGE_CACHE"
    )


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    """The folder cannot be made."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="its folder cannot be made"):
        Cache(tmp_path / "file" / "verdicts.sqlite")


def test_replies_on_a_full_disk_are_used_and_the_user_is_told(cache: Cache) -> None:
    """A write that fails loses the record, not the reply."""
    cache._writes.execute("PRAGMA max_page_count = 1")
    big = reply("x" * 100_000)
    assert cache.put(key(1), big).result() == big
    assert cache.warning
    assert "database or disk is full" in cache.warning
    assert cache.put(key(2), reply()).result() == reply()


def test_replies_travel_as_lines(cache: Cache, tmp_path: Path) -> None:
    """Export, import and export again give the same bytes, and a replay answers alike."""
    values = {key(number): reply(f"{number} \u4e2d\ud800", stage="score") for number in range(20)}
    for future in [cache.put(*item) for item in values.items()]:
        future.result()
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert cache.export(first) == 20
    with Cache(tmp_path / "other.sqlite") as other:
        other.put(key(0), reply("own")).result()
        assert other.import_(first) == 19
        assert other.import_(first) == 0
        assert other.get(key(0)) == reply("own")
        assert other.get(key(19)) == values[key(19)]
    with Cache(tmp_path / "third.sqlite") as third:
        assert third.import_(first) == 20
        third.export(second)
    assert first.read_bytes() == second.read_bytes()
    replay = Replay(first)
    assert {name: replay.get(name) for name in values} == values
    assert replay.get(key(99)) is None
    assert replay.models == ("m",)
    assert sorted(tmp_path.glob("*.part")) == []


LINE = {"key": "0" * 64, **reply()}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "no JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "a JSON list, expected an object"),
        (LINE | {"key": "abc"}, "key is 'abc', expected the 64 lower-case hexadecimal digits of a sha256"),
        (LINE | {"text": " "}, "text is ' ', expected the judge's reply, which is never blank"),
        (LINE | {"model": None}, "model is None, expected the name of the judge"),
        (LINE | {"calls": True}, "calls is True, expected a whole number from 0"),
        (LINE | {"cached_tokens": -1}, "cached_tokens is -1, expected a whole number from 0"),
        (LINE | {"key": "f" * 64}, "the key of line 1 again; each key stands once"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_imported(
    cache: Cache, tmp_path: Path, line: dict[str, Any] | str, fault: str
) -> None:
    """The error names file, line and fault, for an import and for a replay."""
    file = tmp_path / "replies.jsonl"
    good = json.dumps(LINE | {"key": "f" * 64})
    file.write_text(f"{good}\n\n{line if isinstance(line, str) else json.dumps(line)}\n")
    for use in (cache.import_, Replay):
        with pytest.raises(InputError) as error:
            use(file)
        assert str(error.value) == f"{file}:3: {fault}"
    assert cache.get("f" * 64) is None


def test_a_missing_file_is_named(cache: Cache, tmp_path: Path) -> None:
    """Import and export name a file that cannot be used."""
    with pytest.raises(InputError, match=r"nowhere\.jsonl: cannot be read: No such file"):
        cache.import_(tmp_path / "nowhere.jsonl")
    with pytest.raises(InputError, match=r"out\.jsonl: cannot be written"):
        cache.export(tmp_path / "nowhere" / "out.jsonl")
