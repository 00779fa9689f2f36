"""Media of a row as files, which is how VLMEvalKit hands them to a model."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mmeval_pack.translators import media


def image_file(value: Any, locate: Callable[[str], str], folder: Path) -> str:
    """The path of an RGB PNG file with the image's pixels, written unless it is there.

    Its name is made of its pixels: VLMEvalKit never looks whether a file of an earlier run is the same image.

    Args:
        value: an image of a row.
        locate: path in the row -> path of the file.
        folder: where the file goes; made when it is missing.
    """
    image = media.image(value, locate)
    content = f"{image.width}x{image.height} ".encode() + image.tobytes()
    path = folder / f"{hashlib.sha256(content).hexdigest()[:40]}.png"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{os.getpid()}")
        image.save(part, "PNG")
        part.replace(path)
    return str(path)
