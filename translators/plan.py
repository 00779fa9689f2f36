"""Benchmark -> Plan: which tasks a benchmark becomes, what they are called and where their rows lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.pipeline import DEFAULT_PIPELINE
from mmeval_pack.translators import metadata, pack
from mmeval_pack.translators.metadata import Benchmark, Subset
from mmeval_pack.translators.naming import TASKS_DIR, hub_config, slug, task_name
from mmeval_pack.translators.task import Task

__all__ = ["METADATA", "TASKS_DIR", "Plan", "Refused", "find_task", "plans", "slug", "with_rows"]

METADATA = "metadata.json"


@dataclass(frozen=True, slots=True)
class Refused:
    """A subset that becomes no task, and why."""

    subset: str
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What one benchmark becomes.

    Attributes:
        folder: name of the benchmark's folder within the tasks folder.
        benchmark: the publisher's metadata.
        version: ``N.X``, from pack.json.
        tasks: the tasks, in the order of the metadata.
        places: task name -> folder of its files, relative to ``folder``, with ``/`` between the parts.
        refused: the subsets that become no task.
        group: name of the group of all tasks; None where there is one task or none.
        digest: sha256 of metadata.json.
        rows: the folder given with ``--rows``, relative to ``folder``; None when the hub has the rows.
    """

    folder: str
    benchmark: Benchmark
    version: str
    tasks: tuple[Task, ...]
    places: Mapping[str, str]
    refused: tuple[Refused, ...]
    group: str | None
    digest: str
    rows: str | None


def plans(tasks_dir: Path, names: Sequence[str] = (), rows: Path | None = None) -> list[Plan]:
    """Plan the benchmarks of a tasks folder, in the order of their folders' names.

    Names are compared over the whole folder, whichever benchmarks are asked for; one that cannot be read
    stands in the way only of itself.

    Args:
        tasks_dir: the folder with a folder for each benchmark.
        names: the benchmarks wanted, by folder or by the publisher's name; none means all.
        rows: a folder whose ``<task>.parquet`` files take the hub's place.

    Raises:
        InputError: nothing to plan; a name nobody has; files with faults (all in one message); two equal
            task names; ``rows`` with the pack's own folder, or without a file for each task.
    """
    found, broken = _survey(tasks_dir)
    chosen = _choose(tasks_dir, names, found, broken)
    _refuse_equal_names(found, {plan.folder for plan in chosen})
    if rows is None:
        return chosen
    _check_rows(tasks_dir, chosen, rows)
    return [with_rows(plan, tasks_dir, rows) for plan in chosen]


def find_task(tasks_dir: Path, name: str) -> Task:
    """The task of that name.

    Raises:
        InputError: no benchmark of the folder has it (the message offers the nearest name), or several have.
    """
    # To read a benchmark takes some 20 ms, and most cannot have the task.
    found, _ = _survey(tasks_dir, lambda folder: _may_have(folder, name))
    for plan in found:
        for task in plan.tasks:
            if task.name == name:
                _refuse_equal_names(found, {plan.folder})
                return task
    found, broken = _survey(tasks_dir)
    tasks = [task.name for plan in found for task in plan.tasks]
    raise InputError("\n".join([_unknown("task", name, tasks, tasks_dir), *map(str, broken.values())]))


def _may_have(folder: Path, name: str) -> bool:
    """Whether a benchmark can have a task of this name, by its own name alone."""
    try:
        return name.startswith(slug(metadata.name_in(folder / METADATA) or ""))
    except InputError:
        return False  # no task's name can be made of it


def _survey(
    tasks_dir: Path, wanted: Callable[[Path], bool] = lambda _: True
) -> tuple[list[Plan], dict[str, InputError]]:
    """The plans of all readable benchmarks that are wanted, and the errors of the unreadable by folder."""
    try:
        folders = sorted(entry.name for entry in tasks_dir.iterdir() if (entry / METADATA).is_file())
    except OSError as error:
        raise InputError(f"{tasks_dir}: is no tasks folder: {error.strerror}") from None
    if not folders:
        raise InputError(f"{tasks_dir}: holds no benchmark; expected <benchmark>/{METADATA}")
    found, broken = [], {}
    for folder in folders:
        if not wanted(tasks_dir / folder):
            continue
        try:
            found.append(_plan(tasks_dir / folder))
        except InputError as error:
            broken[folder] = error
    return found, broken


def _choose(
    tasks_dir: Path, names: Sequence[str], found: Sequence[Plan], broken: Mapping[str, InputError]
) -> list[Plan]:
    folders = {plan.benchmark.name: plan.folder for plan in found}
    folders |= {plan.folder: plan.folder for plan in found}
    wanted = {folders.get(name, name) for name in names} or {plan.folder for plan in found} | broken.keys()
    problems = [str(broken[folder]) for folder in sorted(wanted & broken.keys())]
    problems += [
        _unknown("benchmark", name, folders.keys() | broken.keys(), tasks_dir)
        for name in names
        if name not in folders and name not in broken
    ]
    if problems:
        raise InputError("\n".join(problems))
    return [plan for plan in found if plan.folder in wanted]


def _unknown(kind: str, name: str, known: Iterable[str], tasks_dir: Path) -> str:
    near = get_close_matches(name, sorted(known), 1) or get_close_matches(name.lower(), sorted(known), 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted(known)) or 'none'}"
    return f"{tasks_dir}: no {kind} is called {name!r}; {hint}"


def _refuse_equal_names(found: Sequence[Plan], chosen: Collection[str]) -> None:
    claims: dict[str, list[tuple[str, str]]] = {}
    for plan in found:
        for task in plan.tasks:
            claims.setdefault(task.name, []).append(
                (plan.folder, f"subset {task.subset!r}, split {task.split!r}")
            )
        if plan.group:
            claims.setdefault(plan.group, []).append((plan.folder, "group"))
    problems = [
        f"{name}: more than one task or group would have this name: "
        + " and ".join(f"{folder}/{METADATA} ({what})" for folder, what in claimants)
        for name, claimants in claims.items()
        if len(claimants) > 1 and any(folder in chosen for folder, _ in claimants)
    ]
    if problems:
        raise InputError("\n".join(problems))


def _plan(folder: Path) -> Plan:
    """The plan of the benchmark in one folder.

    Raises:
        InputError: metadata.json or pack.json has faults, or a name that no task can have.
    """
    source = folder / METADATA
    if not folder.name.isprintable():
        raise InputError(f"{folder.name!r}: a folder's name that cannot be printed; rename the folder")
    if folder.name.startswith("-"):
        raise InputError(f"{folder}: a folder's name that a command takes for an option; rename the folder")
    benchmark = metadata.read(source)
    settings = pack.read(folder / "pack.json", {subset.name: subset.splits for subset in benchmark.subsets})
    named: list[tuple[Task, str]] = []
    refused: list[Refused] = []
    try:
        for subset in benchmark.subsets:
            reason = _reason_against(subset)
            if reason:
                refused.append(Refused(subset.name, reason))
            else:
                named += _tasks(benchmark, subset, settings)
        group = task_name([benchmark.name]) if len(named) > 1 else None
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
    return Plan(
        folder=folder.name,
        benchmark=benchmark,
        version=settings.version,
        tasks=tuple(task for task, _ in named),
        places=MappingProxyType({task.name: place for task, place in named}),
        refused=tuple(refused),
        group=group,
        digest=benchmark.sha256,
        rows=None,
    )


def _reason_against(subset: Subset) -> str | None:
    """Why the subset cannot become a task; None when it can."""
    if subset.unsupported:
        return f"{subset.unsupported.name}: {subset.unsupported.reason}"
    if subset.video_storage and subset.video_storage.format == "archives":
        return "its videos are published as archives, which are not unpacked"
    return None


def _tasks(benchmark: Benchmark, subset: Subset, settings: pack.Pack) -> Iterator[tuple[Task, str]]:
    """The tasks of a subset, one a published split, each with the folder of its files."""
    sole = len(benchmark.subsets) == 1 and subset.name in ("main", "default")
    for published in subset.splits:
        several = len(subset.splits) > 1
        parts = [benchmark.name, *([] if sole else [subset.name]), *([published] if several else [])]
        place = "/".join(slug(part) for part in ([subset.name, published] if several else [subset.name]))
        yield (
            Task(
                name=task_name(parts),
                benchmark=benchmark.name,
                subset=subset.name,
                version=settings.version,
                repo=f"mm-eval/{benchmark.name}",
                config=settings.configs.get(subset.name) or hub_config(subset.name, published),
                split=settings.splits.get((subset.name, published), published),
                rows=None,
                prompt_template=subset.prompt_template,
                pipeline=tuple(subset.score_pipeline or DEFAULT_PIPELINE),
                params=subset.score_params,
                judge=settings.judge,
                protocol="published" if subset.score_pipeline else "default",
                official_protocol=subset.official_protocol,
                groups=settings.groups,
            ),
            place,
        )


def _check_rows(tasks_dir: Path, chosen: Sequence[Plan], rows: Path) -> None:
    if tasks_dir.resolve().is_relative_to(TASKS_DIR):
        raise InputError(
            f"--rows {rows}: the pack's own tasks read the hub (or MMEVAL_ROWS at run time); "
            "give another tasks folder with --tasks DIR"
        )
    paths = [rows / f"{task.name}.parquet" for plan in chosen for task in plan.tasks]
    missing = [path.name for path in paths if not path.is_file()]
    if missing:
        raise InputError(f"--rows {rows}: {len(missing)} of {len(paths)} files missing: {', '.join(missing)}")


def with_rows(plan: Plan, tasks_dir: Path, rows: Path) -> Plan:
    """The plan with its rows read from ``rows/<task>.parquet``, by relative paths: the folders can move."""
    home = (tasks_dir / plan.folder).resolve()
    return replace(
        plan,
        rows=_relative(rows, home),
        tasks=tuple(
            # a file that is a link stays one: its media lie beside it
            replace(task, rows=f"{_relative(rows, home / plan.places[task.name])}/{task.name}.parquet")
            for task in plan.tasks
        ),
    )


def _relative(path: Path, start: Path) -> str:
    return Path(os.path.relpath(path.resolve(), start)).as_posix()
