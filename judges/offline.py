"""Scores recorded responses line by line: what one line says, and the verdict written into it.

docs/scoring.md tells what a line holds. What a task's name stands for and how other programs lay out their
records is the caller's to know: it hands over ``resolve`` and ``unwrap``.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mmeval_pack.judges import lines
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.figures import Figures, group_values
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.in_flight import InFlight, stamp_of
from mmeval_pack.judges.judging import DEFAULT_PROTOCOL, Judged
from mmeval_pack.judges.lines import Chunk
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import RULES
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.recorded import Recorded, Terms, recorded
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.judges.ways import Declared, Way, Ways

_FAULT: Final = 1000  # characters of the text about a fault
_HELD: Final = 32  # chunks at a time whose verdicts are not all there, or wait for those of an earlier chunk


Verdict = Score | Judged | Future[Judged]
"""Of the rules; of a judge, as the line held it; or what to wait for."""

Entry = tuple[int, dict[str, Any], Way, Mapping[str, str], Verdict, str | None]
"""A line whose scoring has begun: number, content, how it is scored, the row's value in each group of the
breakdown, verdict, and what speaks against the verdict of a judge that it held. A plain tuple is made in no
time."""


class Begun(NamedTuple):
    """A chunk's lines, each with its verdict or with what is waited for.

    Attributes:
        file: as in the chunk.
        lines: those that are scored.
        broken: number and fault of each line that is left out.
    """

    file: int
    lines: list[Entry]
    broken: list[tuple[int, str]]

    def is_settled(self) -> bool:
        """Whether all verdicts are there."""
        return all(verdict.done() for *_, verdict, _ in self.lines if isinstance(verdict, Future))


class Scored(NamedTuple):
    """A chunk's lines with their verdicts.

    Attributes:
        file: as in the chunk.
        text: the lines to write.
        figures: their figures by task, None for lines whose pipeline is no task's.
        broken: number and fault of each line that is left out.
    """

    file: int
    text: bytes
    figures: dict[str | None, Figures]
    broken: tuple[tuple[int, str], ...]


@dataclass
class Offline:
    """Scores lines; no verdict depends on another line. Without a judge it can be pickled.

    Attributes:
        resolve: gives what a task's name stands for; raises InputError for an unknown one.
        unwrap: finds the line in a record of another layout; gives back a line that is one already.
        rules: name of a rule set, one of `judges.pipeline.RULES`.
        strip_reasoning: take reasoning off all responses; off, only where a log says that this was done.
        in_flight: asks a judge; None leaves samples that need one unscored, unless the line holds the
            verdict of a judge that was asked in the same way.
        protocol: of MathVerse; where a judge is asked, the protocol is the judge's own.
        prompt: stamp of the prompts that MathVerse's verdicts must have been made with; None for any.
    """

    resolve: Callable[[str], Declared]
    unwrap: Callable[[dict[str, Any]], dict[str, Any]]
    rules: str = "parity"
    strip_reasoning: bool = False
    in_flight: InFlight | None = None
    protocol: str = DEFAULT_PROTOCOL
    prompt: str | None = None
    _ways: Ways = field(init=False, repr=False)

    def __post_init__(self) -> None:
        judge = self.in_flight.judge if self.in_flight else None
        self._ways = Ways(self.resolve, self.rules, judge.protocol if judge else self.protocol, judge)

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
                begun.lines.append(self._entry(number, self.unwrap(lines.read(data))))
            except InputError as error:
                begun.broken.append((number, _cut(str(error))))
            except RecursionError:  # messages may hide depth in a text of their own
                begun.broken.append((number, lines.TOO_DEEP))
        return begun

    def finish(self, begun: Begun) -> Scored:
        """Wait for the verdicts on a chunk's lines and write them in."""
        texts: list[bytes] = []
        figures: defaultdict[str | None, Figures] = defaultdict(Figures)
        for number, line, way, values, verdict, dropped in begun.lines:
            if isinstance(verdict, Score):
                score, judge = verdict, None
            else:
                score, judge = verdict.result() if isinstance(verdict, Future) else verdict
            try:
                texts.append(lines.write(self._with_verdict(line, score, judge)))
            except InputError as error:
                begun.broken.append((number, _cut(str(error))))
                continue
            own = figures[way.task]
            own.add(score, way.kind, values)
            if judge and isinstance(verdict, Judged):
                own.kept[stamp_of(judge)] += 1
            if dropped:
                own.dropped[dropped] += 1
        return Scored(begun.file, b"".join(texts), figures, tuple(sorted(begun.broken)))

    def _entry(self, number: int, line: dict[str, Any]) -> Entry:
        """A line whose scoring has begun.

        Raises:
            InputError: the line lacks a key, or its row, pipeline, params or task cannot be used.
        """
        if missing := [key for key in ("sample", "response") if key not in line]:
            raise InputError(f"lacks {' and '.join(missing)}; expected an object with sample and response")
        sample = line["sample"]
        if not isinstance(sample, dict):
            raise InputError(f"sample is {shown(sample)}, expected a row, an object")
        way = self._ways.of(line)
        doc = Doc.from_row(sample)
        values = group_values(doc, way.groups)
        verdict = self._verdict(line, way, doc)
        if not isinstance(verdict, Score) or verdict.reason != "no_judge" or not (found := recorded(line)):
            return number, line, way, values, verdict, None
        objection = self._objection(found, line, way)
        return number, line, way, values, verdict if objection else found.judged, objection

    def _verdict(self, line: Mapping[str, Any], way: Way, doc: Doc) -> Score | Future[Judged]:
        """The verdict of the rules, or what to wait for where a judge is asked."""

        def decide(doc: Doc, answer: object) -> Score | Future[Judged]:
            score = way.pipeline.score(doc, answer)
            if score.reason != "no_judge" or self.in_flight is None:
                return score
            return self.in_flight.ask(way.pipeline, doc, answer, way.method)

        return score_generated(
            decide,
            doc,
            line["response"],
            strip=self.strip_reasoning or line.get("reasoning") == "stripped",
            logged=_is_logged(line),
        )

    def _objection(self, found: Recorded, line: Mapping[str, Any], way: Way) -> str | None:
        """What speaks against the verdict of a judge that a line holds; None for nothing."""
        stage, response = found.judged.score.decided_by, line["response"]
        if stage is not None and stage not in way.pipeline.stages:
            return f"stage {stage}, which the pipeline lacks"
        if self.strip_reasoning and not _is_logged(line) and separate(str(response)).reasoning == "stripped":
            return "reasoning is taken off now"
        prompt = self.prompt if way.method == "mathverse" else None
        return Terms(self.rules, way.protocol, prompt).against(found)

    def _with_verdict(
        self, line: dict[str, Any], score: Score, judge: dict[str, Any] | None
    ) -> dict[str, Any]:
        """The line with its verdict; what an earlier one left there goes."""
        line.pop("judge", None)
        if self.rules != "parity":
            line["rules"] = self.rules  # its verdicts compare with no published figure
        elif line.get("rules") in RULES:
            del line["rules"]
        line.update(zip(Score._fields, score, strict=True))
        if judge is not None:
            line["judge"] = judge
        return line


def _is_logged(line: Mapping[str, Any]) -> bool:
    """Whether a log of the pack says what was done with reasoning; elsewhere the key may hold anything."""
    return line.get("reasoning") in ("stripped", "none")


def _cut(fault: str) -> str:
    """A fault quotes its line here and there; a line may hold megabytes."""
    return fault if len(fault) <= _FAULT else f"{fault[: _FAULT - 3]}..."
