"""``pack.json``: what the pack adds to the metadata: version, breakdown groups, judge, hub coordinates.

The whole of its form, every key optional, the file too::

    {
      "version": "1.0",
      "groups": [["subject"], ["subject", "subfield"]],
      "judge": "mathverse",
      "hub": {"main": {"config": "default", "split": "main_test"}}
    }

``hub`` says where a subset lies on the hub when the rule in :mod:`mmeval_pack.translators.plan` would miss
it. Where a subset has several published splits, ``split`` maps each of them to the hub's name:
``{"dev": "main_dev", "test": "main_test"}``.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.judging import METHODS
from mmeval_pack.judges.params import hint
from mmeval_pack.translators.naming import is_split

_KEYS = ("version", "groups", "judge", "hub")
_HUB_KEYS = ("config", "split")


@dataclass(frozen=True, slots=True)
class Pack:
    """The checked content of a ``pack.json``.

    Attributes:
        version: ``N.X``.
        groups: fields whose values (joined) name the groups of a breakdown.
        judge: what the stage ``llm-judge`` does, None for the general judge.
        configs: subset -> configuration on the hub.
        splits: (subset, published split) -> split on the hub.
    """

    version: str = "1.0"
    groups: tuple[tuple[str, ...], ...] = ()
    judge: str | None = None
    configs: Mapping[str, str] = field(default_factory=dict)
    splits: Mapping[tuple[str, str], str] = field(default_factory=dict)


def read(path: Path, subsets: Mapping[str, tuple[str, ...]]) -> Pack:
    """Read and check a ``pack.json``; a missing one is the empty pack.

    Args:
        path: the file.
        subsets: the benchmark's subsets, each with its published splits.

    Raises:
        InputError: the file cannot be read; or it has faults, all of which the one message lists.
    """
    try:
        data = json.loads(path.read_bytes(), object_pairs_hook=_unique)
    except FileNotFoundError:
        return Pack()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON text: {error}") from None
    problems = list(_problems(data, subsets))
    if problems:
        several = f" {len(problems)} problems:\n  " if len(problems) > 1 else " "
        raise InputError(f"{path}:{several}" + "\n  ".join(problems))
    hub = data.get("hub", {})
    return Pack(
        version=data.get("version", "1.0"),
        groups=tuple(tuple(group) for group in data.get("groups", ())),
        judge=data.get("judge"),
        configs={name: entry["config"] for name, entry in hub.items() if "config" in entry},
        splits={
            (name, published): split
            for name, entry in hub.items()
            for published, split in _split_names(entry.get("split", {}), subsets[name]).items()
        },
    )


def _unique(items: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(items)
    if len(value) < len(items):
        raise ValueError(f"a key stands twice among {', '.join(ascii(key) for key, _ in items)}")
    return value


def _split_names(split: str | dict[str, str], published: tuple[str, ...]) -> dict[str, str]:
    return dict.fromkeys(published, split) if isinstance(split, str) else split


def _problems(data: Any, subsets: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"expected an object, found {json.dumps(data)[:60]}"
        return
    yield from _unknown(data, _KEYS, "")
    version = data.get("version", "1.0")
    if not (isinstance(version, str) and re.fullmatch(r"[0-9]+\.[0-9]+", version)):
        yield f'version: expected a text such as "1.0", found {json.dumps(version)[:60]}'
    groups = data.get("groups", [])
    if not (isinstance(groups, list) and all(_is_group(group) for group in groups)):
        yield f'groups: expected lists of field names such as [["subject"]], found {json.dumps(groups)[:60]}'
    else:
        names = Counter("/".join(group) for group in groups)
        yield from (f"groups: {name!a} stands twice" for name, count in names.items() if count > 1)
    judge = data.get("judge", METHODS[0])
    if judge not in METHODS:
        yield f"judge: expected the name of a judge, found {json.dumps(judge)[:60]}{hint(judge, METHODS)}"
    hub = data.get("hub", {})
    if isinstance(hub, dict):
        yield from _unknown(hub, tuple(subsets), "hub.")
        for name, entry in hub.items():
            if name in subsets:
                yield from _entry_problems(entry, subsets[name], f"hub.{name}")
    else:
        yield f"hub: expected an object of subsets, found {json.dumps(hub)[:60]}"


def _is_group(group: Any) -> bool:
    return isinstance(group, list) and bool(group) and all(isinstance(name, str) and name for name in group)


def _entry_problems(entry: Any, published: tuple[str, ...], where: str) -> Iterator[str]:
    if not isinstance(entry, dict):
        yield f'{where}: expected an object such as {{"config": "default"}}, found {json.dumps(entry)[:60]}'
        return
    yield from _unknown(entry, _HUB_KEYS, f"{where}.")
    config = entry.get("config", "default")
    if not _is_name(config):
        yield f"{where}.config: expected the name of a configuration, found {json.dumps(config)[:60]}"
    split = entry.get("split", {})
    if isinstance(split, dict):
        yield from _unknown(split, published, f"{where}.split.")
        if not all(map(_is_split, split.values())):
            yield f"{where}.split: expected names of splits, found {json.dumps(split)[:60]}"
    elif not _is_split(split):
        yield f"{where}.split: expected the name of a split, found {json.dumps(split)[:60]}"
    elif len(published) > 1:
        yield f"{where}.split: expected an object with a name for each of {', '.join(published)}"


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_split(value: Any) -> bool:
    return isinstance(value, str) and is_split(value)


def _unknown(found: Mapping[str, Any], known: tuple[str, ...], where: str) -> Iterator[str]:
    for key in found:
        if key not in known:
            near = get_close_matches(key, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known are {', '.join(map(repr, known))}"
            yield f"{where}{key if key.isprintable() else ascii(key)}: unknown key; {hint}"
