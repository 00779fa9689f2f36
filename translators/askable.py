"""Whether a row can be asked as it is published."""

from __future__ import annotations

from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.records import messages_of
from mmeval_pack.translators.prompt import Prompt


def fault_of(row: dict[str, Any], media: int, prompt: Prompt) -> str | None:
    """What is wrong with a row, None when nothing is.

    Args:
        row: the row; its media are not looked at.
        media: how many media it has.
        prompt: the task's prompt.
    """
    name = row.get("id")
    if not isinstance(name, str | int) or name == "":
        return "the id must be text"
    try:
        messages = messages_of(row)
        if not messages or not isinstance(messages[0], dict):
            return "messages must be a list that begins with an object"
        parts = prompt.parts(row)
    except InputError as error:
        return str(error).removeprefix(f"row {name!r}: ")
    if not parts:
        return "the prompt is empty"
    tokens = sum(part["type"] != "text" for part in parts)
    if tokens != media:
        return f"{tokens} media tokens in the prompt, {media} media in the row"
    return None
