"""What a record of a file says of a response, before the response is joined to its row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.params import shown
from mmeval_pack.judges.pipeline import RULES
from mmeval_pack.judges.recorded import recorded
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies, Verdict

Raw = dict[str, Any]
NONE_RECORDED: Final[Mapping[str, Verdict]] = {}


class Found(NamedTuple):
    """A record, whoever wrote it.

    Attributes:
        id: the row's id.
        text: the response; None where there is none.
        task: name of the task, None where the record names none.
        row: the row; None where it has to be looked up.
        replies: what a judge said.
        recorded: verdicts that a judge had a part in, by reference.
        model: whose the response is, None where the record does not say.
        logged: it was a run of lmms-eval, which names the folder after the model.
    """

    id: str
    text: str | None
    task: str | None = None
    row: Raw | None = None
    replies: Replies = NO_REPLIES
    recorded: Mapping[str, Verdict] = NONE_RECORDED
    model: str | None = None
    logged: bool = False


def of_line(record: Raw) -> Found:
    """A line of ``mmeval-pack score``, a recorded response, or a logged sample of one of the pack's tasks.

    Raises:
        InputError: it lacks something, or has something of a wrong type.
    """
    detail = record.get("detail")
    logged = "doc_id" in record and isinstance(detail, dict)
    line: Raw = detail if logged and isinstance(detail, dict) else record
    if "response" not in line or not ("sample" in line or "id" in line):
        raise InputError("lacks response, or sample and id; expected a line of mmeval-pack or lmms-eval")
    row, text = line.get("sample"), line["response"]
    if "sample" in line and not isinstance(row, dict):
        raise InputError(f"sample is {shown(row)}, expected an object")
    if not isinstance(text, str | None):
        raise InputError(f"response is {shown(text)}, expected text or null")
    task, model = line.get("task"), line.get("model")
    return Found(
        str((row or line).get("id")),
        text,
        task if isinstance(task, str) else None,
        row,
        Replies(_texts(line, "extract_replies"), _texts(line, "judge_replies")),
        own_verdict(line, line.get("score")),
        model if isinstance(model, str) else None,
        logged,
    )


def _texts(line: Raw, key: str) -> tuple[str, ...]:
    value = line.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(f"{key} is {shown(value)}, expected a list of texts")
    return tuple(value)


def own_verdict(line: Raw, score: Any) -> Mapping[str, Verdict]:
    """The pack's verdict that a line holds, if a judge made it: it is not to be had again without one."""
    found = recorded({**line, "score": score})
    if found is None:
        return NONE_RECORDED
    own = found.judged.score
    detail = {"decided_by": own.decided_by} if own.decided_by else {}
    verdict = Verdict(own.score, own.extraction, "ok", "recorded", detail)
    return {"mmeval" if found.rules == RULES[0] else found.rules: verdict}
