"""Names of rows that survive the files of VLMEvalKit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

# Texts that pandas, with its defaults, reads as no value, a truth value or a number.
_NOT_TEXT = frozenset({"na", "nan", "none", "null", "n/a", "true", "false", "inf", "infinity"})
_WHOLE = re.compile("0|[1-9][0-9]{0,14}")


def indices(ids: Sequence[Any]) -> list[int] | list[str]:
    """What stands in VLMEvalKit's column ``index``: unique, and the same when a file was written and read.

    VLMEvalKit joins on it, after pandas has made a number of ``007`` and nothing of ``NA``. So ids stand for
    themselves where all are whole numbers or all begin like a word; otherwise each has its place before it.
    """
    texts = [str(each) for each in ids]
    unique = len({*texts}) == len(texts)
    if unique and all(_WHOLE.fullmatch(text) for text in texts):
        return [*map(int, texts)]
    if unique and all(
        text.isascii() and text[:1].isalpha() and text.isprintable() and text.lower() not in _NOT_TEXT
        for text in texts
    ):
        return texts
    return [f"{place}:{text}" for place, text in enumerate(texts)]
