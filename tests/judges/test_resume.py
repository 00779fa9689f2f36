"""Runs that are killed, in real processes: what was answered is not asked again."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from mmeval_pack.translators.demo.endpoint import Endpoint, Request, completion
from mmeval_pack.translators.demo.faults import Slow

QUESTIONS, CONCURRENCY = 160, 8

RUN = """
import asyncio, sys
from pathlib import Path
from mmeval_pack.judges.cache import Cache
from mmeval_pack.judges.client import Client, JudgeSettings

async def main(url, cache, questions, concurrency):
    client = Client(JudgeSettings("m", (url,), "k", concurrency=concurrency), cache)
    replies = await asyncio.gather(*(
        client.complete([{"role": "user", "content": str(number)}], stage="score", max_tokens=8)
        for number in range(questions)
    ))
    print(*(reply.text for reply in replies))

with Cache(Path(sys.argv[2])) as cache:
    asyncio.run(main(sys.argv[1], cache, int(sys.argv[3]), int(sys.argv[4])))
"""


def test_kill_9_costs_no_more_than_the_calls_in_flight(tmp_path: Path) -> None:
    """Three kills, then a run to the end and one more: the endpoint's log shows what was asked twice."""

    def answer(request: Request) -> Slow:
        number = request.body["messages"][0]["content"]
        return Slow(completion(f"{number}:{len(endpoint.requests)}"), 0.03)

    def start() -> subprocess.Popen[str]:
        arguments = [endpoint.base_url, str(tmp_path / "cache"), str(QUESTIONS), str(CONCURRENCY)]
        return subprocess.Popen([sys.executable, "-c", RUN, *arguments], stdout=subprocess.PIPE, text=True)

    with Endpoint(answer) as endpoint:
        for seen in (23, 61, 102):
            run = start()
            while len(endpoint.requests) < seen:
                time.sleep(0.002)
            run.kill()
            run.communicate()
        finished = start().communicate()[0]
        asked = len(endpoint.requests)
        again = start().communicate()[0]
        assert len(endpoint.requests) == asked
    times = Counter(request.body["messages"][0]["content"] for request in endpoint.requests)
    assert len(times) == QUESTIONS
    assert asked - QUESTIONS <= 3 * CONCURRENCY
    assert [reply.partition(":")[0] for reply in finished.split()] == [str(n) for n in range(QUESTIONS)]
    assert again == finished
