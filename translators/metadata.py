"""``metadata.json``, as the publisher writes it, read into frozen records.

Every problem of a file stands in one :class:`MetadataError`; what is merely odd stands in ``warnings``. Keys
that the format does not define are kept in ``extra``, since publishers add prose of their own; one that is
close to a known key which is not there is a problem where it would change what is evaluated, else a warning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import metadata_problems
from mmeval_pack.translators.metadata_checks import shown
from mmeval_pack.translators.metadata_json import MAX_BYTES, JsonError, load
from mmeval_pack.translators.metadata_records import File, Subset, Unsupported, VideoStorage

__all__ = ["Benchmark", "MetadataError", "Subset", "Unsupported", "VideoStorage", "name_in", "parse", "read"]

MAX_SHOWN = 100  # problems in one message


class MetadataError(InputError):
    """A metadata file that cannot be used.

    Attributes:
        source: the file, as the caller named it.
        problems: one text a problem, each with its JSON path.
    """

    def __init__(self, source: str, problems: Iterable[str]) -> None:
        self.source = source
        self.problems = tuple(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        hidden = len(self.problems) - MAX_SHOWN
        more = [f"and {hidden} more"] if hidden > 0 else []
        super().__init__("\n  ".join((f"{source}: {count}", *self.problems[:MAX_SHOWN], *more)))


class Benchmark(BaseModel):
    """One metadata file.

    Attributes:
        release_date: None where the publisher gives none.
        subsets: in the order of the file.
        sha256: of the file's bytes, in hexadecimal.
        warnings: all that is odd in the file, that of its subsets included; each with its JSON path.
        extra: keys that the format does not define.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    release_date: date | None
    subsets: tuple[Subset, ...]
    sha256: str
    warnings: tuple[str, ...]
    extra: Mapping[str, Any]


def read(path: Path) -> Benchmark:
    """Read one metadata file.

    Raises:
        MetadataError: the file cannot be read, or has problems.
    """
    try:
        data = _bytes(path)
    except OSError as error:
        raise MetadataError(str(path), [f"cannot be read: {error.strerror}"]) from None
    return parse(data, str(path))


def name_in(path: Path) -> str | None:
    """The benchmark's name, and nothing else of the file looked at; None where that does not show it."""
    try:
        content, _ = load(_bytes(path))
    except (OSError, JsonError):
        return None
    name = content.get("name") if isinstance(content, dict) else None
    return name if isinstance(name, str) else None


def _bytes(path: Path) -> bytes:
    """The file, up to one byte more than it may have, which is enough to refuse it."""
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def parse(data: bytes, source: str) -> Benchmark:
    """Read the bytes of a metadata file.

    Args:
        data: the file's bytes.
        source: what messages call the file.

    Raises:
        MetadataError: all problems of the file.
    """
    try:
        content, twice = load(data)
    except JsonError as fault:
        raise MetadataError(source, [str(fault)]) from None
    problems = [f"{key}: stands twice in one object" for key in map(shown, twice)]
    problems += metadata_problems.of_values(content)
    try:
        file = File.model_validate(content)
    except ValidationError as error:
        problems += metadata_problems.of_records(error)
    if problems:
        raise MetadataError(source, problems)
    odd = tuple(metadata_problems.oddities(content))
    by_subset: dict[Any, list[str]] = {}
    for path, text in odd:
        by_subset.setdefault(path[1] if len(path) > 1 else None, []).append(text)
    return Benchmark(
        name=file.name,
        release_date=file.release_date,
        subsets=tuple(
            subset.model_copy(update={"name": name, "warnings": tuple(by_subset.get(name, ()))})
            for name, subset in file.subsets.items()
        ),
        sha256=hashlib.sha256(data).hexdigest(),
        warnings=tuple(text for _, text in odd),
        extra=file.extra,
    )
