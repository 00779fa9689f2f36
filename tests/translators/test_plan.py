"""Plans: names, coordinates, refusals, pack.json and local rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators import metadata
from mmeval_pack.translators.plan import TASKS_DIR, Plan, find_task, plans


def subset(splits: tuple[str, ...] = ("test",), **changes: Any) -> dict[str, Any]:
    """A subset of metadata.json; a change to None leaves the key out."""
    url = dict.fromkeys(splits, "https://example.org/data")
    form: dict[str, Any] = {
        "language": ["en"],
        "modalities": ["single_image_start"],
        "task_type": "multiple_choice_qa",
        "score_pipeline": ["exact-match", "rule-match"],
        "prompt_template": "<image>{{ question }}",
        "mapping_from_source": {"source": {"format": "huggingface", "url": url}},
        **changes,
    }
    return {key: value for key, value in form.items() if value is not None}


def add(tasks: Path, folder: str, name: str, subsets: dict[str, Any], pack: Any = None) -> Path:
    """A benchmark's folder with metadata.json and, where given, pack.json."""
    home = tasks / folder
    home.mkdir()
    content = {"name": name, "release_date": "2024-01-31", "subsets": subsets}
    (home / "metadata.json").write_text(json.dumps(content))
    if pack is not None:
        (home / "pack.json").write_text(json.dumps(pack))
    return home


def plan_of(tasks: Path, name: str, subsets: dict[str, Any], pack: Any = None) -> Plan:
    """The plan of a folder with one benchmark."""
    add(tasks, "x", name, subsets, pack)
    (plan,) = plans(tasks)
    return plan


def message(tasks: Path, *names: str) -> str:
    """The text of the refusal."""
    with pytest.raises(InputError) as caught:
        plans(tasks, names)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "splits", "expected", "group"),
    [
        ("MuirBench", {"main": ["test"]}, {"muirbench_mmeval": "main"}, None),
        ("MMT-Bench", {"default": ["val"]}, {"mmt_bench_mmeval": "default"}, None),
        ("VSR", {"zeroshot": ["test"]}, {"vsr_zeroshot_mmeval": "zeroshot"}, None),
        (
            "A.B c",
            {"main": ["test"], "X-y": ["test"]},
            {"a_b_c_main_mmeval": "main", "a_b_c_x_y_mmeval": "x_y"},
            "a_b_c_mmeval",
        ),
        (
            "MMMU",
            {"main": ["dev", "validation"]},
            {"mmmu_dev_mmeval": "main/dev", "mmmu_validation_mmeval": "main/validation"},
            "mmmu_mmeval",
        ),
        (
            "PhyX",
            {"mc": ["phyx_mc", "2022"], "open": ["test"]},
            {
                "phyx_mc_phyx_mc_mmeval": "mc/phyx_mc",
                "phyx_mc_2022_mmeval": "mc/2022",
                "phyx_open_mmeval": "open",
            },
            "phyx_mmeval",
        ),
    ],
)
def test_names(
    tmp_path: Path, name: str, splits: dict[str, list[str]], expected: dict[str, str], group: str | None
) -> None:
    """Tasks, the folders of their files, and the group, which exists where there are several tasks."""
    plan = plan_of(tmp_path, name, {key: subset(tuple(value)) for key, value in splits.items()})
    assert [task.name for task in plan.tasks] == [*expected]
    assert dict(plan.places) == expected
    assert plan.group == group


def test_a_name_that_is_refused_names_its_file(tmp_path: Path) -> None:
    """The subset's name, the fault and the remedy."""
    home = add(tmp_path, "x", "X", {"a+b": subset()})
    assert message(tmp_path) == (
        f"{home}/metadata.json: the name 'a+b' holds the character(s) '+'; "
        "a task's name is made of the letters a to z, digits, `_`, `-`, `.` and space"
    )


def test_a_name_too_long_for_a_file(tmp_path: Path) -> None:
    """It would fail when its YAML is written, or later, in a framework's log."""
    add(tmp_path, "x", "X" * 90, {"y" * 90: subset()})
    assert "has 188 characters; at most 150 fit" in message(tmp_path)


def test_equal_names_in_two_files(tmp_path: Path) -> None:
    """Both files are named, whichever of them is asked for; a third one is free to compile."""
    add(tmp_path, "one", "A-b", {"main": subset()})
    add(tmp_path, "three", "C", {"main": subset()})
    add(tmp_path, "two", "A", {"b": subset()})
    expected = (
        "a_b_mmeval: more than one task or group would have this name: "
        "one/metadata.json (subset 'main', split 'test') and two/metadata.json (subset 'b', split 'test')"
    )
    assert message(tmp_path) == message(tmp_path, "one") == message(tmp_path, "two") == expected
    assert [plan.folder for plan in plans(tmp_path, ["three"])] == ["three"]
    with pytest.raises(InputError, match=r"^a_b_mmeval: more than one task"):
        find_task(tmp_path, "a_b_mmeval")


def test_equal_names_in_one_file(tmp_path: Path) -> None:
    """Two subsets that differ in a character that becomes an underscore."""
    add(tmp_path, "x", "X", {"a-b": subset(), "a_b": subset()})
    assert message(tmp_path).startswith("x_a_b_mmeval: more than one task or group would have this name: ")


def test_a_group_is_not_called_like_a_task(tmp_path: Path) -> None:
    """lmms-eval keeps both in one index, where one of them would win."""
    add(tmp_path, "one", "X", {"a": subset(), "b": subset()})
    add(tmp_path, "two", "x", {"main": subset()})
    assert message(tmp_path) == (
        "x_mmeval: more than one task or group would have this name: "
        "one/metadata.json (group) and two/metadata.json (subset 'main', split 'test')"
    )


@pytest.mark.parametrize(
    ("name", "split", "config"),
    [
        ("real", "real_test", "default"),
        ("testmini", "testmini", "testmini"),
        ("testmini_text_only", "testmini_text_only", "testmini_text_only"),
        ("mc", "phyx_mc", "mc"),
        ("main", "test", "main"),
    ],
)
def test_coordinates(tmp_path: Path, name: str, split: str, config: str) -> None:
    """Repository and split as published; the configuration by the form of the split's name."""
    (task,) = plan_of(tmp_path, "SAT", {name: subset((split,))}).tasks
    assert (task.repo, task.config, task.split) == ("mm-eval/SAT", config, split)


def test_pack_overrides_the_coordinates(tmp_path: Path) -> None:
    """A text for the only split, an object for several; the names stay the published ones."""
    hub = {
        "a": {"config": "default", "split": "a_test"},
        "b": {"config": "default", "split": {"dev": "b_dev"}},
    }
    subsets = {"a": subset(), "b": subset(("dev", "test")), "c": subset()}
    plan = plan_of(tmp_path, "X", subsets, {"version": "2.3", "groups": [["s"], ["s", "t"]], "hub": hub})
    assert [(task.name, task.config, task.split) for task in plan.tasks] == [
        ("x_a_mmeval", "default", "a_test"),
        ("x_b_dev_mmeval", "default", "b_dev"),
        ("x_b_test_mmeval", "default", "test"),
        ("x_c_mmeval", "c", "test"),
    ]
    assert {(task.version, task.groups) for task in plan.tasks} == {("2.3", (("s",), ("s", "t")))}
    assert plan.places["x_b_dev_mmeval"] == "b/dev"


def test_a_broken_pack_file(tmp_path: Path) -> None:
    """As broken metadata: the benchmark cannot be planned."""
    home = add(tmp_path, "x", "X", {"main": subset()}, {"hub": {"mian": {}}})
    assert message(tmp_path) == f"{home}/pack.json: hub.mian: unknown key; did you mean 'main'?"


def test_without_a_pack_file(tmp_path: Path) -> None:
    """Version 1.0 and no groups."""
    (task,) = plan_of(tmp_path, "X", {"main": subset()}).tasks
    assert (task.version, task.groups) == ("1.0", ())


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (["llm-judge"], (("llm-judge",), "published", True)),
        ([], (("exact-match", "rule-match"), "default", False)),
        (None, (("exact-match", "rule-match"), "default", None)),
    ],
)
def test_pipeline_and_protocol(tmp_path: Path, declared: list[str] | None, expected: tuple[Any, ...]) -> None:
    """Declared, declared not to exist, and not declared."""
    (task,) = plan_of(tmp_path, "X", {"main": subset(score_pipeline=declared)}).tasks
    assert (task.pipeline, task.protocol, task.official_protocol) == expected


def test_refused_subsets(tmp_path: Path) -> None:
    """No failure: the rest of the benchmark becomes tasks, and the reason is kept."""
    unsupported = {"unsupported": "caption-metrics", "reason": "needs CIDEr"}
    plan = plan_of(
        tmp_path,
        "X",
        {
            "main": subset(),
            "captions": subset(score_pipeline=unsupported),
            "films": subset(video_storage={"format": "archives", "archive_format": "zip"}),
            "clips": subset(video_storage={"format": "files"}),
        },
    )
    assert [task.name for task in plan.tasks] == ["x_main_mmeval", "x_clips_mmeval"]
    assert [(refused.subset, refused.reason) for refused in plan.refused] == [
        ("captions", "caption-metrics: needs CIDEr"),
        ("films", "its videos are published as archives, which are not unpacked"),
    ]


def test_choosing_benchmarks(tmp_path: Path) -> None:
    """By folder or by the publisher's name, in the order of the folders."""
    add(tmp_path, "b", "Beta", {"main": subset()})
    add(tmp_path, "a", "Alpha", {"main": subset()})
    (tmp_path / "no_benchmark").mkdir()
    assert [plan.folder for plan in plans(tmp_path)] == ["a", "b"]
    assert [plan.folder for plan in plans(tmp_path, ["Beta", "a", "b"])] == ["a", "b"]
    assert message(tmp_path, "Bteta", "q") == (
        f"{tmp_path}: no benchmark is called 'Bteta'; did you mean Beta?\n"
        f"{tmp_path}: no benchmark is called 'q'; there are Alpha, Beta, a, b"
    )


def test_a_broken_benchmark_is_only_its_own_affair(tmp_path: Path) -> None:
    """It fails when it is asked for, by name or with all; all broken files are in the one message."""
    add(tmp_path, "good", "Good", {"main": subset()})
    bad = add(tmp_path, "bad", "Bad", {"main": subset(score_pipeline=["exact-mach"])})
    worse = add(tmp_path, "worse", "Worse", {})
    assert [plan.folder for plan in plans(tmp_path, ["good"])] == ["good"]
    assert message(tmp_path, "bad").startswith(f"{bad}/metadata.json: ")
    assert [line.split(": ")[0] for line in message(tmp_path).split("\n") if line[0] != " "] == [
        f"{bad}/metadata.json",
        f"{worse}/metadata.json",
    ]


def test_a_folder_without_benchmarks(tmp_path: Path) -> None:
    """Empty, missing, or a file."""
    (tmp_path / "file").write_text("")
    assert message(tmp_path) == f"{tmp_path}: holds no benchmark; expected <benchmark>/metadata.json"
    assert message(tmp_path / "no") == f"{tmp_path}/no: is no tasks folder: No such file or directory"
    assert message(tmp_path / "file") == f"{tmp_path}/file: is no tasks folder: Not a directory"


def test_a_folder_name_that_would_break_a_comment(tmp_path: Path) -> None:
    """The name stands in the header of generated files."""
    add(tmp_path, "x\nimport os", "X", {"main": subset()})
    assert message(tmp_path) == "'x\\nimport os': a folder's name that cannot be printed; rename the folder"


def test_find_task_reads_only_what_can_have_the_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A catalogue has many benchmarks, and each takes a while to read."""
    for name in ("X", "X_b", "Y"):
        add(tmp_path, name.lower(), name, {"a": subset(), "c": subset()})
    read: list[str] = []
    whole = metadata.read

    def watched(path: Path) -> metadata.Benchmark:
        read.append(path.parent.name)
        return whole(path)

    monkeypatch.setattr(metadata, "read", watched)
    assert find_task(tmp_path, "x_b_c_mmeval").subset == "c"
    assert read == ["x", "x_b"]


def test_find_task(tmp_path: Path) -> None:
    """By name; the nearest one is offered, and benchmarks that could not be read are named."""
    add(tmp_path, "x", "X", {"a": subset(), "b": subset()})
    assert find_task(tmp_path, "x_b_mmeval").subset == "b"
    bad = add(tmp_path, "bad", "Bad", {})
    assert find_task(tmp_path, "x_b_mmeval").subset == "b"
    with pytest.raises(InputError) as caught:
        find_task(tmp_path, "x_bb_mmeval")
    first, second, *_ = str(caught.value).split("\n")
    assert first == f"{tmp_path}: no task is called 'x_bb_mmeval'; did you mean x_b_mmeval?"
    assert second.startswith(f"{bad}/metadata.json: ")


def test_a_folder_that_a_command_takes_for_an_option(tmp_path: Path) -> None:
    """The commands that messages and headers name must work as they are."""
    add(tmp_path, "--rows", "X", {"main": subset()})
    with pytest.raises(InputError) as caught:
        plans(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path}/--rows: a folder's name that a command takes for an option; rename the folder"
    )


def test_a_huge_metadata_file_is_refused_unread(tmp_path: Path) -> None:
    """It is no more than a download gone wrong, and need not fit into memory."""
    (tmp_path / "x").mkdir()
    with (tmp_path / "x" / "metadata.json").open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InputError) as caught:
        plans(tmp_path)
    assert str(caught.value) == (f"{tmp_path}/x/metadata.json: 1 problem\n  is larger than 5,000,000 bytes")


def test_local_rows(tmp_path: Path) -> None:
    """Paths relative to the folder of the generated files, so that all can move together."""
    tasks, rows = tmp_path / "tasks", tmp_path / "rows"
    tasks.mkdir()
    rows.mkdir()
    add(tasks, "x", "X", {"main": subset(("dev", "test"))})
    with pytest.raises(InputError) as caught:
        plans(tasks, rows=rows)
    assert str(caught.value) == (
        f"--rows {rows}: 2 of 2 files missing: x_dev_mmeval.parquet, x_test_mmeval.parquet"
    )
    for name in ("x_dev_mmeval", "x_test_mmeval"):
        (rows / f"{name}.parquet").write_bytes(b"PAR1")
    (plan,) = plans(tasks, rows=rows)
    assert plan.rows == "../../rows"
    assert [task.rows for task in plan.tasks] == [
        "../../../../rows/x_dev_mmeval.parquet",
        "../../../../rows/x_test_mmeval.parquet",
    ]


def test_local_rows_that_are_links_stay_links(tmp_path: Path) -> None:
    """The path says where the user has the file, not where its bytes lie; links of folders are followed."""
    tasks, rows = tmp_path / "tasks", tmp_path / "rows"
    for folder in (tasks, rows, tmp_path / "blobs"):
        folder.mkdir()
    add(tasks, "x", "X", {"main": subset()})
    (tmp_path / "blobs" / "0a1b").write_bytes(b"PAR1")
    (rows / "x_mmeval.parquet").symlink_to(tmp_path / "blobs" / "0a1b")
    (tmp_path / "link").symlink_to(rows)
    (plan,) = plans(tasks, rows=tmp_path / "link")
    assert (plan.rows, plan.tasks[0].rows) == ("../../rows", "../../../rows/x_mmeval.parquet")


def test_local_rows_are_refused_in_the_packs_own_folder(tmp_path: Path) -> None:
    """Its files are shared by all users and stay as published."""
    with pytest.raises(InputError) as caught:
        plans(TASKS_DIR, rows=tmp_path)
    assert str(caught.value) == (
        f"--rows {tmp_path}: the pack's own tasks read the hub (or MMEVAL_ROWS at run time); "
        "give another tasks folder with --tasks DIR"
    )
