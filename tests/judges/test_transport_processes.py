"""Requests sent from several processes: as from one, whatever happens to the processes."""

from __future__ import annotations

import asyncio
import errno
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from mmeval_pack.judges.client import Client, JudgeSettings
from mmeval_pack.judges.outcome import Answer, Fault
from mmeval_pack.judges.reply import Reply
from mmeval_pack.judges.transport import Transport
from mmeval_pack.judges.transport_processes import MOST, REQUESTS_EACH, TransportProcesses, worthwhile
from mmeval_pack.translators.demo.endpoint import Endpoint, completion, failure
from mmeval_pack.translators.demo.endpoint import Reply as Sent
from mmeval_pack.translators.demo.faults import Dropped, Hang, Raw, Script, Slow, error_inside, refusal

pytestmark = pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only where it is used")

KEY = "sk-very-secret"
T = TypeVar("T")


def body(text: str = "14 = L?") -> dict[str, Any]:
    """A request."""
    return {"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": 8}


def senders(parent: int | None = None) -> list[int]:
    """The processes that send for a process, this one unless said otherwise."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            status = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue  # it has just ended
        ours = b"transport_processes" in command and b"-c\0" in command
        if ours and status[0] != "Z" and int(status[1]) == (parent or os.getpid()):
            found.append(int(folder.name))
    return sorted(found)


def alive(process: int) -> bool:
    """Whether a process runs, zombies aside."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually_dead(processes: list[int]) -> bool:
    """Whether they end within some seconds."""
    end = time.monotonic() + 10
    while time.monotonic() < end and any(map(alive, processes)):
        time.sleep(0.02)
    return not any(map(alive, processes))


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result; its processes end with its loop."""
    before = senders()
    result = asyncio.run(work)
    for process in set(senders()) - set(before):
        os.kill(process, signal.SIGKILL)
    return result


async def start() -> None:
    """Two processes that the running loop talks to have loaded the SDK."""
    with Endpoint(Script(completion("1"))) as endpoint:
        transport = TransportProcesses(2, (endpoint.base_url,), KEY, timeout=30.0)
        assert isinstance(await transport.post(0, body(), "score", 30.0), Answer)
        while not all(process.ready for process in transport._processes):
            await asyncio.sleep(0.01)
        await transport.close()


@pytest.mark.parametrize(
    ("concurrency", "cores", "processes"),
    [
        (1, 8, 0),
        (2 * REQUESTS_EACH - 1, 8, 0),
        (2 * REQUESTS_EACH, 8, 2),
        (3 * REQUESTS_EACH, 8, 3),
        (1000, 8, MOST),
        (1000, 2, 2),
        (1000, 1, 0),
    ],
)
def test_as_many_processes_as_are_of_use(
    concurrency: int, cores: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For many requests in flight, never more than processors, and none where one would stand alone."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    assert worthwhile(concurrency) == processes


REPLIES: dict[str, Sent] = {
    "an answer": completion("1"),
    "a surrogate": completion("half \ud800 pair"),
    "a long answer": completion("x" * 3_000_000),
    "refused": failure(401, f"not with {KEY}"),
    "patience": failure(429, "slow down", retry_after="2"),
    "a parameter": failure(400, "max_tokens is not taken"),
    "garbage": Raw(b"<html>"),
    "half a body": Raw(b'{"choices": [{"mess', announced=400),
    "nothing": Raw(b""),
    "dropped": Dropped(),
    "an error inside": error_inside(500, "overloaded"),
    "a refusal": refusal("no"),
    "a hang": Hang(),
}


def test_outcomes_are_those_of_one_process() -> None:
    """Answers and faults alike, in whatever process they came, with the key masked."""

    async def outcomes(transport: Transport | TransportProcesses) -> list[Answer | Fault]:
        found = [
            await transport.post(0, body(), "score", 1.0 if name == "a hang" else 30.0) for name in REPLIES
        ]
        await transport.close()
        return found

    async def both() -> tuple[list[Answer | Fault], list[Answer | Fault]]:
        urls = (endpoint.base_url,)
        one = await outcomes(Transport(urls, KEY, timeout=30.0))
        await start()
        return one, await outcomes(TransportProcesses(2, urls, KEY, timeout=30.0))

    with Endpoint(Script(*REPLIES.values(), *REPLIES.values())) as endpoint:
        one, several = run(both())
    assert several == one
    assert not [outcome for outcome in several if KEY in repr(outcome)]
    assert {request.headers["x-mmeval-stage"] for request in endpoint.requests} == {"score"}


def test_a_client_with_many_slots_sends_from_several_processes() -> None:
    """All slots are used, nothing is sent twice, and the key stands in no command line."""

    async def ask() -> list[Reply]:
        await start()
        settings = JudgeSettings("m", (endpoint.base_url,), KEY, concurrency=64, retries=0)
        client = Client(settings)
        questions = (
            client.complete([{"role": "user", "content": str(number)}], stage="judge", max_tokens=8)
            for number in range(200)
        )
        replies = await asyncio.gather(*questions)
        commands.extend(Path(f"/proc/{process}/cmdline").read_bytes() for process in senders())
        await client.close()
        return replies

    commands: list[bytes] = []
    with Endpoint(Script(Slow(completion("1"), 0.3))) as endpoint:
        replies = run(ask())
    assert [reply.text for reply in replies] == ["1"] * 200
    asked = sorted(request.body["messages"][0]["content"] for request in endpoint.requests)
    assert asked == sorted(map(str, range(200)))
    assert max(request.in_flight for request in endpoint.requests) == 64
    assert len(commands) == worthwhile(64)
    assert not [command for command in commands if KEY.encode() in command]


def test_processes_stay_for_the_next_judge() -> None:
    """Starting one takes seconds."""

    async def twice() -> list[list[int]]:
        seen = []
        for key in ("one", "two"):
            transport = TransportProcesses(2, (endpoint.base_url,), key, timeout=30.0)
            assert isinstance(await transport.post(0, body(), "score", 30.0), Answer)
            await transport.close()
            seen.append(senders())
        return seen

    with Endpoint(Script(completion("1"))) as endpoint:
        first, second = run(twice())
    assert first == second
    assert len(first) == 2


def test_the_first_requests_do_not_wait_for_the_processes() -> None:
    """To load the SDK takes them a second; this one has it."""
    importlib.import_module("openai")

    async def first() -> tuple[Answer | Fault, list[bool]]:
        transport = TransportProcesses(2, (endpoint.base_url,), KEY, timeout=30.0)
        outcome = await transport.post(0, body(), "score", 30.0)
        ready = [process.ready for process in transport._processes]
        await transport.close()
        return outcome, ready

    with Endpoint(Script(completion("1"))) as endpoint:
        outcome, ready = run(first())
    assert isinstance(outcome, Answer)
    assert ready == [False, False]


def test_without_processes_this_one_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine may have none to spare."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EAGAIN, "Resource temporarily unavailable")

    async def post() -> Answer | Fault:
        transport = TransportProcesses(2, (endpoint.base_url,), KEY, timeout=30.0)
        outcome = await transport.post(0, body(), "score", 30.0)
        await transport.close()
        return outcome

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with Endpoint(Script(completion("1"))) as endpoint:
        assert isinstance(run(post()), Answer)


def test_requests_of_a_process_that_dies_are_lost_and_the_others_go_on() -> None:
    """A lost request is a passing fault; when no process is left, this one sends."""

    async def scene() -> tuple[list[Answer | Fault], Answer | Fault, Answer | Fault]:
        await start()
        transport = TransportProcesses(2, (endpoint.base_url,), KEY, timeout=30.0)
        posts = [asyncio.create_task(transport.post(0, body(), "score", 30.0)) for _ in range(4)]
        await asyncio.sleep(0.4)
        first, second = senders()
        os.kill(first, signal.SIGKILL)
        outcomes = await asyncio.gather(*posts)
        after_one = await transport.post(0, body(), "score", 30.0)
        os.kill(second, signal.SIGKILL)
        eventually_dead([second])
        await asyncio.sleep(0.1)
        after_both = await transport.post(0, body(), "score", 30.0)
        await transport.close()
        return outcomes, after_one, after_both

    with Endpoint(Script(Slow(completion("1"), 1.0))) as endpoint:
        outcomes, after_one, after_both = run(scene())
    lost = [outcome for outcome in outcomes if isinstance(outcome, Fault)]
    assert [fault.detail for fault in lost] == ["the process that sent the request ended"] * 2
    assert all(fault.transient for fault in lost)
    assert isinstance(after_one, Answer)
    assert isinstance(after_both, Answer)


def test_a_client_gets_every_reply_though_a_process_is_killed() -> None:
    """What was lost is asked again."""

    async def ask() -> list[Reply]:
        await start()
        client = Client(JudgeSettings("m", (endpoint.base_url,), KEY, concurrency=64, backoff=0.01))
        questions = [
            client.complete([{"role": "user", "content": str(number)}], stage="judge", max_tokens=8)
            for number in range(300)
        ]
        waiting = asyncio.gather(*questions)
        while len(endpoint.requests) < 100:
            await asyncio.sleep(0.01)
        os.kill(senders()[0], signal.SIGKILL)
        replies = await waiting
        await client.close()
        return replies

    if not worthwhile(64):
        pytest.skip("this machine has one processor")
    with Endpoint(Script(Slow(completion("1"), 0.1))) as endpoint:
        assert [reply.text for reply in run(ask())] == ["1"] * 300
    assert len(endpoint.requests) <= 300 + 64


def test_who_gives_up_waiting_leaves_nothing_behind() -> None:
    """The request is taken back, and its process goes on."""

    async def scene() -> Answer | Fault:
        await start()
        transport = TransportProcesses(2, (endpoint.base_url,), KEY, timeout=30.0)
        post = asyncio.create_task(transport.post(0, body(), "score", 30.0))
        while not endpoint.requests:
            await asyncio.sleep(0.01)
        post.cancel()
        with pytest.raises(asyncio.CancelledError):
            await post
        while endpoint._in_flight:  # the hanging request ends when the connection is closed
            await asyncio.sleep(0.01)
        outcome = await transport.post(0, body(), "score", 30.0)
        await transport.close()
        return outcome

    with Endpoint(Script(Hang(), completion("1"))) as endpoint:
        assert isinstance(run(asyncio.wait_for(scene(), 60)), Answer)


SCRIPT = """
import asyncio, sys
from mmeval_pack.judges.background import submit
from mmeval_pack.judges.transport_processes import TransportProcesses

async def start():
    transport = TransportProcesses(2, (sys.argv[1],), "k", timeout=60.0)
    message = {"role": "user", "content": "?"}
    for _ in range(2):
        asyncio.create_task(transport.post(0, {"model": "m", "messages": [message]}, "score", 60.0))

submit(start()).result()
print("started", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("end", ["returns", "interrupt", "terminate", "kill"])
def test_nothing_outlives_the_asking_process(end: str) -> None:
    """However it ends, and nobody adds a traceback of its own."""
    with Endpoint(Script(Hang())) as endpoint:
        asking = subprocess.Popen(
            [sys.executable, "-c", SCRIPT, endpoint.base_url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert asking.stdout
        assert asking.stdout.readline() == "started\n"
        deadline = time.monotonic() + 60
        while len(endpoint.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        processes = senders(asking.pid)
        assert len(processes) == 2
        if end == "interrupt":
            os.killpg(asking.pid, signal.SIGINT)  # as a terminal does
        elif end == "terminate":
            asking.terminate()
        elif end == "kill":
            asking.kill()
        _, errors = asking.communicate(timeout=30)
        assert eventually_dead(processes)
    assert "transport_processes" not in errors
    assert errors.count("Traceback") == (end == "interrupt")  # its own
    assert "Task was destroyed" not in errors
