"""The only writer into a tasks folder: {path: text} -> what differs -> written files.

Texts are compared with the disk and with the folder's ``manifest.json``, which holds the sha256 of every
file as it was last written. So a file that the compiler would now write differently (stale) can be told
from one that somebody changed (hand-edited), and one that is no longer produced (orphaned) from a stranger's.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.manifest import MANIFEST, MARK, digest_of, read_manifest

_TEMPORARY = ".mmeval-tmp"
_GENERATED = (".py", ".yaml")

State = Literal["missing", "stale", "hand-edited", "orphaned", "orphaned and hand-edited"]


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not what the compiler produces.

    Attributes:
        path: relative to the tasks folder, with ``/`` between the parts.
        state: ``missing``; ``stale`` (as last written, but the source has changed since); ``hand-edited``;
            ``orphaned`` (no longer produced); ``orphaned and hand-edited``.
        old: the bytes on disk, None where there is no file.
        new: the bytes that should be there, None where no file should be.
    """

    path: str
    state: State
    old: bytes | None
    new: bytes | None

    def diff(self) -> str:
        """A unified diff from the disk to what should be there, each line ending in a newline."""
        before, after = (_lines(content) for content in (self.old, self.new))
        names = (f"{self.path} (on disk)", f"{self.path} (compiled)")
        lines = difflib.unified_diff(before, after, *names)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8", "backslashreplace")
    return [*io.StringIO(text, newline="\n")]


def compare(root: Path, folder: str, texts: Mapping[str, str]) -> list[Change]:
    """What has to change in a benchmark's folder; the manifest last, so that an interrupted compile is seen.

    Args:
        root: the tasks folder.
        folder: the benchmark's folder in it.
        texts: path relative to ``folder`` -> text; empty when the benchmark is gone.

    Raises:
        InputError: a file cannot be read, or stands where a folder should (or the reverse), or a folder on
            the way is a symbolic link, which could lead out of the tasks folder.
    """
    home = root / folder
    recorded = read_manifest(home)["files"]
    try:
        changes = []
        for path, text in texts.items():
            _refuse_links(root, f"{folder}/{path}")
            change = _compare_one(home / path, f"{folder}/{path}", text.encode(), recorded.get(path))
            changes += [change] if change else []
        changes += _orphans(home, folder, texts, recorded)
    except OSError as error:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from None
    return sorted(changes, key=lambda change: change.path == f"{folder}/{MANIFEST}")


def _compare_one(file: Path, path: str, new: bytes, recorded: object) -> Change | None:
    if not file.exists():
        return Change(path, "missing", None, new)
    old = file.read_bytes()
    if old == new:
        return None
    stale = file.name == MANIFEST or digest_of(old) == recorded
    return Change(path, "stale" if stale else "hand-edited", old, new)


def _orphans(
    home: Path, folder: str, texts: Mapping[str, str], recorded: Mapping[str, object]
) -> Iterator[Change]:
    """Files of ours that are no longer produced.

    Found by walking the folder, never by the manifest's paths, which might point anywhere. An orphan is ours
    when the manifest has it or when it begins with our mark; only the manifest can prove it unedited.
    """
    for base, folders, names in os.walk(home):
        folders.sort()
        for file in (Path(base, name) for name in sorted(names)):
            path = file.relative_to(home).as_posix()
            if path.endswith(_TEMPORARY):
                yield Change(f"{folder}/{path}", "orphaned", b"", None)
            elif path not in texts and (path == MANIFEST or path.endswith(_GENERATED)) and file.is_file():
                old = file.read_bytes()
                if path == MANIFEST or digest_of(old) == recorded.get(path):
                    yield Change(f"{folder}/{path}", "orphaned", old, None)
                elif old.startswith(MARK.encode()):
                    yield Change(f"{folder}/{path}", "orphaned and hand-edited", old, None)


def _refuse_links(root: Path, path: str) -> None:
    for parent in [*PurePosixPath(path).parents][:-1]:
        if (root / parent).is_symlink():
            raise InputError(
                f"{root / parent}: is a symbolic link to a folder, which compile does not follow and "
                "lmms-eval does not search; put a folder in its place"
            )


def apply(root: Path, changes: Sequence[Change]) -> dict[str, str]:
    """Write, replace and remove files.

    All new files are first written beside the old ones; only when that went well are they moved into place,
    one atomic step each, so that a full disk or a folder without write permission changes nothing. An edited
    file that is overwritten stays as ``<file>.orig``; an edited orphan is left alone.

    Returns:
        Path of an edited file -> where its old content now is.

    Raises:
        InputError: the disk is full, a folder cannot be written to, or the like.
    """
    staged: dict[Change, Path] = {}
    made: list[Path] = []
    try:
        for change in changes:
            if change.new is not None:
                staged[change] = _stage(root, change.path, change.new, made)
    except OSError as error:
        _undo(staged.values(), made)
        raise InputError(
            f"{error.filename or root}: cannot be written: {error.strerror}; nothing was changed"
        ) from None
    try:
        return _commit(root, changes, staged)
    except OSError as error:
        _undo(staged.values(), ())
        raise InputError(
            f"{error.filename}: cannot be replaced: {error.strerror}; "
            "every file is whole, but some may be new: mend this and compile again"
        ) from None


def _stage(root: Path, path: str, content: bytes, made: list[Path]) -> Path:
    target = root / path
    for parent in reversed(target.relative_to(root).parents):
        if not (root / parent).exists():
            (root / parent).mkdir()
            made.append(root / parent)
    temporary = target.with_name(f".{target.name}.{os.getpid()}{_TEMPORARY}")
    temporary.unlink(missing_ok=True)
    try:
        with temporary.open("xb") as file:
            file.write(content)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(target)) from None
    return temporary


def _undo(temporaries: Iterable[Path], made: Sequence[Path]) -> None:
    with contextlib.suppress(OSError):
        for temporary in temporaries:
            temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            folder.rmdir()


def _commit(root: Path, changes: Sequence[Change], staged: Mapping[Change, Path]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for change in changes:
        target = root / change.path
        if change in staged:
            if change.state == "hand-edited":
                kept[change.path] = _set_aside(target).relative_to(root).as_posix()
            staged[change].replace(target)
        elif change.state == "orphaned":
            target.unlink(missing_ok=True)
            _remove_empty(target.parent, root)
    return kept


def _set_aside(target: Path) -> Path:
    """Give the file's content a second, free name; the first one is never without a file."""
    for number in itertools.count():
        aside = target.with_name(f"{target.name}.orig{number or ''}")
        with contextlib.suppress(FileExistsError), aside.open("xb") as copy:
            copy.write(target.read_bytes())
            return aside
    raise AssertionError  # pragma: no cover


def _remove_empty(folder: Path, root: Path) -> None:
    with contextlib.suppress(OSError):
        while folder != root:
            folder.rmdir()
            folder = folder.parent


@contextlib.contextmanager
def locked(root: Path) -> Iterator[None]:
    """Keep other compiles out of a tasks folder meanwhile, on systems and disks that have such locks."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError, ImportError):
            import fcntl

            descriptor = os.open(root, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
