"""One event loop in a daemon thread, for callers that are no coroutines themselves."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class _Background:
    """The loop of this process: started when first needed, started anew in a forked child."""

    lock: threading.Lock
    loop: asyncio.AbstractEventLoop | None

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """For a forked child: the thread does not exist there, and the lock may have been held."""
        self.lock = threading.Lock()
        self.loop = None

    def running(self) -> asyncio.AbstractEventLoop:
        with self.lock:
            if self.loop is None:
                self.loop = asyncio.new_event_loop()
                threading.Thread(target=self.loop.run_forever, name="mmeval-judge", daemon=True).start()
            return self.loop


_BACKGROUND = _Background()
os.register_at_fork(after_in_child=_BACKGROUND.forget)


def submit(coroutine: Coroutine[Any, Any, T]) -> Future[T]:
    """Runs a coroutine on the process's one background loop.

    The loop runs in a daemon thread: the interpreter does not wait for it at exit, so wait for the futures.

    Returns:
        A future to wait for in any thread but the loop's own; cancelling it cancels the coroutine.
    """
    return asyncio.run_coroutine_threadsafe(coroutine, _BACKGROUND.running())
