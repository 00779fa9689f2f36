"""Small images of rows, for the page: each distinct one once, and no more than it can carry."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

LIMIT: Final = 4_000_000  # characters of all thumbnails together
_SIDE: Final = 112  # pixels of the longer side


class Thumbnails:
    """A collection that fills up.

    Attributes:
        images: small JPEG images as base64.
        full: whether something was left out for want of room.
    """

    def __init__(self) -> None:
        self.images: list[str] = []
        self.full = False
        self._left = LIMIT
        self._places: dict[bytes, int | None] = {}

    def places(self, media: Iterable[Any]) -> list[int]:
        """Where the images of a row are in `images`; what is no image, or has no room, is left out."""
        found = (self._place(item.get("bytes")) for item in media if isinstance(item, dict))
        return [place for place in found if place is not None]

    def _place(self, data: bytes | None) -> int | None:
        if not data:
            return None
        key = sha256(data).digest()
        if key not in self._places:
            self._places[key] = self._added(thumbnail(data))
        return self._places[key]

    def _added(self, image: str | None) -> int | None:
        if image is None:
            return None
        if len(image) > self._left:
            self.full = True
            return None
        self._left -= len(image)
        self.images.append(image)
        return len(self.images) - 1


def thumbnail(data: bytes) -> str | None:
    """A small JPEG as base64; None for what is no image."""
    from PIL import Image, UnidentifiedImageError

    buffer = io.BytesIO()
    try:
        with Image.open(io.BytesIO(data)) as image:
            image.thumbnail((_SIDE, _SIDE))
            image.convert("RGB").save(buffer, "JPEG", quality=60)
    except (UnidentifiedImageError, OSError, Image.DecompressionBombError):
        return None
    return b64encode(buffer.getvalue()).decode()
