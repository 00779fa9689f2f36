"""Prompts: what a template sees of a row, and the parts that a model gets."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.prompt import Prompt, PromptError, media_count

SECRET = "the hidden truth"
TEXTS = st.lists(
    st.sampled_from(["<image>", "<video>", "<image1>", "<image", ">", "a", " ", "\n", "é", "<", "{{ x }}"])
)


def row(*, top: dict[str, Any] | None = None, as_json: bool = True, **message: Any) -> dict[str, Any]:
    """A row whose first message has the given fields."""
    messages = [{"role": "user", **message}]
    return {"id": "7", "media": [], "messages": json.dumps(messages) if as_json else messages, **(top or {})}


@pytest.mark.parametrize("as_json", [True, False])
def test_fields_of_the_message_come_before_those_of_the_row(as_json: bool) -> None:
    """Both layouts render, and the message wins."""
    given_row = row(top={"question": "no", "n_images": 2}, as_json=as_json, question="yes")
    assert (
        Prompt("{% for _ in range(n_images) %}<image>{% endfor %}{{ question }}").text(given_row)
        == "<image><image>yes"
    )


def test_a_field_may_be_called_like_a_function() -> None:
    """Fields hide Jinja's globals."""
    assert Prompt("{{ range }} {{ list }}").text(row(range="far", top={"list": [1]})) == "far [1]"


@pytest.mark.parametrize("name", ["answer", "reference_response", "media", "messages", "response"])
def test_hidden_fields(name: str) -> None:
    """They are undefined in a template, wherever they stand."""
    prompt = Prompt("{{ " + name + " }}|{{ " + name + " is defined }}")
    assert prompt.text({"id": "7", name: SECRET} if name != "messages" else row(messages=SECRET)) == "|False"
    assert prompt.text(row(**{name: SECRET})) == "|False"


@pytest.mark.parametrize(
    ("given_row", "text"),
    [
        (row(prompt="own {{ x }} <image>", question="q"), "own {{ x }} <image>"),
        (row(prompt="", question="q"), ""),
        (row(prompt=None, question="q"), "q"),
        (row(top={"prompt": "own"}, question="q"), "own"),
        (row(top={"prompt": "top"}, prompt="own", question="q"), "own"),
    ],
)
def test_a_prompt_of_the_rows_own(given_row: dict[str, Any], text: str) -> None:
    """It is used as it is, unless it is null."""
    assert Prompt("{{ question }}").text(given_row) == text


@pytest.mark.parametrize(
    ("template", "given_row", "message"),
    [
        ("{{ question }}", row(prompt=3), "row '7': prompt is int, expected text"),
        ("a\n{{ q.x.y }}", row(q={}), "row '7': template line 2: 'dict object' has no attribute 'x'"),
        (
            "{{ 'a' * 10**9 }}",
            row(),
            "row '7': template line 1: the template takes more than 30,000,000 units of work",
        ),
        ("{{ q }}", row(q="\ud800"), "row '7': the prompt holds half of a surrogate pair"),
    ],
)
def test_errors_name_the_row(template: str, given_row: dict[str, Any], message: str) -> None:
    """One message: the row, the place, the fault."""
    with pytest.raises(PromptError) as error:
        Prompt(template).parts(given_row)
    assert str(error.value) == message


def test_broken_messages_are_bad_input() -> None:
    """The reader of rows names the row."""
    with pytest.raises(InputError, match=r"^row '7': messages is no JSON text: "):
        Prompt("x").text({"id": "7", "messages": "{"})


def test_parts_follow_the_tokens() -> None:
    """Tokens count wherever they stand, look-alikes are text, and both kinds share one count."""
    prompt = Prompt("<image>{{ question }}{% for k, v in options.items() %}\n{{ k }}. {{ v }}{% endfor %}")
    given_row = row(question="see <video> and <image1>", options={"A": "<image>", "B": "<image 1> <IMAGE>"})
    assert prompt.parts(given_row) == [
        {"type": "image", "index": 0},
        {"type": "text", "text": "see "},
        {"type": "video", "index": 1},
        {"type": "text", "text": " and <image1>\nA. "},
        {"type": "image", "index": 2},
        {"type": "text", "text": "\nB. <image 1> <IMAGE>"},
    ]


@settings(deadline=None)
@given(TEXTS)
def test_parts_joined_are_the_text(pieces: list[str]) -> None:
    """Nothing is lost, added or left empty."""
    prompt, given_row = Prompt("{{ question }}"), row(question="".join(pieces))
    parts = prompt.parts(given_row)
    assert "".join(
        part["text"] if part["type"] == "text" else f"<{part['type']}>" for part in parts
    ) == prompt.text(given_row)
    assert all(part["text"] for part in parts if part["type"] == "text")
    indexes = [part["index"] for part in parts if part["type"] != "text"]
    assert indexes == list(range(len(indexes)))


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["answer", "reference_response", "response", "media", "messages"]),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(
        [
            "{{ %s }}",
            "{{ %s|tojson }}",
            "{{ [%s] }}",
            "{%% set x = %s %%}{{ x }}",
            "{{ self }}{{ %s }}",
            "{{ dict(a=%s) }}",
        ]
    ),
    st.booleans(),
    st.booleans(),
)
def test_the_answer_never_reaches_a_prompt(
    names: list[str], form: str, at_top: bool, in_message: bool
) -> None:
    """Not by any expression on any hidden name, in any layout."""
    secrets = {name: SECRET for name in names if name != "messages"}
    given_row = row(top=secrets if at_top else {}, question="q", **(secrets if in_message else {}))
    for name in names:
        try:
            text = Prompt(form % name).text(given_row)
        except PromptError as error:
            text = str(error)
        assert SECRET not in text


@pytest.mark.parametrize(
    ("given_row", "count"),
    [
        ({}, 0),
        ({"media": None}, 0),
        ({"media": []}, 0),
        ({"media": ["a", "b"]}, 2),
        ({"media": "a.mp4"}, 1),
        ({"media": {"bytes": b""}}, 1),
        ({"media": object()}, 1),
    ],
)
def test_media_count(given_row: dict[str, Any], count: int) -> None:
    """Null is none, and a medium outside a list is one."""
    assert media_count(given_row) == count


@pytest.mark.parametrize(
    ("template", "given_row", "lacking"),
    [
        ("{{ question }}{{ x }}", row(question="?"), {"x"}),
        ("{{ question }}{{ x }}", {**row(question="?"), "x": None}, set()),
        ("{{ question }}{{ x }}", row(question="?", prompt="as it is"), set()),
        ("{{ question }}{{ x }}", {**row(), "prompt": "as it is"}, set()),
        ("{{ answer }}", row(answer="B"), {"answer"}),
        ("{% if x %}{{ x }}{% endif %}", row(), set()),
        ("no name", {"messages": "[]"}, set()),
    ],
)
def test_names_that_a_row_lacks(template: str, given_row: dict[str, Any], lacking: set[str]) -> None:
    """Those that are rendered as nothing while the template reckons with none of it."""
    assert Prompt(template).lacking(given_row) == lacking


def test_threads_share_a_prompt() -> None:
    """Rendering keeps no state in the prompt."""
    prompt = Prompt("{% for x in xs %}{{ x }}{% endfor %}")
    rows = [row(xs=[number] * 50) for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(prompt.text, rows)) == [str(number) * 50 for number in range(200)]
