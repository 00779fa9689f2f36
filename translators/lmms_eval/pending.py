"""Records of samples whose verdict is still in flight, in the place of those that lmms-eval collects."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Final, Protocol

from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.records import Score

Recorded = Callable[[Judged], Mapping[str, Mapping[str, Any]]]

FAILED: Final = Judged(Score(None, None, None, "unscored", None, "judge_failed"), None)

# All ways to read a dict. What reads past them in C, json's encoder for one, asks for `items` nevertheless,
# unless the dict is empty.
_READS: Final = (
    *("__contains__", "__eq__", "__getitem__", "__iter__", "__len__", "__ne__", "__or__", "__repr__"),
    *("__reversed__", "__ror__", "copy", "get", "items", "keys", "values"),
)


class Record(dict[str, Any]):
    """One metric's record of a sample, or its detail; whoever reads it waits for the verdict."""

    __slots__ = ("_sample",)

    def __init__(self, sample: Sample, content: Mapping[str, Any]) -> None:
        super().__init__(content)
        self._sample = sample

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        # A rank sends all that it has: what is in flight is waited for under one progress bar.
        settle()
        return dict, (dict(self),)


def _waiting(name: str) -> Callable[..., Any]:
    read = getattr(dict, name)

    def waiting(self: Record, *args: Any) -> Any:
        self._sample.settle()
        return read(self, *args)

    waiting.__name__ = name
    return waiting


for _name in _READS:
    setattr(Record, _name, _waiting(_name))


class Judging(Protocol):
    """The part of a judge at hand that a sample in flight needs."""

    def deadline(self) -> float:
        """When, on the monotonic clock, to give up on all that is in flight."""

    def failed(self, error: Exception) -> None:
        """Takes note of what came in place of a verdict."""

    def report(self) -> None:
        """Says what was spent."""


class Sample:
    """A sample in flight.

    Attributes:
        judging: where its verdict comes from.
        records: by metric, and the detail; they settle together.
    """

    def __init__(
        self,
        judging: Judging,
        verdict: Future[Judged],
        recorded: Recorded,
    ) -> None:
        """Until there is a verdict, the records hold a failure.

        Args:
            judging: where the verdict comes from.
            verdict: comes from another thread.
            recorded: gives the records of a verdict, under the same names for any.
        """
        self.judging = judging
        self._verdict = verdict
        self._recorded = recorded
        self._lock = threading.RLock()
        self._settled = False
        self.records = {name: Record(self, record) for name, record in recorded(FAILED).items()}
        _in_flight.append(self)

    def settle(self) -> Judged | None:
        """Waits for the verdict until the deadline, writes it into the records and returns it.

        Returns:
            None when that was done before.
        """
        with self._lock:
            if self._settled:
                return None
            self._settled, judged = True, FAILED
            try:
                judged = self._awaited()
            except Exception as error:  # noqa: BLE001 - a judge's fault is an unscored sample, never a lost run
                self._verdict.cancel()
                self.judging.failed(error)
            finally:
                for name, content in self._recorded(judged).items():
                    dict.clear(self.records[name])
                    dict.update(self.records[name], content)
            return judged

    def _awaited(self) -> Judged:
        """The verdict; the deadline moves as long as other samples get theirs."""
        while True:
            try:
                return self._verdict.result(max(self.judging.deadline() - time.monotonic(), 0.0))
            except TimeoutError:
                if self._verdict.done() or time.monotonic() >= self.judging.deadline():
                    raise


_in_flight: list[Sample] = []


def settle() -> None:
    """Waits for all samples in flight, with a progress bar on a terminal, and reports what they cost."""
    from tqdm import tqdm

    samples = _in_flight[:]
    del _in_flight[: len(samples)]
    if not samples:
        return
    unscored = tokens = 0
    hidden = not sys.stderr.isatty()
    with tqdm(samples, desc="judge", unit=" samples", leave=False, disable=hidden) as bar:
        for sample in bar:
            judged = sample.settle()
            if judged:
                unscored += judged.score.status == "unscored"
                tokens += judged.judge["tokens"] if judged.judge else 0
            bar.set_postfix_str(f"{unscored} unscored, {tokens} tokens")
    for judging in {id(sample.judging): sample.judging for sample in samples}.values():
        judging.report()
