"""Which VLMEvalKit is in use."""

from __future__ import annotations

import importlib.util
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Final, NamedTuple, Self

_DESCRIBE: Final = ("describe", "--always", "--exclude=*", "--abbrev=40", "--dirty")


class Version(NamedTuple):
    """A VLMEvalKit.

    Attributes:
        name: the distribution, or ``checkout``.
        version: of the distribution, or the commit, with ``-dirty`` behind it where files were changed since;
            ``unknown`` when neither can be told.
    """

    name: str
    version: str

    @classmethod
    def found(cls) -> Self:
        """The one that ``import vlmeval`` gives; it is not imported for that."""
        spec = importlib.util.find_spec("vlmeval")
        if spec is None or not spec.origin:
            return cls("vlmeval", "not installed")
        package = Path(spec.origin).resolve().parent
        for name in ("ms-vlmeval", "vlmeval"):
            try:
                distribution = metadata.distribution(name)
            except metadata.PackageNotFoundError:
                continue
            if Path(str(distribution.locate_file("vlmeval"))).resolve() == package:
                return cls(name, distribution.version)
        return cls("checkout", _commit(package.parent))


def _commit(folder: Path) -> str:
    """The commit of a checkout, in full."""
    if not (folder / ".git").exists():
        return "unknown"
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and a path that exists
            ["git", "-C", str(folder), *_DESCRIBE],  # noqa: S607 - git, wherever the user has it
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()
