"""Small pictures from a few words, the same pixels on every machine and with every Pillow.

A drawing is a list of lines: the canvas, then shapes in painter's order. Coordinates are whole pixels from
the top left corner::

    ["48x48 white RGB", "circle red 24 24 10", "box blue 4 4 8 6", "text black 30 2 7"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from PIL import Image, ImageColor, ImageFont

from mmeval_pack.judges.errors import InputError

Inside = Callable[[int, int], bool]
Colour = tuple[int, ...]
Read = TypeVar("Read")
MODES = ("RGB", "RGBA", "L", "P")


def _circle(x: int, y: int, radius: int) -> Inside:
    return lambda i, j: (i - x) ** 2 + (j - y) ** 2 <= radius**2


def _box(left: int, top: int, width: int, height: int) -> Inside:
    return lambda i, j: left <= i < left + width and top <= j < top + height


def _triangle(x: int, y: int, half: int) -> Inside:
    """An upright triangle around (x, y), twice ``half`` wide and high."""
    return lambda i, j: y - half <= j <= y + half and 2 * abs(i - x) <= j - y + half


def _line(x0: int, y0: int, x1: int, y1: int) -> Inside:
    """The pixels within one pixel of the segment."""
    dx, dy = x1 - x0, y1 - y0
    square = dx * dx + dy * dy

    def inside(i: int, j: int) -> bool:
        along, across = (i - x0) * dx + (j - y0) * dy, (i - x0) * dy - (j - y0) * dx
        return 0 <= along <= square and across * across <= square

    return inside


def _text(left: int, top: int, words: str) -> Inside:
    """Words in Pillow's built-in bitmap font, which never changes."""
    mask = ImageFont.load_default_imagefont().getmask(words, "1")
    width, height = mask.size
    return lambda i, j: (
        0 <= i - left < width and 0 <= j - top < height and mask.getpixel((i - left, j - top)) > 0
    )


SHAPES: dict[str, Callable[..., Inside]] = {
    "circle": _circle,
    "box": _box,
    "triangle": _triangle,
    "line": _line,
}


def draw(lines: Sequence[str]) -> Image.Image:
    """The picture that ``lines`` describe, in the mode that its first line names.

    In mode RGBA the ground is transparent and keeps its colour underneath; mode P keeps a palette.

    Raises:
        InputError: a line is no canvas or no shape.
    """
    (width, height), ground, mode = _read(
        _canvas, lines[0] if lines else "", "a canvas such as 48x48 white RGB"
    )
    shapes = [_read(_shape, line, "a shape such as circle red 24 24 10") for line in lines[1:]]
    indexes = bytes(
        max((layer for layer, (_, inside) in enumerate(shapes, 1) if inside(i, j)), default=0)
        for j in range(height)
        for i in range(width)
    )
    image = Image.frombytes("P", (width, height), indexes)
    image.putpalette([value for colour in (ground, *(colour for colour, _ in shapes)) for value in colour])
    return _in_mode(image, mode)


def _read(read: Callable[[str], Read], line: str, expected: str) -> Read:
    try:
        return read(line)
    except (ValueError, KeyError, TypeError):
        raise InputError(f"drawing line {line!r}: expected {expected}") from None


def _canvas(line: str) -> tuple[tuple[int, int], Colour, str]:
    size, ground, mode = line.split()
    width, height = map(int, size.split("x"))
    if mode not in MODES:
        raise ValueError(mode)
    return (width, height), ImageColor.getrgb(ground)[:3], mode


def _shape(line: str) -> tuple[Colour, Inside]:
    kind, colour, *rest = line.split()
    rgb = ImageColor.getrgb(colour)[:3]
    if kind == "text":
        left, top, words = line.split(maxsplit=4)[2:]
        return rgb, _text(int(left), int(top), words)
    return rgb, SHAPES[kind](*map(int, rest))


def _in_mode(image: Image.Image, mode: str) -> Image.Image:
    if mode == "P":
        return image
    converted = image.convert("RGB").convert(mode)
    if mode == "RGBA":
        converted.putalpha(image.point([0] + [255] * 255, "L"))
    return converted
