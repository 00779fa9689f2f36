"""Lines of VLMEvalKit's prediction and result files, of its own datasets and of the pack's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.lines import read
from mmeval_pack.parity.found import NONE_RECORDED, Found, Raw, own_verdict
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies, Verdict
from mmeval_pack.translators.vlmevalkit import predictions

_LETTERS: Final = "ABCDEFGHI"
_OWN: Final = "mmeval"  # the column in which the pack's datasets keep their rows
_NOT_OF_ROW: Final = frozenset(
    (*_LETTERS, "prediction", "hit", "log", "extract", "log_extract", "score", "log_score")
)
_TASKS: Final = {"MUIRBench": "muirbench_mmeval", "MathVerse_MINI": "mathverse_testmini_mmeval"}
_RIGHT, _WRONG = ("true", "1", "1.0"), ("false", "0", "0.0")
_LOG: Final = re.compile(r"Match Log: (.*)\. ", re.DOTALL)
_NO_JUDGE: Final = "Failed in Prefetch"


def of_prediction(line: Raw, path: Path) -> Found:
    """What a line of the file says.

    Raises:
        InputError: its column ``mmeval`` is damaged.
    """
    text = predictions.response(line["prediction"])
    if line.get(_OWN):
        kept = read(str(line[_OWN]).encode("utf-8", "surrogatepass"))
        task, row = kept.get("task"), kept.get("sample")
        if not isinstance(row, dict) or not isinstance(task, str):
            raise InputError(
                "the column mmeval lacks task or sample; expected what mmeval-pack vlmevalkit wrote"
            )
        return Found(str(kept.get("id")), text, task, row, recorded=_own(line), model=_model(path, task))
    dataset = _dataset(path)
    row = _row_of(line) if "answer" in line else None
    return Found(
        str(line["index"]),
        text,
        line.get("task_name") or _TASKS.get(dataset),
        row,
        _replies(line),
        _recorded(line),
        _model(path, dataset),
    )


def names_task(line: Raw, path: Path) -> bool:
    """Whether a line or the name of its file says which task it is of."""
    return bool(line.get(_OWN) or line.get("task_name") or _dataset(path))


def _dataset(path: Path) -> str:
    """VLMEvalKit's own dataset that the file's name holds, else nothing."""
    return next((name for name in _TASKS if f"_{name}" in path.stem), "")


def _model(path: Path, dataset: str) -> str:
    """Files are called ``<model>_<dataset>``; result files have the judge's name and more behind it."""
    model, _, _ = path.stem.rpartition(f"_{dataset}") if dataset else ("", "", "")
    return model or path.stem


def _own(line: Raw) -> Mapping[str, Verdict]:
    hit = str(line.get("hit") or "")
    return own_verdict(line, float(hit)) if re.fullmatch(r"\d+(\.\d+)?", hit) else NONE_RECORDED


def _replies(line: Raw) -> Replies:
    """The judge's replies that a result file holds: of MathVerse the extraction, of choices the last one."""
    if extract := str(line.get("extract") or ""):
        return Replies(extract=(extract,))
    logged = _LOG.fullmatch(str(line.get("log") or ""))
    if logged is None or logged[1] == str(line["prediction"]) or logged[1].startswith(_NO_JUDGE):
        return NO_REPLIES
    return Replies(judge=(logged[1],))


def _recorded(line: Raw) -> Mapping[str, Verdict]:
    """VLMEvalKit's own verdict on a MathVerse row, which its judge made."""
    said = str(line.get("score", "")).lower()
    if "log_score" not in line or said not in _RIGHT + _WRONG:
        return NONE_RECORDED
    verdict = Verdict(float(said in _RIGHT), str(line.get("extract") or ""), "ok", "recorded")
    return dict.fromkeys(("vlmevalkit", "vlmevalkit-installed"), verdict)


def _row_of(line: Raw) -> Raw:
    """The row that the columns of a file of VLMEvalKit's own datasets are."""
    options: dict[str, Any] = {letter: line[letter] for letter in _LETTERS if line.get(letter)}
    message: Raw = {"role": "user", "question": line.get("question", "")}
    if options:
        message["options"] = options
    extras = {key: value for key, value in line.items() if key not in _NOT_OF_ROW}
    return {**extras, "id": line["index"], "messages": [message]}
