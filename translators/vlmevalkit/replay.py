"""The model ``replay`` under VLMEvalKit: recorded responses in place of a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.recorded import files, load
from mmeval_pack.translators.vlmevalkit.message import Message
from mmeval_pack.translators.vlmevalkit.predictions import NO_RESPONSE


class Replay:
    """Answers with the recorded response to the row that a prompt is of.

    Args:
        responses: a response file, or a folder that holds some.

    Raises:
        SystemExit: the responses are missing or cannot be used.
    """

    INTERLEAVE = True
    is_api = False

    def __init__(self, responses: str = "") -> None:
        if not responses:
            halt("model replay: needs --responses FILE.jsonl or FOLDER")
        try:
            self._responses = load(files(Path(responses)))
        except InputError as error:
            halt(f"model replay: {error}")

    def set_dump_image(self, dump_image: Any) -> None:
        """Takes what VLMEvalKit gives every model; it is not needed."""

    def generate(self, message: Any, dataset: str | None = None) -> str:
        """The recorded response; `NO_RESPONSE` for one that is recorded as missing.

        Raises:
            SystemExit: there is none, or the prompt is of no row of the pack's.
        """
        if not isinstance(message, Message):
            halt(f"model replay: dataset {dataset}: is none of the pack's, so no response is recorded for it")
        if message.key not in self._responses:
            task, row = message.key
            halt(f"model replay: no response is recorded for task {task}, id {row!r}")
        response = self._responses[message.key]
        return NO_RESPONSE if response is None else response
