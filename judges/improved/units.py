"""Numbers with units of measurement."""

from __future__ import annotations

import re
from typing import NamedTuple

from mmeval_pack.judges.improved.arithmetic import value

_LENGTH = {"mm": 1e-3, "cm": 0.01, "dm": 0.1, "m": 1.0, "km": 1e3, "in": 0.0254, "ft": 0.3048, "mi": 1609.344}
_OTHER = {
    "g": ("mass", 0.001), "kg": ("mass", 1.0), "mg": ("mass", 1e-6), "t": ("mass", 1000.0),
    "s": ("time", 1.0), "min": ("time", 60.0), "h": ("time", 3600.0),
    "ml": ("volume", 1e-6), "l": ("volume", 1e-3), "°": ("angle", 1.0),
}  # fmt: skip
_NAMES = {
    "millimet": "mm", "centimet": "cm", "decimet": "dm", "kilomet": "km", "met": "m",
    "inch": "in", "inches": "in", "foot": "ft", "feet": "ft", "mile": "mi",
    "gram": "g", "kilogram": "kg", "milligram": "mg", "ton": "t",
    "second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h",
    "lit": "l", "millilit": "ml", "degree": "°", "deg": "°",
}  # fmt: skip
_QUANTITY = re.compile(
    r"(?P<number>[^a-zA-Z°]*(?:sqrt\([^()]*\)|π|\\[a-z]+\{[^{}]*\}(?:\{[^{}]*\})?|[^a-zA-Z°])*?)\s*"
    r"(?P<prefix>square|cubic|sq\.?)?\s*(?P<unit>[a-zA-Z]+|°)\.?\s*(?:\^?\s*\{?(?P<power>[23])\}?)?"
)


class Quantity(NamedTuple):
    """A value with a unit.

    Attributes:
        value: in the base unit of its kind: metre, kilogram, second, cubic metre, degree.
        kind: what is measured.
        number: as written, in its own unit.
    """

    value: float
    kind: str
    number: float


def quantity(text: str) -> Quantity | None:
    """The quantity that a plain text is as a whole, None when it is no number with a known unit."""
    if len(text) > 80:
        return None
    found = _QUANTITY.fullmatch(text.strip().rstrip(".,;"))
    number = value(found["number"].replace(",", "")) if found and found["number"].strip() else None
    if found is None or number is None:
        return None
    name = found["unit"]
    unit = _unit(name)
    power = int(found["power"] or {"s": 2, "c": 3}.get((found["prefix"] or " ")[0], 1))
    if unit in _LENGTH:
        return Quantity(number * _LENGTH[unit] ** power, f"length^{power}", number)
    if unit in _OTHER and power == 1:
        kind, factor = _OTHER[unit]
        return Quantity(number * factor, kind, number)
    return None


def _unit(name: str) -> str:
    if name in _LENGTH or name in _OTHER:
        return name
    lower = name.lower()
    forms = (lower.removesuffix(suffix) for suffix in ("", "s", "ers", "er", "res", "re"))
    return next((_NAMES[form] for form in forms if form in _NAMES), name)
