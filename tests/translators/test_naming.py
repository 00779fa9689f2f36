"""Names of tasks, and the hub's configuration."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.naming import hub_config, slug, task_name


@pytest.mark.parametrize(("text", "expected"), [("MMT-Bench", "mmt_bench"), ("a.b c_D9", "a_b_c_d9")])
def test_slug(text: str, expected: str) -> None:
    """Lower case, and three characters become an underscore."""
    assert slug(text) == expected


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a/b", "the character(s) '/'"),
        ("../x", "the character(s) '/'"),
        ("Kelvin \u212a", "the character(s) '\\u212a'"),
        ("İ\n", "the character(s) '\\n' '\\u0130'"),
        ("", "no character"),
    ],
)
def test_slug_refuses_everything_else(text: str, fault: str) -> None:
    """Also characters whose lower case is a plain letter: another name would be the same one."""
    with pytest.raises(InputError) as caught:
        slug(text)
    assert str(caught.value) == (
        f"the name {text!r} holds {fault}; "
        "a task's name is made of the letters a to z, digits, `_`, `-`, `.` and space"
    )


@given(st.text())
def test_a_slug_is_a_name_or_an_error(text: str) -> None:
    """Nothing else comes out, and a slug is its own slug."""
    try:
        name = slug(text)
    except InputError:
        return
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_")
    assert len(name) == len(text)
    assert slug(name) == name


def test_task_name() -> None:
    """The parts and the pack's mark."""
    assert task_name(["MMMU", "main", "dev"]) == "mmmu_main_dev_mmeval"


def test_a_task_name_too_long_for_a_file() -> None:
    """The message holds its length."""
    with pytest.raises(InputError) as caught:
        task_name(["X" * 90, "y" * 90])
    assert str(caught.value) == f"the task name {'x' * 60}... has 188 characters; at most 150 fit"


@pytest.mark.parametrize(
    ("subset", "split", "expected"),
    [
        ("real", "real_test", "default"),
        ("testmini", "testmini", "testmini"),
        ("test", "testmini", "test"),
        ("mc", "phyx_mc", "mc"),
    ],
)
def test_hub_config(subset: str, split: str, expected: str) -> None:
    """Only the whole name with an underscore after it points to the other layout."""
    assert hub_config(subset, split) == expected
