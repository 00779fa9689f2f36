"""Records in flight: whatever reads them gets the final content, and nothing waits for ever."""

from __future__ import annotations

import copy
import io
import json
import pickle
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.records import Score
from mmeval_pack.translators.lmms_eval import pending
from mmeval_pack.translators.lmms_eval.pending import Sample, settle

RIGHT = Judged(Score(1.0, 1, "llm-judge", "ok", "5", None), {"tokens": 7})
FINAL = {"status": "ok", "reason": None, "score": 1.0}


class Judging:
    """A judge whose patience lasts for some seconds from now."""

    def __init__(self, patience: float = 10.0) -> None:
        self.end = time.monotonic() + patience
        self.faults: list[Exception] = []
        self.reports = 0

    def deadline(self) -> float:
        """When it gives up."""
        return self.end

    def failed(self, error: Exception) -> None:
        """Keeps the fault."""
        self.faults.append(error)

    def report(self) -> None:
        """Counts."""
        self.reports += 1


def recorded(judged: Judged) -> dict[str, dict[str, Any]]:
    """Two records of a verdict; an unscored one lacks the score, as the metrics' records do."""
    record = {"status": judged.score.status, "reason": judged.score.reason}
    if judged.score.score is not None:
        record["score"] = judged.score.score
    return {"accuracy": record, "detail": record}


def sample(judging: Judging | None = None, after: float = 0.05) -> Sample:
    """A sample whose verdict comes after some seconds."""
    verdict: Future[Judged] = Future()
    threading.Timer(after, lambda: verdict.cancelled() or verdict.set_result(RIGHT)).start()
    return Sample(judging or Judging(), verdict, recorded)


@pytest.mark.parametrize(
    "read",
    [
        lambda record: record["score"] == 1.0,
        lambda record: record.get("score") == 1.0,
        lambda record: "score" in record,
        lambda record: record == FINAL,
        lambda record: record != {},
        lambda record: len(record) == 3,
        lambda record: dict(record) == FINAL,
        lambda record: {**record} == FINAL,
        lambda record: record | {} == FINAL,
        lambda record: record.copy() == FINAL,
        lambda record: list(record) == list(FINAL),
        lambda record: list(record.values()) == list(FINAL.values()),
        lambda record: json.loads(json.dumps({"detail": record}))["detail"] == FINAL,
        lambda record: json.loads(json.dumps(record, indent=1)) == FINAL,
        lambda record: copy.deepcopy(record) == FINAL,
        lambda record: pickle.loads(pickle.dumps([record])) == [FINAL],
        lambda record: repr(record) == repr(FINAL),
    ],
)
def test_reading_waits(read: Callable[[Any], bool]) -> None:
    """In every way that lmms-eval, its loggers or a user may read; json's encoder in C among them."""
    assert read(sample().records["detail"])


def test_what_is_sent_to_another_rank_is_a_plain_dict() -> None:
    """It holds no lock and no future."""
    assert type(pickle.loads(pickle.dumps(sample().records["accuracy"]))) is dict


def test_all_records_of_a_sample_settle_together() -> None:
    """Reading one is enough for those who read the others without asking."""
    records = sample().records
    assert records["accuracy"]["score"] == 1.0
    assert dict.__contains__(records["detail"], "score")


def test_until_then_a_record_is_not_empty() -> None:
    """An encoder writes `{}` for a dict that is empty, whatever its items are."""
    assert all(dict.__len__(record) for record in sample(after=0.2).records.values())


@pytest.mark.parametrize("error", [LookupError("gone"), TimeoutError("slow"), RuntimeError()])
def test_an_exception_is_an_unscored_sample(error: Exception) -> None:
    """It is told, and never raised in lmms-eval's face."""
    judging, verdict = Judging(), Future[Judged]()
    verdict.set_exception(error)
    records = Sample(judging, verdict, recorded).records
    assert records["detail"] == {"status": "unscored", "reason": "judge_failed"}
    assert judging.faults == [error]


def test_nobody_waits_beyond_the_deadline() -> None:
    """A verdict that comes later changes nothing."""
    judging, verdict = Judging(0.05), Future[Judged]()
    began = time.monotonic()
    record = Sample(judging, verdict, recorded).records["detail"]
    assert record["reason"] == "judge_failed"
    assert time.monotonic() - began < 2
    assert verdict.cancelled()
    assert [type(fault) for fault in judging.faults] == [TimeoutError]


def test_the_deadline_moves_while_others_get_their_verdicts() -> None:
    """Of many samples the last may take longer than one is given."""
    judging = Judging(0.1)
    late = sample(judging, after=0.3)
    threading.Timer(0.05, lambda: setattr(judging, "end", time.monotonic() + 10)).start()
    assert late.records["accuracy"]["score"] == 1.0


def test_waiting_for_all_reports_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was spent is told when the last verdict is there; no bar is drawn into a file."""
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    settle()
    judging = Judging()
    samples = [sample(judging) for _ in range(3)]
    settle()
    settle()
    assert judging.reports == 1
    assert all(dict.__contains__(each.records["detail"], "score") for each in samples)
    assert stream.getvalue() == ""


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """With rate, failures and cost."""
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    settle()
    judging, broken = Judging(), Future[Judged]()
    broken.set_exception(LookupError())
    sample(judging)
    Sample(judging, broken, recorded)
    settle()
    assert "samples/s" in stream.getvalue() or "s/ samples" in stream.getvalue()
    assert "1 unscored, 7 tokens" in stream.getvalue()
    assert not pending._in_flight
