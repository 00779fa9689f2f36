"""The files that are laid side by side -> responses: logs of lmms-eval, lines of ours, VLMEvalKit's files.

Responses are joined to rows by the row's id. A file that does not hold its rows (recorded responses,
predictions without columns) finds them in ``<task>.parquet``, in the folder of rows or beside the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.lines import numbered, read
from mmeval_pack.parity.found import Found, Raw, of_line
from mmeval_pack.parity.native_log import is_native, of_native
from mmeval_pack.parity.prediction import names_task, of_prediction
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies
from mmeval_pack.parity.sample import Response
from mmeval_pack.translators.row_table import RowTable, of_file
from mmeval_pack.translators.vlmevalkit import predictions

_RESPONSES: Final = ".responses"
_NAMES_OF_RUNS: Final = (
    "Two runs of one model need two names: by the key model of the lines, the folder of a log of lmms-eval, "
    "or the name of another file"
)
_TABLES: Final = (".tsv", ".xlsx", ".json")  # prediction and result files of VLMEvalKit


@dataclass
class Inputs:
    """Reads files and keeps what they share.

    Attributes:
        rows: a folder with ``<task>.parquet`` files; None for the files' own folders alone.
        task: the task of files that name none; None where every file names its own.
        broken: what is wrong with each line that was left out, with file and number.
    """

    rows: Path | None = None
    task: str | None = None
    broken: list[str] = field(default_factory=list)
    _tables: dict[Path, dict[str, int]] = field(default_factory=dict, repr=False)
    _found: dict[Path, RowTable] = field(default_factory=dict, repr=False)
    _seen: dict[tuple[str, str, str], str] = field(default_factory=dict, repr=False)

    def read(self, path: Path) -> Iterator[Response]:
        """The responses of a file, in its order.

        Raises:
            InputError: it cannot be read; or it has two responses of one model to one row.
        """
        found = self._predictions(path) if path.suffix in _TABLES else self._lines(path)
        for place, response in found:
            key = (response.model, response.task, response.id)
            if first := self._seen.get(key):
                raise InputError(
                    f"{place}: a second response of {response.model} to task {response.task}, id "
                    f"{response.id!r}; the first is {first}. {_NAMES_OF_RUNS}"
                )
            self._seen[key] = place
            yield response

    def media(self, response: Response, folder: Path | None) -> list[Any]:
        """The media of a response's row, as its parquet file holds them; empty where no file is at hand."""
        for path in self._candidates(response.task, folder):
            place = self._index(path).get(response.id)
            if place is not None:
                return self._found[path].media(place)
        return []

    def _lines(self, path: Path) -> Iterator[tuple[str, Response]]:
        replies = _recorded_replies(path)
        try:
            stream = path.open("rb")
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        with stream:
            for number, data in numbered(stream):
                place = f"{path}, line {number}"
                try:
                    response = self._line(read(data), path, replies)
                except InputError as error:
                    self.broken.append(f"{place}: {error}")
                else:
                    yield place, response

    def _line(self, record: Raw, path: Path, replies: Mapping[str, Replies]) -> Response:
        found = of_native(record, path) if is_native(record) else of_line(record)
        if found.replies == NO_REPLIES and found.id in replies:
            found = found._replace(replies=replies[found.id])
        return self._joined(found, path)

    def _predictions(self, path: Path) -> Iterator[tuple[str, Response]]:
        lines = predictions.read(path)
        if lines and self.task is None and not names_task(lines[0], path):
            raise InputError(f"{path}: a prediction file names no task; give --task NAME")
        for number, line in enumerate(lines, start=2):
            place = f"{path}, row {number}"
            try:
                response = self._joined(of_prediction(line, path), path)
            except InputError as error:
                self.broken.append(f"{place}: {error}")
            else:
                yield place, response

    def _joined(self, found: Found, path: Path) -> Response:
        """With its task, its model and its row.

        Raises:
            InputError: there is no task or no row.
        """
        task = found.task or self.task
        if task is None:
            raise InputError("names no task; add task to the line, or give --task NAME")
        row = self._row(task, found.id, path.parent) if found.row is None else found.row
        model = found.model or _model(path, task, found.logged)
        return Response(model, task, found.id, row, found.text, found.replies, found.recorded)

    def _row(self, task: str, id_: str, folder: Path) -> Raw:
        for path in self._candidates(task, folder):
            place = self._index(path).get(id_)
            if place is not None:
                return self._found[path].rows[place]
        raise InputError(f"no row has the id {id_!r}; give --rows DIR with {task}.parquet")

    def _candidates(self, task: str, folder: Path | None) -> Iterator[Path]:
        for where in (self.rows, folder):
            if where is not None and (path := where / f"{task}.parquet").is_file():
                yield path

    def _index(self, path: Path) -> dict[str, int]:
        """The place of each row by its id."""
        if path not in self._tables:
            table = self._found[path] = of_file(path)
            self._tables[path] = {str(row["id"]): place for place, row in enumerate(table.rows)}
        return self._tables[path]


def _model(path: Path, task: str, logged: bool) -> str:
    """Whose responses a file holds: lmms-eval names the folder after the model, others name the file."""
    stem = path.stem.removesuffix(_RESPONSES)
    return _folder(path) if logged or stem == task else stem


@lru_cache(maxsize=1)  # the same for each line of a file, and not cheap
def _folder(path: Path) -> str:
    return path.resolve().parent.name


def _recorded_replies(path: Path) -> dict[str, Replies]:
    """The judge's replies beside recorded responses; a null is a request that failed."""
    beside = path.with_name(f"{path.stem.removesuffix(_RESPONSES)}.judge.jsonl")
    if not path.stem.endswith(_RESPONSES) or not beside.is_file():
        return {}
    with beside.open("rb") as stream:
        lines = [read(data) for _, data in numbered(stream)]
    return {
        str(line.get("id")): Replies(_one(line.get("extract")), _one(line.get("score"))) for line in lines
    }


def _one(reply: Any) -> tuple[str, ...]:
    return (reply,) if isinstance(reply, str) else ()
