"""A map over processes that keeps the order and holds only a few items at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Any, TypeVar

from mmeval_pack.judges.errors import PackError

Item = TypeVar("Item")
Result = TypeVar("Result")

# Set once in each worker, so that the function and all it holds travels there once.
_function: Callable[[Any], Any]


def ordered(function: Callable[[Item], Result], items: Iterable[Item], jobs: int) -> Generator[Result]:
    """The function's results in the order of the items.

    Args:
        function: can be pickled, as the items and results can, unless ``jobs`` is 1.
        items: taken as they are needed; about two for each process are held.
        jobs: number of processes; 1 is this one.

    Raises:
        PackError: a process died.
    """
    if jobs == 1:
        yield from map(function, items)
        return
    # A fresh interpreter for each: a fork of a process with threads (the progress bar has one) can hang.
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _start, (function,))
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(pool.submit(_run, item))
            if len(pending) > 2 * jobs:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool:
        raise PackError("a worker process died; it was killed, or the machine ran out of memory") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _start(function: Callable[[Any], Any]) -> None:
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the parent's to handle
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A killed parent cannot end its workers, which would wait for work for ever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _run(item: Any) -> Any:
    return _function(item)
