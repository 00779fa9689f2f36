"""What a generated ``vlmevalkit.py`` calls: one task in the terms of VLMEvalKit."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.figures import group_values
from mmeval_pack.judges.judge_question import fill_missing_questions
from mmeval_pack.judges.judging import METHODS
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc, field
from mmeval_pack.translators import media, row_table
from mmeval_pack.translators.askable import fault_of, unsupplied
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.indices import indices
from mmeval_pack.translators.json_values import plain
from mmeval_pack.translators.local_rows import media_path
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.row_table import RowTable
from mmeval_pack.translators.rows_tsv import ROW
from mmeval_pack.translators.task import Task
from mmeval_pack.translators.vlmevalkit.media import image_file
from mmeval_pack.translators.vlmevalkit.message import Message


def bind(literal: Mapping[str, Any], file: str) -> Bound:
    """A task, from the literal that its generated module holds.

    Args:
        literal: the task.
        file: the module's ``__file__``.
    """
    return Bound(Task.from_literal(literal), file)


class Bound:
    """One task; nothing is read before it is needed.

    Attributes:
        task: the task.
    """

    def __init__(self, task: Task, file: str) -> None:
        self.task = task
        self._file = file

    def __repr__(self) -> str:
        return f"Bound({self.name})"

    def __reduce__(self) -> tuple[type[Bound], tuple[Task, str]]:
        # Another process reads the rows itself.
        return Bound, (self.task, self._file)

    @property
    def name(self) -> str:
        """The name of the dataset, which is the task's."""
        return self.task.name

    @property
    def method(self) -> str:
        """What the stage ``llm-judge`` does."""
        return self.task.judge or METHODS[0]

    @cached_property
    def prompt(self) -> Prompt:
        """The compiled prompt."""
        return Prompt(self.task.prompt_template)

    @cached_property
    def pipeline(self) -> Pipeline:
        """The stages that decide."""
        return Pipeline.declared(self.task.pipeline, self.task.params)

    @cached_property
    def table(self) -> RowTable:
        """The rows."""
        return row_table.of_task(self.task.literal(), self._file)

    @cached_property
    def indices(self) -> list[int] | list[str]:
        """The index of each row."""
        return indices([row.get("id") for row in self.table.rows])

    @cached_property
    def _places(self) -> dict[str, int]:
        return {str(index): place for place, index in enumerate(self.indices)}

    @cached_property
    def _questions(self) -> dict[Any, str]:
        return fill_missing_questions(self.table.rows)

    def place(self, index: Any) -> int:
        """The number of the row with this index.

        Raises:
            InputError: there is none.
        """
        try:
            return self._places[str(index)]
        except KeyError:
            raise InputError(
                f"task {self.name}: no row has the index {str(index)!r}; these predictions are of other rows"
            ) from None

    def row(self, place: int) -> dict[str, Any]:
        """A row without its media.

        Where only its image shows what it asks, that is there in words as ``question_for_eval``.
        """
        row = self.table.rows[place]
        question = self._questions.get(row.get("id"))
        return row if question is None else {**row, "question_for_eval": question}

    def groups(self, row: Mapping[str, Any]) -> dict[str, str]:
        """The row's value in each group of the breakdown."""
        return group_values(Doc.from_row(row), self.task.groups)

    def check(self) -> None:
        """Look at every row before anything is generated.

        Raises:
            SystemExit: some row cannot be asked as published (the message names them all), or the prompt
                reads a name that no row has and that is close to one of their fields.
        """
        try:
            faults = [
                f"  row {place}, id {row.get('id')!r}: {fault}"
                for place, row in enumerate(self.table.rows)
                if (fault := fault_of(row, self.table.count(place), self.prompt))
            ]
            _ = self.pipeline
        except InputError as error:
            halt(f"task {self.name}: {error}")
        if faults:
            number = f"{len(faults)} of {len(self.table)}"
            halt("\n".join([f"task {self.name}: {number} rows cannot be asked, so nothing is:", *faults]))
        try:
            warnings = unsupplied(self.table.rows, self.prompt)
        except InputError as error:
            halt(f"task {self.name}: {error}")
        sys.stderr.writelines(f"mmeval-pack: warning: task {self.name}: {text}\n" for text in warnings)

    def columns(self) -> dict[str, list[Any]]:
        """The columns of VLMEvalKit's table, all text but the index; images are no part of it."""
        rows = self.table.rows
        columns: dict[str, list[Any]] = {
            "index": [*self.indices],
            "question": [self.prompt.text(row) for row in rows],
            "answer": [_truth(row) for row in rows],
        }
        for name in dict.fromkeys(name for names in self.task.groups for name in names):
            columns.setdefault(name, [_text(field(row, name)) for row in rows])
        columns[ROW] = [
            json.dumps({"task": self.name, "id": plain(row.get("id")), "sample": plain(self.row(place))})
            for place, row in enumerate(rows)
        ]
        return columns

    def message(self, index: Any, folder: Path) -> Message:
        """The parts of a row's prompt in their order, as VLMEvalKit takes them.

        Args:
            index: of the row.
            folder: where image files go.
        """
        place = self.place(index)
        row, values = self.table.rows[place], self.table.media(place)
        parts = []
        for part in self.prompt.parts(row):
            if part["type"] == "text":
                parts.append({"type": "text", "value": part["text"]})
            elif part["type"] == "image":
                path = image_file(values[part["index"]], self._locate, folder)
                parts.append({"type": "image", "value": path})
            else:
                parts.append({"type": "video", "value": media.video(values[part["index"]], self._locate)})
        return Message(parts, (self.name, str(row.get("id"))))

    def _locate(self, path: str) -> str:
        return media_path(self.task.repo, self.table.folder, path)

    def dataset_class(self) -> type:
        """The dataset class on VLMEvalKit's base class, which takes seconds to import."""
        from mmeval_pack.translators.vlmevalkit.dataset import dataset_class

        return dataset_class(self)

    def register(self) -> type:
        """Make the dataset known to VLMEvalKit, in this process, under the task's name."""
        from mmeval_pack.translators.vlmevalkit.dataset import register

        return register(self)


def _truth(row: Mapping[str, Any]) -> str:
    truth = Doc.from_row(row).truth
    if isinstance(truth, str | None):
        return truth or ""
    return json.dumps(plain(truth), ensure_ascii=False)


def _text(value: Any) -> str:
    return "" if value is None else str(value)
