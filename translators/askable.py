"""Whether rows can be asked as they are published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.records import first_message, messages_of
from mmeval_pack.translators.prompt import Prompt
from mmeval_pack.translators.template_names import nearest


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


def unsupplied(rows: Iterable[Mapping[str, Any]], prompt: Prompt) -> list[str]:
    """What to warn of: the names that the prompt reads and not one row has.

    Rows without faults are expected. As a rule the first has every name, and no other is looked at.

    Raises:
        InputError: such a name is close to a field of the rows, so that it is misspelt.
    """
    lacking: frozenset[str] | None = None
    fields: set[str] = set()
    for row in rows:
        found = prompt.lacking(row)
        lacking = found if lacking is None else lacking & found
        if not lacking:
            return []
        fields |= row.keys() | first_message(row).keys()
    for name in sorted(lacking or ()):
        if near := nearest(name, fields):
            raise InputError(
                f"the prompt template reads {name!r}, which no row has; they have {near!r}, "
                "so one of the two is misspelt, and nothing is asked"
            )
    return [
        f"the prompt template reads {name!r}, which no row has: it is rendered as nothing"
        for name in sorted(lacking or ())
    ]
