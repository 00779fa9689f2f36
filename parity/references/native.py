"""Modules of an installed framework, executed from their own files without what their functions never use.

Importing either framework whole takes some 15 s and 1 GB: torch, transformers, every model and dataset. The
functions that score need none of it. Here the ``__init__`` of some packages is left out and some imports get
a stand-in; the modules that score are the installed ones, byte for byte, and so are their functions.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import MissingError, Replies, Scorer, Verdict


class _StandIn(ModuleType):
    """A module of which only names are needed: each is an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def lean(framework: str, bare: Sequence[str] = (), unused: Sequence[str] = ()) -> Iterator[None]:
    """While it lasts, modules of the framework are imported leanly; ``sys.modules`` forgets them afterwards.

    What was imported before, whole, stays as it was: the lean modules are others, with the same code.

    Args:
        framework: name of its top package, whose ``__init__`` is left out too.
        bare: packages within it whose ``__init__`` is left out, outer ones first.
        unused: modules, of the framework or of others, that get a stand-in.

    Raises:
        MissingError: the framework is not there, or is not as it has to be.
    """

    def held() -> dict[str, ModuleType]:
        ours = {name for name in sys.modules if name == framework or name.startswith(f"{framework}.")}
        return {name: sys.modules.pop(name) for name in ours.union(unused).intersection(sys.modules)}

    before = held()
    try:
        sys.modules[framework] = _package(framework, _folders(framework))
        for name in bare:
            parent, _, leaf = name.rpartition(".")
            sys.modules[name] = _package(name, [f"{path}/{leaf}" for path in sys.modules[parent].__path__])
        sys.modules.update({name: _StandIn(name) for name in unused})
        yield
    except (ImportError, AttributeError) as error:
        raise MissingError(f"the installed {framework} cannot be used: {error}") from None
    finally:
        held()
        sys.modules.update(before)


def _folders(framework: str) -> list[str]:
    spec = find_spec(framework)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"no package {framework}")
    return [str(Path(path)) for path in spec.submodule_search_locations]


def _package(name: str, folders: list[str]) -> ModuleType:
    package: Any = ModuleType(name)
    package.__path__ = folders
    return package  # type: ignore[no-any-return] # Any for the attribute above


def module(name: str) -> Any:
    """A module of a framework; inside of `lean`."""
    return importlib.import_module(name)


def guarded(scorer: Scorer) -> Scorer:
    """The scorer, with whatever error its framework ends in as a verdict of the status ``crash``."""

    def verdict(row: Row, response: str, replies: Replies) -> Verdict:
        try:
            return scorer(row, response, replies)
        except Exception as error:  # noqa: BLE001 - foreign code; that it fails here is what is to be shown
            return Verdict(None, None, "crash", type(error).__name__)

    return verdict
