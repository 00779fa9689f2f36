"""Small pictures from a few words, the same pixels on every machine and with every Pillow.

A drawing is a list of lines: the canvas, then shapes in painter's order. Coordinates are whole pixels from the
top left corner::

    ["48x48 white RGB", "circle red 24 24 10", "box blue 4 4 8 6", "text black 30 2 7"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from PIL import Image, ImageColor, ImageFont

from mmeval_pack.judges.errors import InputError

Inside = Callable[[int, int], bool]
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


def _shape(line: str) -> tuple[str, Inside]:
    kind, colour, *rest = line.split()
    if kind == "text":
        left, top, words = line.split(maxsplit=4)[2:]
        return colour, _text(int(left), int(top), words)
    return colour, SHAPES[kind](*map(int, rest))


@lru_cache
def _colour(name: str) -> tuple[int, ...]:
    return ImageColor.getrgb(name)[:3]


def draw(lines: Sequence[str]) -> Image.Image:
    """The picture that ``lines`` describe, in the mode that its first line names.

    In mode RGBA the ground is transparent and keeps its colour underneath; mode P holds one palette entry a colour.

    Raises:
        InputError: a line is no canvas or no shape.
    """
    line = ""
    try:
        line, *drawn = lines
        size, ground, mode = line.split()
        width, height = map(int, size.split("x"))
        shapes: list[tuple[str, Inside]] = []
        for line in drawn:
            shapes.append(_shape(line))
            _colour(shapes[-1][0])
        palette = [_colour(ground), *(_colour(colour) for colour, _ in shapes)]
    except (ValueError, KeyError, TypeError):
        raise InputError(
            f"drawing line {line!r}: expected a canvas (48x48 white RGB) first, then shapes (circle red 24 24 10)"
        ) from None
    if mode not in MODES:
        raise InputError(f"drawing line {lines[0]!r}: unknown mode {mode}, expected one of {', '.join(MODES)}")
    layers = list(enumerate((inside for _, inside in shapes), 1))
    indexes = bytes(
        max((layer for layer, inside in layers if inside(i, j)), default=0)
        for j in range(height)
        for i in range(width)
    )
    image = Image.frombytes("P", (width, height), indexes)
    image.putpalette([part for colour in palette for part in colour])
    return _in_mode(image, mode)


def _in_mode(image: Image.Image, mode: str) -> Image.Image:
    if mode == "P":
        return image
    converted = image.convert("RGB").convert(mode)
    if mode == "RGBA":
        converted.putalpha(image.point([0] + [255] * 255, "L"))
    return converted
