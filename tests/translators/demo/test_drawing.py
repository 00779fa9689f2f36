"""Drawings: each shape to the pixel, every mode, and clear errors."""

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.drawing import draw


def picture(*shapes: str, canvas: str = "5x5 white RGB") -> list[str]:
    """The drawing as rows of characters: ``#`` where a shape is, ``.`` where the ground is."""
    image = draw([canvas, *shapes])
    pixels = [image.getpixel((x, y)) for y in range(image.height) for x in range(image.width)]
    marks = "".join("." if pixel == (255, 255, 255) else "#" for pixel in pixels)
    return [marks[start : start + image.width] for start in range(0, len(marks), image.width)]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("circle red 2 2 2", ["..#..", ".###.", "#####", ".###.", "..#.."]),
        ("box red 1 0 3 2", [".###.", ".###.", ".....", ".....", "....."]),
        ("triangle red 2 2 2", ["..#..", "..#..", ".###.", ".###.", "#####"]),
        ("line red 0 2 4 2", [".....", "#####", "#####", "#####", "....."]),
        ("text red 0 -2 1", ["..##.", "####.", "..##.", "..##.", "..##."]),
    ],
)
def test_shapes_are_exact(shape: str, expected: list[str]) -> None:
    """Each shape covers these pixels and no others, whatever the machine."""
    assert picture(shape) == expected


def test_later_shapes_cover_earlier_ones() -> None:
    """Painter's order."""
    image = draw(["3x1 white RGB", "box red 0 0 2 1", "box blue 1 0 2 1"])
    assert [image.getpixel((x, 0)) for x in range(3)] == [(255, 0, 0), (0, 0, 255), (0, 0, 255)]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P"])
def test_every_mode_shows_the_same(mode: str) -> None:
    """The mode is the one asked for; in RGB, a grey drawing is the same in all of them."""
    image = draw([f"4x4 white {mode}", "box gray 0 0 2 2"])
    assert image.mode == mode
    assert image.convert("RGB").tobytes() == draw(["4x4 white RGB", "box gray 0 0 2 2"]).tobytes()


def test_the_ground_of_rgba_is_transparent() -> None:
    """Its colour stays underneath, so that dropping the alpha channel gives the drawing."""
    image = draw(["2x1 ivory RGBA", "box red 0 0 1 1"])
    assert (image.getpixel((0, 0)), image.getpixel((1, 0))) == ((255, 0, 0, 255), (255, 255, 240, 0))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "drawing line '': expected a canvas such as 48x48 white RGB"),
        (["4x4 white CMYK"], "drawing line '4x4 white CMYK': expected a canvas such as 48x48 white RGB"),
        (["4 white RGB"], "drawing line '4 white RGB': expected a canvas such as 48x48 white RGB"),
        (
            ["4x4 white RGB", "star red 1 1"],
            "drawing line 'star red 1 1': expected a shape such as circle red 24 24 10",
        ),
        (
            ["4x4 white RGB", "circle reddish 1 1 1"],
            "drawing line 'circle reddish 1 1 1': expected a shape such as circle red 24 24 10",
        ),
        (
            ["4x4 white RGB", "box red 1 1"],
            "drawing line 'box red 1 1': expected a shape such as circle red 24 24 10",
        ),
    ],
)
def test_a_line_that_draws_nothing_is_named(lines: list[str], message: str) -> None:
    """One clear error with the line and an example."""
    with pytest.raises(InputError) as error:
        draw(lines)
    assert str(error.value) == message
