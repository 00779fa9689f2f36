"""Values of a row as JSON can hold them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any


def plain(value: Any) -> Any:
    """The value with everything that JSON does not know turned into text, lists and numbers.

    JSON values come back unchanged, but nan and the infinities become None: no JSON text holds them. Dates
    become ISO text, bytes text with what is not UTF-8 escaped, numpy arrays and scalars what their ``tolist``
    gives, anything else its ``str``.
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | int | None):
        return value
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "backslashreplace")
    if callable(convert := getattr(value, "tolist", None)):
        return plain(convert())
    return str(value)
