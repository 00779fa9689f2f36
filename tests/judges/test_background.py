"""The event loop of the background."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mmeval_pack.judges.background import submit


async def _thread() -> threading.Thread:
    await asyncio.sleep(0)
    return threading.current_thread()


async def _process() -> int:
    return os.getpid()


def _in_child(queue: multiprocessing.Queue[int]) -> None:
    queue.put(submit(_process()).result(5))


def test_all_threads_share_one_daemon_loop() -> None:
    """Coroutines of several threads run in one other thread, which keeps no interpreter alive."""
    with ThreadPoolExecutor(8) as threads:
        ran_in = {future.result(5) for future in threads.map(lambda _: submit(_thread()), range(32))}
    (thread,) = ran_in
    assert thread is not threading.current_thread()
    assert thread.daemon


def test_coroutines_run_side_by_side() -> None:
    """A coroutine that waits for a later one does not block it."""

    async def exchange() -> str:
        event = asyncio.Event()
        later = asyncio.ensure_future(set_later(event))
        await event.wait()
        return await later

    async def set_later(event: asyncio.Event) -> str:
        event.set()
        return "done"

    assert submit(exchange()).result(5) == "done"


def test_an_exception_reaches_the_caller() -> None:
    """What the coroutine raises is raised by the future."""

    async def fail() -> None:
        raise LookupError("no verdict")

    with pytest.raises(LookupError, match="no verdict"):
        submit(fail()).result(5)


def test_cancelling_the_future_cancels_the_coroutine() -> None:
    """A cancelled future leaves nothing running."""
    cancelled = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    future = submit(wait())
    submit(_thread()).result(5)
    future.cancel()
    assert cancelled.wait(5)


def test_a_forked_child_gets_a_loop_of_its_own() -> None:
    """After a fork both processes go on submitting."""
    submit(_process()).result(5)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    answered = queue.get(timeout=10)
    child.join(10)
    assert answered == child.pid
    assert submit(_process()).result(5) == os.getpid()
