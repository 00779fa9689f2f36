"""The model of the demo: knows a row by its text and pixels, and answers with its recorded response."""

from __future__ import annotations

import base64
import hashlib
import io
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from PIL import Image

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.endpoint import Reply, Request, completion, failure
from mmeval_pack.translators.prompt import Prompt

Part = str | Image.Image


def digest(parts: Iterable[Part]) -> str:
    """A name for an ordered sequence of texts and images; of an image the size and the RGB pixels count."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, str):
            kind, content = "text", part.encode("utf-8", "surrogatepass")
        else:
            kind, content = f"image {part.width}x{part.height}", part.convert("RGB").tobytes()
        # The length keeps two parts from being taken for one.
        total.update(f"{kind} {len(content)}\n".encode() + content)
    return total.hexdigest()


def asked(row: Mapping[str, Any], prompt: Prompt) -> Iterator[Part]:
    """What the row asks: its prompt's texts, and its media (``{"bytes"}``) in their places."""
    for part in prompt.parts(row):
        if part["type"] == "text":
            yield part["text"]
        else:
            yield Image.open(io.BytesIO(row["media"][part["index"]]["bytes"]))


def received(body: Mapping[str, Any]) -> Iterator[Part]:
    """What a chat request asks: the parts of all its messages, images of ``data:`` URLs decoded.

    Raises:
        ValueError: a part is neither text nor an image in a ``data:`` URL.
    """
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            yield content
            continue
        for part in content:
            if part["type"] == "text":
                yield part["text"]
            elif part["type"] == "image_url" and part["image_url"]["url"].startswith("data:"):
                yield Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].partition(",")[2])))
            else:
                raise ValueError(f"a part of type {part['type']} that is no image in a data: URL")


class RecordedModel:
    """A handler for the endpoint that answers with recorded responses.

    Attributes:
        unknown: the texts of the requests that match no row.
    """

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self._responses: dict[str, str | None] = {}
        self._lock = threading.Lock()

    def learn(self, row: Mapping[str, Any], prompt: Prompt, response: str | None) -> None:
        """Records the response to a row.

        Raises:
            InputError: another row asks the very same, so that none of the two could be told from the other.
        """
        key = digest(asked(row, prompt))
        if key in self._responses:
            raise InputError(f"row {row['id']!r}: another row of the sample has the same text and images")
        self._responses[key] = response

    def __call__(self, request: Request) -> Reply:
        """The recorded response, or status 500 for a request that matches no row."""
        parts = list(received(request.body))
        key = digest(parts)
        if key in self._responses:
            return completion(self._responses[key])
        text = "".join(part if isinstance(part, str) else "<image>" for part in parts)
        with self._lock:
            self.unknown.append(text)
        # Without the header the OpenAI client would try again what can never be answered.
        return failure(500, f"no row of the sample asks this: {text}", x_should_retry="false")
