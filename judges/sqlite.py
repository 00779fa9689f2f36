"""Opens the cache's sqlite file: new, known, foreign, damaged or on a read-only medium."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from mmeval_pack.judges.errors import InputError

APPLICATION_ID: Final = 0x6D6D6556  # stands in the header of every file of ours ("mmeV")
SCHEMA_VERSION: Final = 1
BUSY_SECONDS: Final = 30.0
_LOCKED: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)

T = TypeVar("T")


def opened(path: Path) -> tuple[sqlite3.Connection, str | None]:
    """A connection to the file at a path, made when it is missing.

    Returns:
        The connection, and why nothing can be written through it (None when it can).

    Raises:
        InputError: the file is damaged, no cache of ours, or of another version.
    """
    if _is_writable(path):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path}: its folder cannot be made: {error}") from None
        return repeated(path, lambda: _connected(str(path), path)), None
    warning = f"{path}: cannot be written, so that no reply of the judge is kept"
    if not path.exists():
        return _connected(":memory:", path), warning
    # Without its -wal companion the file is complete, and immutable reading needs no lock file beside it.
    mode = "mode=ro" if path.with_name(path.name + "-wal").exists() else "immutable=1"
    return repeated(path, lambda: _connected(f"{path.absolute().as_uri()}?{mode}", path)), warning


def repeated(path: Path, action: Callable[[], T]) -> T:
    """Runs an action on the file, again while other processes hold its lock.

    Raises:
        InputError: the file is damaged, or stays locked.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            return action()
        except sqlite3.Error as error:
            locked = getattr(error, "sqlite_errorcode", 0) & 0xFF in _LOCKED
            if not locked or time.monotonic() > end:
                remedy = "name another one with --judge-cache or MMEVAL_JUDGE_CACHE"
                raise InputError(
                    f"{path}: cannot be used as a cache of judges' replies ({error}); {remedy}"
                ) from None
        time.sleep(0.02)


def _is_writable(path: Path) -> bool:
    """Whether the file and, for sqlite's companion files, its folder can be written or made."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    return os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


def _connected(name: str, path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        name,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=name.startswith("file:"),
    )
    try:
        if _is_new(connection):
            _make(connection)
        _identify(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _is_new(connection: sqlite3.Connection) -> bool:
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def _make(connection: sqlite3.Connection) -> None:
    # WAL: readers and the writer do not wait for each other. It stays with the file.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    if _is_new(connection):  # another process may have been faster
        connection.execute("CREATE TABLE replies (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _identify(connection: sqlite3.Connection, path: Path) -> None:
    """Refuses files of other programs and versions; a write there could do harm.

    Raises:
        InputError: it is one.
    """
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    remedy = "name another file with MMEVAL_JUDGE_CACHE"
    if application != APPLICATION_ID:
        raise InputError(f"{path}: a database of another program, no cache of judges' replies; {remedy}")
    if version != SCHEMA_VERSION:
        raise InputError(
            f"{path}: a cache of version {version}, this release reads {SCHEMA_VERSION}; {remedy}"
        )
    # With WAL this survives the death of the process; only a power cut may lose the last commits.
    connection.execute("PRAGMA synchronous = NORMAL")
