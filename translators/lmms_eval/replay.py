"""The model ``replay``: recorded responses in place of a model, joined to the rows by task and row id.

``--model replay --model_args responses=FILE.jsonl`` with lines ``{"task", "id", "response"}``, or
``responses=FOLDER`` for all ``*.responses.jsonl`` files below it. Position never matters, so ``--limit``,
``--offset`` and several ranks need no care.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.halt import halt
from mmeval_pack.translators.recorded import Key, files, load

# What lmms-eval hands to every model.
HARNESS_ARGUMENTS = frozenset({"batch_size", "max_batch_size", "device"})


class Replaying:
    """What both kinds of the model do; :func:`__getattr__` mixes in lmms-eval's base class.

    Args:
        responses: a response file, or a folder that holds some.
        others: what lmms-eval hands to every model; not used.

    Raises:
        SystemExit: the responses are missing or cannot be used, or an argument is unknown.
    """

    device = "cpu"  # lmms-eval gathers the numbers of requests on it when there are several ranks
    task_dict: dict[str, Any]  # task -> split -> dataset, set by lmms-eval

    def __init__(self, responses: str = "", **others: Any) -> None:
        super().__init__()
        if unknown := sorted(others.keys() - HARNESS_ARGUMENTS):
            halt(f"model replay: unknown argument {unknown[0]!r}; the only one is 'responses'")
        if not responses:
            halt("model replay: needs --model_args responses=FILE.jsonl or responses=FOLDER")
        try:
            self.responses = load(files(Path(str(responses))))
        except InputError as error:
            halt(f"model replay: {error}")

    def generate_until(self, requests: Sequence[Any]) -> list[Any]:
        """The recorded response of each request.

        Raises:
            SystemExit: for some rows none is recorded; the message names them all.
        """
        keys = self._keys(requests)
        asked = dict.fromkeys(keys)
        if missing := [key for key in asked if key not in self.responses]:
            rows = "\n".join(f"  task {task}, id {row!r}" for task, row in missing)
            halt(f"model replay: no response is recorded for {len(missing)} of {len(asked)} rows:\n{rows}")
        return [_generated(self.responses[key]) for key in keys]

    def _keys(self, requests: Sequence[Any]) -> list[Key]:
        ids: dict[tuple[str, str], Sequence[Any]] = {}
        keys = []
        for request in requests:
            doc_id, task, split = request.args[-3:]  # the same for simple and chat models
            if (task, split) not in ids:
                # The column alone: reading whole rows would decode their images.
                ids[task, split] = self.task_dict[task][split]["id"][:]
            keys.append((task, str(ids[task, split][doc_id])))
        return keys

    def loglikelihood(self, requests: Sequence[Any]) -> NoReturn:
        """Not to be had from recorded text."""
        raise NotImplementedError("replay only has recorded responses")

    def generate_until_multi_round(self, requests: Sequence[Any]) -> NoReturn:
        """Not to be had from one response a row."""
        raise NotImplementedError("replay has one response a row")


def _generated(response: str | None) -> Any:
    """The response as lmms-eval keeps it: a bare None would become the text ``None`` there."""
    if response is not None:
        return response
    from lmms_eval.api.instance import GenerationResult

    return GenerationResult(text=None)


def __getattr__(name: str) -> type:
    """The classes ``Replay`` (simple) and ``ChatReplay``, made when lmms-eval asks for them.

    They derive from its base class, whose import takes seconds that no other user of this module should pay.
    """
    if name not in ("Replay", "ChatReplay"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from lmms_eval.api.model import lmms

    return type(name, (Replaying, lmms), {"is_simple": name == "Replay", "__module__": __name__})
