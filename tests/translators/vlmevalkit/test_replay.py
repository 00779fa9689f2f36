"""The model replay under VLMEvalKit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmeval_pack.translators.vlmevalkit.message import Message
from mmeval_pack.translators.vlmevalkit.predictions import NO_RESPONSE
from mmeval_pack.translators.vlmevalkit.replay import Replay

PARTS = [{"type": "text", "value": "Which?"}]


@pytest.fixture
def model(tmp_path: Path) -> Replay:
    """With a response, and one that is recorded as missing."""
    lines = [{"task": "t", "id": "1", "response": " B "}, {"task": "t", "id": 2, "response": None}]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return Replay(str(tmp_path / "r.jsonl"))


def test_it_joins_on_task_and_id(model: Replay) -> None:
    """The response as it was recorded; a message is a list to any other model."""
    assert model.generate(Message(PARTS, ("t", "1")), dataset="t") == " B "
    assert model.generate(Message(PARTS, ("t", "2"))) == NO_RESPONSE
    assert Message(PARTS, ("t", "1")) == PARTS


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (Message(PARTS, ("t", "3")), "no response is recorded for task t, id '3'"),
        (PARTS, "dataset MMBench: is none of the pack's, so no response is recorded for it"),
    ],
)
def test_without_a_response_the_run_ends(
    message: list[dict[str, str]], told: str, model: Replay, capsys: pytest.CaptureFixture[str]
) -> None:
    """No row is given another one's."""
    with pytest.raises(SystemExit):
        model.generate(message, dataset="MMBench")
    assert capsys.readouterr().err == f"mmeval-pack: model replay: {told}\n"


@pytest.mark.parametrize(
    ("responses", "told"),
    [
        ("", "needs --responses FILE.jsonl or FOLDER"),
        ("no.jsonl", "no.jsonl: no such file or folder; expected recorded responses"),
    ],
)
def test_responses_are_needed(responses: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One message."""
    with pytest.raises(SystemExit):
        Replay(responses)
    assert capsys.readouterr().err == f"mmeval-pack: model replay: {told}\n"
