"""``mmeval-pack render``: the prompt that a task makes of a row."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.cli._common import add_command, counted, print_json, say, tasks_dir

_DESCRIPTION = """\
Print the prompt of one row as JSON: {"prompt": the rendered text with its media tokens, "parts": the same
text cut at the tokens, as the model gets it}. A part is {"type": "text", "text": ...},
{"type": "image", "index": n} or {"type": "video", "index": n}; the index counts the row's media from 0.

ROW.json holds one row in any published layout; - reads it from stdin. It needs messages, a list that begins
with an object (or the same as JSON text). Where the row has the key media, their number must be that of the
tokens. A name that the template reads and the row lacks is rendered as nothing; stderr says so, unless the
template provides for that.
Exit codes: 0 rendered, 2 bad input."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "render",
        "print the prompt of a row",
        _DESCRIPTION,
        "mmeval-pack render muirbench_mmeval row.json",
        run,
    )
    parser.add_argument("task", metavar="TASK", help="name of a task")
    parser.add_argument("row", metavar="ROW.json", help="a file with one row, or - for stdin")


def run(options: argparse.Namespace) -> int:
    """Print the prompt and its parts."""
    from mmeval_pack.judges.records import first_message, messages_of
    from mmeval_pack.translators.plan import find_task
    from mmeval_pack.translators.prompt import Prompt, media_count

    task = find_task(tasks_dir(options), options.task)
    row = _read_row(options.row)
    if not isinstance(next(iter(messages_of(row)), None), dict):
        raise InputError(
            f"{options.row}: the row has no message, so it asks nothing; "
            'expected "messages": [{"role": "user", "question": ...}]'
        )
    prompt = Prompt(task.prompt_template)
    parts = prompt.parts(row)
    tokens = sum(part["type"] != "text" for part in parts)
    if "media" in row and tokens != media_count(row):
        raise InputError(
            f"{options.row}: the prompt of {task.name} has {counted(tokens, 'media token')}, the row has "
            f"{media_count(row)} media; the numbers must be equal"
        )
    for name in sorted(prompt.lacking(row)):
        say(options, f"{options.row}: warning: {_lacking(name, {*row, *first_message(row)})}")
    print_json({"prompt": prompt.text(row), "parts": parts})
    return 0


def _lacking(name: str, fields: set[str]) -> str:
    """What to say of a name that the template reads and the row has not."""
    from mmeval_pack.translators.template_names import nearest

    near = nearest(name, fields)
    hint = f"; it has {near!r}, so one of the two is misspelt" if near else ""
    return f"the prompt template reads {name!r}, which the row lacks: it is rendered as nothing{hint}"


def _read_row(name: str) -> dict[str, Any]:
    try:
        row = json.loads(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name}: is no JSON text: {error}") from None
    if not isinstance(row, dict):
        raise InputError(
            f"{name}: holds a {type(row).__name__}; expected one row, an object with messages and media"
        )
    return row
