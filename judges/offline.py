"""Scores recorded responses line by line: what one line says, and the verdict written into it.

docs/scoring.md tells what a line holds. What a task's name stands for and how other programs lay out their
records is the caller's to know: it hands over ``resolve`` and ``unwrap``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from mmeval_pack.judges import lines
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.generated import score_generated
from mmeval_pack.judges.lines import Line
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import RULES, Pipeline
from mmeval_pack.judges.records import Doc, Score

_PIPELINES: Final = 256  # kept at a time
_KEY: Final = 4096  # characters of a declaration that is worth keeping
_NAME: Final = 255  # characters of a task's name: it is the name of a file
_FAULT: Final = 1000  # characters of the text about a fault
_LINES, _BYTES = 256, 1 << 18  # a chunk ends at the first of these


class Declared(NamedTuple):
    """How a task is scored, as it was declared."""

    stages: object
    params: object
    protocol: str


class Chunk(NamedTuple):
    """Lines that are scored together.

    Attributes:
        file: index of the file that they are from.
        lines: the lines.
    """

    file: int
    lines: tuple[Line, ...]


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
    """Scores lines; it can be pickled, and no verdict depends on another line.

    Attributes:
        resolve: gives what a task's name stands for; raises InputError for an unknown one.
        unwrap: finds the line in a record of another layout; gives back a line that is one already.
        rules: name of a rule set, one of `judges.pipeline.RULES`.
        strip_reasoning: take reasoning off all responses; off, only where a log says that this was done.
    """

    resolve: Callable[[str], Declared]
    unwrap: Callable[[dict[str, Any]], dict[str, Any]]
    rules: str = "parity"
    strip_reasoning: bool = False
    _pipelines: dict[str, Pipeline | str] = field(default_factory=dict, repr=False)

    def chunk(self, chunk: Chunk) -> Scored:
        """Score the lines of a chunk; broken ones are left out and named."""
        texts, tally, broken = [], Tally(), []
        for number, data in chunk.lines:
            try:
                line = self.unwrap(lines.read(data))
                score = self.score(line)
                texts.append(lines.write(self._with_verdict(line, score)))
            except InputError as error:
                broken.append((number, _cut(str(error))))
            except RecursionError:  # messages may hide depth in a text of their own
                broken.append((number, lines.TOO_DEEP))
            else:
                tally.add(score)
        return Scored(chunk.file, b"".join(texts), tally, tuple(broken))

    def score(self, line: Mapping[str, Any]) -> Score:
        """The verdict on one line.

        Raises:
            InputError: the line lacks a key, or its row, pipeline, params or task cannot be used.
        """
        if missing := [key for key in ("sample", "response") if key not in line]:
            raise InputError(f"lacks {' and '.join(missing)}; expected an object with sample and response")
        sample = line["sample"]
        if not isinstance(sample, dict):
            raise InputError(f"sample is {shown(sample)}, expected a row, an object")
        # Logs of the pack say which of the two was done; the key may hold anything in lines of others.
        reasoning = line.get("reasoning")
        return score_generated(
            self._pipeline(line).score,
            Doc.from_row(sample),
            line["response"],
            strip=self.strip_reasoning or reasoning == "stripped",
            logged=reasoning in ("stripped", "none"),
        )

    def _pipeline(self, line: Mapping[str, Any]) -> Pipeline:
        """The pipeline of a line, one for all lines that declare the same.

        A pipeline of the line's own stands for the whole task; params of its own replace the task's.
        """
        stages, params = line.get("pipeline"), line.get("params")
        task = line.get("task") if stages is None else None
        key = repr((task, stages, params))
        found = self._pipelines.get(key)
        if found is None:
            found = self._made(task, stages, params)
            if len(self._pipelines) == _PIPELINES:
                self._pipelines.clear()
            if len(key) <= _KEY:
                self._pipelines[key] = found
        if isinstance(found, str):
            raise InputError(found)
        return found

    def _made(self, task: object, stages: object, params: object) -> Pipeline | str:
        """The pipeline, or what is wrong with it: that too is worth finding out only once."""
        if task is not None and not (isinstance(task, str) and len(task) <= _NAME):
            return f"task is {shown(task)}, expected a task's name"
        try:
            if task is not None:
                declared = self.resolve(task)
                stages, params = declared.stages, declared.params if params is None else params
            return Pipeline.declared(stages, params, self.rules)
        except InputError as error:
            return str(error)

    def _with_verdict(self, line: dict[str, Any], score: Score) -> dict[str, Any]:
        """The line with its verdict; what an earlier one left there goes."""
        line.pop("judge", None)
        if self.rules != "parity":
            line["rules"] = self.rules  # its verdicts compare with no published figure
        elif line.get("rules") in RULES:
            del line["rules"]
        line.update(zip(Score._fields, score, strict=True))
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
