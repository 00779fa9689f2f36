"""Reads the body of a reply and cuts what has no end, be it as it is sent or when it is unpacked."""

from __future__ import annotations

import zlib
from typing import Any, Final

from mmeval_pack.judges.outcome import Fault

LARGEST: Final = 2**22  # bytes; a verdict has hundreds, one with all its reasoning some ten thousand
PACKED: Final = "gzip, deflate"  # to be accepted: those that can be unpacked in part

_TOO_LARGE: Final = Fault("a reply of more than 4 MiB", transient=True)
_UNREADABLE: Final = Fault("a reply that cannot be unpacked", transient=True)
_FORMATS: Final = (zlib.MAX_WBITS + 32, -zlib.MAX_WBITS)  # gzip or zlib; deflate without the head of either
_PLACE: Final = "mmeval_pack.body"


async def keep(response: Any) -> None:
    """Reads a body into its response's extensions and closes the response: a hook for the HTTP library.

    The library itself reads without an end, and the SDK has it read errors whatever it is told.

    Args:
        response: the HTTP library's; which library that is depends on the version of the SDK.
    """
    content = bytearray()
    async for part in response.stream:
        content += part
        if len(content) > LARGEST:
            break
    await response.aclose()
    response.extensions[_PLACE] = bytes(content)


def kept(response: Any) -> bytes | Fault:
    """The body of a response that the hook has seen, unpacked."""
    content: bytes | None = response.extensions[_PLACE]
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if content and len(content) <= LARGEST and encoding not in ("", "identity"):
        content = _unpacked(content) if encoding in ("gzip", "x-gzip", "deflate") else None
    if content is None:
        return _UNREADABLE
    return content if len(content) <= LARGEST else _TOO_LARGE


def _unpacked(content: bytes) -> bytes | None:
    """What is packed, up to one byte more than is of use; None when it cannot be read."""
    for window in _FORMATS:
        try:
            return zlib.decompressobj(window).decompress(content, LARGEST + 1)
        except zlib.error:
            continue
    return None
