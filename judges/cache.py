"""Keeps judges' replies, so that no call is made twice and a score can be reproduced without an endpoint.

A cache is one sqlite file (WAL mode), safe for several threads, processes and ranks. A reply is committed
before its caller sees it; replies that arrive while a commit runs share the next one.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.replay import Value, fault_of, read_lines, to_line
from mmeval_pack.judges.sqlite import opened, repeated

_MOST_ROWS: Final = 256  # in one statement; sqlite takes 999 values at least


def request_key(request: Mapping[str, Any]) -> str:
    """The sha256, in hexadecimal, of a request in canonical JSON; no API key and no URL belongs in it."""
    canonical = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


class _Entry(NamedTuple):
    key: str
    value: Value
    future: Future[Value]


class Cache:
    """Replies by the key of their request.

    Attributes:
        path: the sqlite file.
        warning: why nothing is written (a read-only medium, a full disk); None while all is well.
    """

    def __init__(self, path: Path) -> None:
        """Opens the file, and makes it and its folder when they are missing.

        Raises:
            InputError: the file is damaged, no cache of ours, or of another version.
        """
        self.path = path
        self.warning: str | None = None
        self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _connect(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._pending: list[_Entry] = []
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="mmeval-judge-cache")
        self._writes, self.warning = opened(self.path)
        self._reads, _ = opened(self.path)

    def _survive_fork(self) -> None:
        """Opens a forked child's own connections: sqlite's must not cross a fork, not even to be closed."""
        if self._process != os.getpid():
            self._inherited = (self._writes, self._reads, self._writer)
            self._connect()

    def get(self, key: str) -> Value | None:
        """The reply to a request, None when there is none; a blank one is none.

        Raises:
            InputError: the file is damaged.
        """
        self._survive_fork()
        with self._lock:
            return repeated(self.path, lambda: _read(self._reads, key))

    def put(self, key: str, value: Value) -> Future[Value]:
        """Stores a reply; the first one to a request stays.

        Args:
            key: of the request.
            value: the reply, JSON values as in an exported line.

        Returns:
            A future that is done once the reply is committed, with the reply that the file holds.

        Raises:
            ValueError: it is no reply, a blank one for instance.
        """
        fault = fault_of(value)
        if fault:
            raise ValueError(fault)
        self._survive_fork()
        future: Future[Value] = Future()
        future.set_running_or_notify_cancel()  # a caller that gives up must not disturb the commit
        with self._lock:
            self._pending.append(_Entry(key, value, future))
            if len(self._pending) == 1:
                self._writer.submit(self._flush)
        return future

    def _flush(self) -> None:
        """Commits all that is pending, in the writer's thread."""
        with self._lock:
            batch, self._pending = self._pending, []
        stored: Sequence[Value] = [entry.value for entry in batch]
        if self.warning is None:
            try:
                stored = repeated(self.path, lambda: _write(self._writes, batch))
            except InputError as error:  # the replies are paid for: they are used, and the user is told
                self.warning = str(error)
        for entry, value in zip(batch, stored, strict=True):
            entry.future.set_result(value)

    def export(self, file: Path) -> int:
        """Writes all replies as JSONL, in the order of their keys, and returns their number.

        Raises:
            InputError: the cache is damaged or the file cannot be written.
        """
        self._survive_fork()
        query = "SELECT key, value FROM replies ORDER BY key"
        with self._lock:
            rows = repeated(self.path, lambda: self._reads.execute(query).fetchall())
        replies = [(key, value) for key, text in rows if (value := _decoded(text))]
        part = file.with_name(file.name + ".part")
        try:
            part.write_text("".join(to_line(key, value) for key, value in replies), encoding="utf-8")
            part.replace(file)
        except OSError as error:
            raise InputError(f"{file}: cannot be written: {error}") from None
        return len(replies)

    def import_(self, file: Path) -> int:
        """Adds the replies of an exported file and returns how many were new; what is known stays as it is.

        Raises:
            InputError: a line is no recorded reply (then nothing was added), or nothing can be written.
        """
        replies = dict(read_lines(file))
        new = sum(self.get(key) is None for key in replies)
        for future in [self.put(key, value) for key, value in replies.items()]:
            future.result()
        if self.warning:
            raise InputError(f"{file}: not imported: {self.warning}")
        return new

    def close(self) -> None:
        """Commits what is pending and closes the file."""
        if self._process == os.getpid():
            self._writer.shutdown()
            self._writes.close()
            self._reads.close()


def _read(connection: sqlite3.Connection, key: str) -> Value | None:
    row = connection.execute("SELECT value FROM replies WHERE key = ?", (key,)).fetchone()
    return _decoded(row[0]) if row else None


def _decoded(text: str) -> Value | None:
    """A stored reply; None when other hands left something in its place that is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and fault_of(value) is None else None


def _write(connection: sqlite3.Connection, batch: Sequence[_Entry]) -> list[Value]:
    """Stores a batch in one transaction and returns what the file then holds.

    One statement for the whole batch: with every one this thread gives up the interpreter's lock, and while
    the event loop is busy it waits 5 ms for its turn.
    """
    rows = {entry.key: _encoded(entry.value) for entry in batch}
    if len(rows) == len(batch) <= _MOST_ROWS:
        places = ", ".join(["(?, ?)"] * len(rows))
        arguments = [text for row in rows.items() for text in row]
        new = connection.execute(f"INSERT INTO replies VALUES {places} ON CONFLICT DO NOTHING", arguments)  # noqa: S608 (places holds question marks)
        if new.rowcount == len(rows):
            return [entry.value for entry in batch]
    return _write_one_by_one(connection, batch)


def _write_one_by_one(connection: sqlite3.Connection, batch: Sequence[_Entry]) -> list[Value]:
    """The same for a batch of which the file holds a part, or that holds a key twice."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        stored = []
        for entry in batch:
            known = _read(connection, entry.key)
            if known is None:
                row = (entry.key, _encoded(entry.value))
                connection.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", row)
            stored.append(known or entry.value)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return stored


def _encoded(value: Value) -> str:
    return json.dumps(value, sort_keys=True)
