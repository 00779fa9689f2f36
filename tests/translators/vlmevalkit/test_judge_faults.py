"""Judges that fail, through a whole run of VLMEvalKit: no fault becomes a verdict."""

from __future__ import annotations

import csv
import importlib.util
import json
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mmeval_pack.translators.demo.endpoint import Endpoint, Reply, Request, completion, failure
from mmeval_pack.translators.demo.faults import Dropped, Hang, Raw, refusal
from mmeval_pack.translators.demo.judge import MODEL
from mmeval_pack.translators.vlmevalkit import predictions

pytest.importorskip("pyarrow")
pytestmark = [
    pytest.mark.vlmevalkit,
    pytest.mark.skipif(importlib.util.find_spec("vlmeval") is None, reason="VLMEvalKit is not installed"),
]

TASK = "mathverse_testmini_text_only_mmeval"
FAULTS: dict[str, Reply] = {
    "broken": failure(500, "out of memory"),
    "throttled": failure(429, "slow down", retry_after="0"),
    "hanging": Hang(),
    "dropped": Dropped(),
    "garbage": Raw(b"\x00<html>"),
    "empty": Raw(b""),
    "null": completion(None),
    "blank": completion(""),
    "refused": refusal("I must not judge."),
    "chatty": completion("Well, 0 or 1."),
    "guess": completion("I would guess that it is correct."),
}
NAMES = [f"{fault}-{place}" for fault in FAULTS for place in ("first", "second")]


class Run(NamedTuple):
    """How a run ended, and the folder of its results."""

    done: Any
    folder: Path

    def read(self, ending: str) -> list[dict[str, str]]:
        """The lines of a table, a file beside the predictions."""
        path = self.folder / f"replay_{TASK}{ending}"
        assert path.is_file(), self.done.stderr[-3000:]
        delimiter = "\t" if path.suffix == ".tsv" else ","
        with path.open(newline="") as stream:
            return [*csv.DictReader(stream, delimiter=delimiter)]

    def by_row(self, kind: str) -> dict[str, dict[str, str]]:
        """The lines of a result file by row id."""
        lines = self.read(f"_{MODEL}_{kind}.tsv")
        return {json.loads(line["mmeval"])["id"]: line for line in lines}


def prepared(folder: Path, responses: Mapping[str, str]) -> None:
    """Rows whose answer is clover, and a response to each."""
    import pyarrow
    from pyarrow import parquet

    messages = json.dumps([{"role": "user", "question": "Which plant?"}])
    kept = {"question_type": "free-form", "problem_version": "Text Only", "subject": "S", "subfield": "F"}
    rows = [
        {"id": name, "media": [], "messages": messages, "answer": "clover", "problem_index": name, **kept}
        for name in responses
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{TASK}.parquet")
    lines = [{"task": TASK, "id": name, "response": text} for name, text in responses.items()]
    (folder / "made.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def faulty(request: Request) -> Reply:
    """The fault that the response names, as the reply to the first question or to the second."""
    text = request.body["messages"][-1]["content"]
    first = request.headers["x-mmeval-stage"] == "extract"
    named = (text.rpartition("say ")[2] if first else text.rpartition("⟦answer⟧")[2]).split()[:2]
    readable = FAULTS[named[0]] in (FAULTS["chatty"], FAULTS["guess"])  # as an extraction, any text is
    return completion(" ".join(named)) if first and (named[1] != "first" or readable) else FAULTS[named[0]]


@pytest.fixture
def start(vlmevalkit: Callable[..., Any], judge_environment: Any, tmp_path: Path) -> Callable[..., Run]:
    """One run over prepared rows with a judge."""

    def run(handler: Callable[[Request], Reply], responses: Mapping[str, str], *arguments: str) -> Run:
        prepared(tmp_path, responses)
        with Endpoint(handler) as endpoint:
            env = {
                **judge_environment(endpoint, tmp_path),
                "MMEVAL_ROWS": str(tmp_path),
                "MMEVAL_JUDGE_TIMEOUT": "2",
            }
            given = ["--data", TASK, "--model", "replay", "--responses", "made.jsonl", *arguments]
            return Run(vlmevalkit(tmp_path, *given, **env), tmp_path / "out" / "replay")

    return run


def test_no_fault_becomes_a_verdict(start: Callable[..., Run]) -> None:
    """Each in each of the two questions, beside a row that rules settle: unscored, not False, not random."""
    run = start(faulty, {"fine": "clover", **{name: f"I say {name.replace('-', ' ')} ." for name in NAMES}})
    result, score = run.by_row("result"), run.by_row("score")
    assert (result["fine"]["hit"], score["fine"]["score"]) == ("1", "True")
    assert {(result[name]["hit"], score[name]["score"], result[name]["status"]) for name in NAMES} == {
        ("", "", "unscored")
    }
    reasons = {name: result[name]["reason"] for name in NAMES}
    assert reasons == {
        name: "judge_unparseable" if name.startswith(("chatty", "guess")) else "judge_failed"
        for name in NAMES
    }
    (line,) = run.read("_acc.csv")
    assert (line["Overall"], line["unscored"]) == ("1.0", str(len(NAMES) / (len(NAMES) + 1)))
    assert run.done.returncode == 0
    assert "Traceback" not in run.done.stderr


def test_without_any_verdict_there_is_no_accuracy(start: Callable[..., Run]) -> None:
    """Empty in acc.csv and in the csv by problem version, null in the record; VLMEvalKit itself ends well."""
    run = start(lambda _: FAULTS["broken"], {str(number): f"I say {number} ." for number in range(9)})
    (line,) = run.read("_acc.csv")
    assert (line["Overall"], line["Text Only"], line["unscored"], line["published"]) == ("", "", "1.0", "0.0")
    assert run.read(f"_{MODEL}_score.csv") == []
    assert {(each["hit"], each["log"]) for each in run.by_row("result").values()} == {
        ("", "Match Log: unscored, judge_failed")
    }
    hits = pickle.loads((run.folder / f"replay_{TASK}_{MODEL}_result.pkl").read_bytes())
    assert {each["hit"] for each in hits.values()} == {None}
    assert {(each["score"], each["log_score"]) for each in run.by_row("score").values()} == {
        ("", "unscored, judge_failed")
    }
    record = json.loads((run.folder / f"replay_{TASK}_mmeval.json").read_text())
    assert (record["accuracy"], record["unscored"], record["published"]) == (None, 1.0, 0.0)
    status = json.loads((run.folder / "status.json").read_text())["datasets"][TASK]
    assert (status["status"], "error_message" in status) == ("done", False)
    assert "split=none|Overall" not in status["metrics"]
    assert f"mmeval-pack: judge '{MODEL}': judge_failed, the first time: " in run.done.stderr
    assert run.done.returncode == 0
    assert len(predictions.read(run.folder / f"replay_{TASK}.tsv")) == 9
