"""Scores recorded responses line by line: what one line says, and the verdict written into it.

docs/scoring.md tells what a line holds. What a task's name stands for and how other programs lay out their
records is the caller's to know: it hands over ``resolve`` and ``unwrap``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mmeval_pack.judges import lines
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.in_flight import InFlight
from mmeval_pack.judges.judging import Judged
from mmeval_pack.judges.lines import Line
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import RULES
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.judges.ways import Declared, Ways

_FAULT: Final = 1000  # characters of the text about a fault
_LINES, _BYTES = 256, 1 << 18  # a chunk ends at the first of these
_HELD: Final = 32  # chunks at a time whose verdicts are not all there, or wait for those of an earlier chunk


class Chunk(NamedTuple):
    """Lines that are scored together.

    Attributes:
        file: index of the file that they are from.
        lines: the lines.
    """

    file: int
    lines: tuple[Line, ...]


class Begun(NamedTuple):
    """A chunk's lines, each with its verdict or with what is waited for.

    Attributes:
        file: as in the chunk.
        lines: number, content and verdict of each.
        broken: number and fault of each line that is left out.
    """

    file: int
    lines: list[tuple[int, dict[str, Any], Score | Future[Judged]]]
    broken: list[tuple[int, str]]

    def is_settled(self) -> bool:
        """Whether all verdicts are there."""
        return all(verdict.done() for _, _, verdict in self.lines if isinstance(verdict, Future))


class Scored(NamedTuple):
    """A chunk's lines with their verdicts.

    Attributes:
        file: as in the chunk.
        text: the lines to write.
        tally: their figures.
        broken: number and fault of each line that is left out.
    """

    file: int
    text: bytes
    tally: Tally
    broken: tuple[tuple[int, str], ...]


def chunks(file: int, stream: Iterable[Line]) -> Iterator[Chunk]:
    """The lines of a file in chunks of bounded size."""
    held: list[Line] = []
    size = 0
    for line in stream:
        held.append(line)
        size += len(line.data)
        if len(held) == _LINES or size >= _BYTES:
            yield Chunk(file, tuple(held))
            held, size = [], 0
    if held:
        yield Chunk(file, tuple(held))


@dataclass
class Offline:
    """Scores lines; no verdict depends on another line. Without a judge it can be pickled.

    Attributes:
        resolve: gives what a task's name stands for; raises InputError for an unknown one.
        unwrap: finds the line in a record of another layout; gives back a line that is one already.
        rules: name of a rule set, one of `judges.pipeline.RULES`.
        strip_reasoning: take reasoning off all responses; off, only where a log says that this was done.
        in_flight: asks a judge; None leaves samples that need one unscored.
    """

    resolve: Callable[[str], Declared]
    unwrap: Callable[[dict[str, Any]], dict[str, Any]]
    rules: str = "parity"
    strip_reasoning: bool = False
    in_flight: InFlight | None = None
    _ways: Ways = field(init=False, repr=False)

    def __post_init__(self) -> None:
        judge = self.in_flight.judge if self.in_flight else None
        self._ways = Ways(self.resolve, self.rules, judge)

    def judged(self, chunks: Iterable[Chunk]) -> Generator[Scored]:
        """Score chunks in their order, with those that follow already begun.

        Raises:
            InputError: the store of replies is damaged.
        """
        held: deque[Begun] = deque()
        for chunk in chunks:
            held.append(self.begin(chunk))
            while held and (len(held) > _HELD or held[0].is_settled()):
                yield self.finish(held.popleft())
        while held:
            yield self.finish(held.popleft())

    def chunk(self, chunk: Chunk) -> Scored:
        """Score the lines of a chunk; broken ones are left out and named."""
        return self.finish(self.begin(chunk))

    def begin(self, chunk: Chunk) -> Begun:
        """Apply the rules to the lines of a chunk, and ask the judge about what they leave open."""
        begun = Begun(chunk.file, [], [])
        for number, data in chunk.lines:
            try:
                line = self.unwrap(lines.read(data))
                begun.lines.append((number, line, self.verdict(line)))
            except InputError as error:
                begun.broken.append((number, _cut(str(error))))
            except RecursionError:  # messages may hide depth in a text of their own
                begun.broken.append((number, lines.TOO_DEEP))
        return begun

    def finish(self, begun: Begun) -> Scored:
        """Wait for the verdicts on a chunk's lines and write them in."""
        texts, tally, broken = [], Tally(), begun.broken
        for number, line, verdict in begun.lines:
            judged = verdict.result() if isinstance(verdict, Future) else Judged(verdict, None)
            try:
                texts.append(lines.write(self._with_verdict(line, judged)))
            except InputError as error:
                broken.append((number, _cut(str(error))))
            else:
                tally.add(judged.score)
        return Scored(begun.file, b"".join(texts), tally, tuple(sorted(broken)))

    def verdict(self, line: Mapping[str, Any]) -> Score | Future[Judged]:
        """The verdict on one line, or what to wait for where a judge is asked.

        Raises:
            InputError: the line lacks a key, or its row, pipeline, params or task cannot be used.
        """
        if missing := [key for key in ("sample", "response") if key not in line]:
            raise InputError(f"lacks {' and '.join(missing)}; expected an object with sample and response")
        sample = line["sample"]
        if not isinstance(sample, dict):
            raise InputError(f"sample is {shown(sample)}, expected a row, an object")
        way = self._ways.of(line)

        def decide(doc: Doc, answer: object) -> Score | Future[Judged]:
            score = way.pipeline.score(doc, answer)
            if score.reason != "no_judge" or self.in_flight is None:
                return score
            return self.in_flight.ask(way.pipeline, doc, answer, way.method)

        # Logs of the pack say which of the two was done; the key may hold anything in lines of others.
        reasoning = line.get("reasoning")
        return score_generated(
            decide,
            Doc.from_row(sample),
            line["response"],
            strip=self.strip_reasoning or reasoning == "stripped",
            logged=reasoning in ("stripped", "none"),
        )

    def _with_verdict(self, line: dict[str, Any], judged: Judged) -> dict[str, Any]:
        """The line with its verdict; what an earlier one left there goes."""
        line.pop("judge", None)
        if self.rules != "parity":
            line["rules"] = self.rules  # its verdicts compare with no published figure
        elif line.get("rules") in RULES:
            del line["rules"]
        line.update(zip(Score._fields, judged.score, strict=True))
        if judged.judge is not None:
            line["judge"] = judged.judge
        return line


def _cut(fault: str) -> str:
    """A fault quotes its line here and there; a line may hold megabytes."""
    return fault if len(fault) <= _FAULT else f"{fault[: _FAULT - 3]}..."


def total(tallies: Iterable[Tally]) -> Tally:
    """The figures of all tallies together."""
    whole = Tally()
    for tally in tallies:
        whole.merge(tally)
    return whole
