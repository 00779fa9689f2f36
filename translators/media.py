"""Images and videos of a row, in the forms that frameworks take."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from PIL import Image, ImageOps


def image(value: Any, locate: Callable[[str], str]) -> Image.Image:
    """The image in RGB, the same pixels under each framework: not all take palettes, CMYK or alpha.

    Args:
        value: a decoded image, the ``{"bytes", "path"}`` of an undecoded one, or a path.
        locate: path in the row -> path of the file.
    """
    if not isinstance(value, Image.Image):
        data = value.get("bytes") if isinstance(value, dict) else None
        # datasets turns images by their EXIF orientation when it decodes them.
        value = ImageOps.exif_transpose(Image.open(BytesIO(data) if data else video(value, locate)))
    rgb: Image.Image = value.convert("RGB")
    return rgb


def video(value: Any, locate: Callable[[str], str]) -> str:
    """The path of the file that a row names, as a path or in a ``{"bytes", "path"}``."""
    return locate(value["path"] if isinstance(value, dict) else value)
