"""Sends a judge's requests from several processes: one, busy with the SDK, sends some 400 a second.

Each of them runs a `Transport`. What it is told and what it tells are pickles behind their length, over a
pair of sockets; these close when the asking process ends, however it does, and then the others end too.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from itertools import count
from typing import Any, Final

from mmeval_pack.judges.outcome import Answer, Fault
from mmeval_pack.judges.transport import Transport

REQUESTS_EACH: Final = 32  # in flight in a process; with more it is late with most of them
MOST: Final = 4  # processes: what they send is as much as the asking one can ask

_LENGTH: Final = 4  # bytes
_LOST: Final = Fault("the process that sent the request ended", transient=True)
_BROKEN: Final = Fault("the process that sent the request failed; its error is on stderr", transient=False)
_MAIN: Final = (
    "import sys; end, *sys.path = sys.argv[1:];"
    "from mmeval_pack.judges.transport_processes import main; main(int(end))"
)

Outcome = Answer | Fault
Connection = tuple[tuple[str, ...], str, float]  # what a Transport is made from: URLs, key, timeout
Request = tuple[int, Mapping[str, Any], str, float]  # the arguments of Transport.post


def worthwhile(concurrency: int) -> int:
    """How many processes are of use for so many requests in flight; 0 where this one does as well."""
    if not hasattr(os, "sched_getaffinity"):
        return 0
    processes = min(concurrency // REQUESTS_EACH, len(os.sched_getaffinity(0)), MOST)
    return processes if processes > 1 else 0


class TransportProcesses:
    """The connections to the base URLs of one judge, in several processes; belongs to one event loop.

    They start with the first request. Until they have loaded the SDK, this one sends if it has done so. One
    that ended is not replaced; when none is left, this one sends too.

    Attributes:
        count: of base URLs; they are named by their place, from 0.
    """

    def __init__(self, processes: int, urls: Sequence[str], api_key: str, *, timeout: float) -> None:
        self.count = len(urls)
        self._connection: Connection = (tuple(urls), api_key, timeout)
        self._wanted = processes
        self._processes: list[_Process] = []
        self._here = Transport(urls, api_key, timeout=timeout)

    async def post(self, place: int, body: Mapping[str, Any], stage: str, seconds: float) -> Outcome:
        """As `Transport.post`."""
        if self._wanted:
            self._processes, self._wanted = _started(self._wanted), 0
        alive = [process for process in self._processes if process.alive]
        ready = [process for process in alive if process.ready]
        if not alive or (not ready and "openai" in sys.modules):
            return await self._here.post(place, body, stage, seconds)
        least_busy = min(ready or alive, key=_Process.busy)
        return await least_busy.post(self._connection, (place, body, stage, seconds))

    async def close(self) -> None:
        """Closes all connections; the processes stay for the next judge."""
        for process in self._processes:
            process.close(self._connection)
        await self._here.close()


class _Link(asyncio.Protocol):
    """One end of a pair of sockets.

    What is sent while other callbacks wait leaves together with what they send: a system call costs as much
    as a message.
    """

    def __init__(self, end: socket.socket, receive: Callable[[Any], None], lost: Callable[[], None]) -> None:
        self._receive = receive
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._unsent: list[bytes] = []
        self._opening = self._loop.create_task(self._loop.create_connection(lambda: self, sock=end))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - as the protocol's kind demands
        self._transport = transport
        self._flush()

    def send(self, message: object) -> None:
        data = pickle.dumps(message)
        if self._transport and not self._unsent:
            self._loop.call_soon(self._flush)
        self._unsent += len(data).to_bytes(_LENGTH, "big"), data

    def _flush(self) -> None:
        if self._transport:
            self._transport.write(b"".join(self._unsent))
        self._unsent.clear()

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        while len(received) >= _LENGTH:
            end = _LENGTH + int.from_bytes(received[:_LENGTH], "big")
            if len(received) < end:
                return
            message = pickle.loads(received[_LENGTH:end])  # noqa: S301 - from a process of our own
            del received[:end]
            self._receive(message)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's method
        self._transport = None
        self._lost()


class _Process:
    """One process that sends requests.

    Attributes:
        alive: whether it takes requests.
        ready: whether it sends them at once; one that starts has to load the SDK first.
    """

    def __init__(self) -> None:
        self.alive = True
        self.ready = False
        self._waiting: dict[int, asyncio.Future[Outcome]] = {}
        self._numbers = count()
        here, there = socket.socketpair()
        with there:
            self._process = subprocess.Popen(  # noqa: S603 - this interpreter and this module
                [sys.executable, "-c", _MAIN, str(there.fileno()), *sys.path],
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._link = _Link(here, self._came, self._ended)

    def busy(self) -> int:
        """How many requests are in flight."""
        return len(self._waiting)

    async def post(self, connection: Connection, request: Request) -> Outcome:
        """What comes of a request."""
        number = next(self._numbers)
        waiting: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        try:
            self._link.send(("post", number, connection, request))
            return await waiting
        except asyncio.CancelledError:
            self._link.send(("cancel", number))
            raise
        finally:
            del self._waiting[number]

    def close(self, connection: Connection) -> None:
        """Closes what was opened for one judge."""
        self._link.send(("close", connection))

    def _came(self, message: tuple[int, Outcome] | None) -> None:
        if message is None:
            self.ready = True
        else:
            self._settle(*message)

    def _ended(self) -> None:
        self.alive = self.ready = False
        self._process.poll()  # leaves no zombie
        for number in self._waiting:
            self._settle(number, _LOST)

    def _settle(self, number: int, outcome: Outcome) -> None:
        waiting = self._waiting.get(number)
        if waiting and not waiting.done():  # else nobody waits any more
            waiting.set_result(outcome)


_PROCESSES: Final[dict[asyncio.AbstractEventLoop, list[_Process]]] = {}


def _started(processes: int) -> list[_Process]:
    """So many processes that the running loop talks to: those that it has, and new ones."""
    for loop in [loop for loop in _PROCESSES if loop.is_closed()]:
        del _PROCESSES[loop]
    known = _PROCESSES.setdefault(asyncio.get_running_loop(), [])
    known[:] = [process for process in known if process.alive]
    with suppress(OSError):  # none to be had: fewer do as well, or this one alone
        while len(known) < processes:
            known.append(_Process())
    return known[:processes]


def main(descriptor: int) -> None:
    """Sends requests until the socket of this number is closed at its other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the asking process's to handle
    import openai  # noqa: F401 - before it is needed: the SDK takes a second and a half to import

    asyncio.run(_Sender().serve(socket.socket(fileno=descriptor)))


class _Sender:
    """The other side of a `_Process`."""

    def __init__(self) -> None:
        self._transports: dict[Connection, Transport] = {}
        self._tasks: dict[object, asyncio.Task[None]] = {}

    async def serve(self, end: socket.socket) -> None:
        """Does what it is told until nobody is left to tell it anything."""
        ended = asyncio.Event()
        self._link = _Link(end, self._told, ended.set)
        self._link.send(None)  # ready
        await ended.wait()

    def _told(self, message: tuple[Any, ...]) -> None:
        match message:
            case "post", number, connection, request:
                self._start(number, self._post(number, connection, request))
            case "cancel", number if number in self._tasks:
                self._tasks[number].cancel()
            case "close", connection if connection in self._transports:
                self._start(object(), self._transports.pop(connection).close())

    def _start(self, name: object, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks[name] = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._tasks.pop(name))

    async def _post(self, number: int, connection: Connection, request: Request) -> None:
        transport = self._transports.get(connection)
        if transport is None:
            urls, api_key, timeout = connection
            transport = self._transports[connection] = Transport(urls, api_key, timeout=timeout)
        outcome: Outcome = _BROKEN  # else the other side would wait for the outcome of what raised
        try:
            outcome = await transport.post(*request)
        finally:
            self._link.send((number, outcome))
