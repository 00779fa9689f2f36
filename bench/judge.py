"""Wall time of judging MathVerse rows in two stages, beside the frameworks' own scoring of the same rows.

    python bench/judge.py [--rows 200,2000] [--concurrency 4,16,64] [--peer-rows 200] [--repeat 1]

The judge is the loopback endpoint in a process of its own; it replies after 100 ms. No row is settled by a
rule or by its extraction, so each needs both calls. The ideal is calls x latency / concurrency. Each run
starts with an empty cache, and a second run then finds all replies in it. Beside it stands the bare SDK: the
same calls from a loop that does nothing else, the floor on this machine at this moment. The frameworks run in
processes of their own; imports are not on anybody's clock. lmms-eval makes one call a row, in as many threads
as its command line uses (4). Last, the pack's task under lmms-eval's own command line with its default flags:
from the first request to the last reply, as the endpoint saw them, since nothing else of such a run is the
judge's. Exit code 1: a ratio is above its limit, or a second run asked something.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final, NamedTuple

from judge_peers import INSTALL, LMMS_EVAL_THREADS, MODEL, PEERS, bare_sdk, peer, question, response

from mmeval_pack.translators.cli import main as mmeval_pack
from mmeval_pack.translators.demo.endpoint import Endpoint, completion
from mmeval_pack.translators.demo.faults import Slow

LATENCY: Final = 0.1  # seconds
LIMITS: Final = {4: 1.25, 16: 1.25, 64: 1.6}
LIMIT_UNDER_LMMS_EVAL: Final = 1.5
TASK: Final = "mathverse_testmini_text_only_mmeval"
PROCESSES: Final = get_context("spawn")


class Asked(NamedTuple):
    """What the endpoint saw since the last look.

    Attributes:
        calls: requests, those that only checked the connection aside.
        peak: the most of them at a time.
        seconds: from the first request to the last reply.
    """

    calls: int
    peak: int
    seconds: float


def serve(pipe: Connection) -> None:
    """The endpoint's process: tells its URL, then what it saw whenever it is asked."""
    with Endpoint(lambda _: Slow(completion("1", MODEL), LATENCY)) as endpoint:
        pipe.send(endpoint.base_url)
        while pipe.recv():
            seen = [each for each in endpoint.requests if each.headers.get("x-mmeval-stage") != "judge"]
            endpoint.requests.clear()
            peak = max((each.in_flight for each in seen), default=0)
            pipe.send(Asked(len(seen), peak, seen[-1].arrived + LATENCY - seen[0].arrived if seen else 0.0))


@contextmanager
def endpoint() -> Iterator[tuple[str, Callable[[], Asked]]]:
    """A running endpoint: its URL, and what it saw since the last look."""
    here, there = PROCESSES.Pipe()
    process = PROCESSES.Process(target=serve, args=(there,))
    process.start()
    url = here.recv()

    def look() -> Asked:
        here.send(True)
        asked: Asked = here.recv()
        return asked

    try:
        yield url, look
    finally:
        here.send(False)
        process.join()


def row(number: int) -> dict[str, Any]:
    """A row whose answer no rule finds in its response."""
    message = {"role": "user", "question": question(number)}
    return {"id": str(number), "media": [], "messages": [message], "answer": f"{number} cm"}


def write_lines(file: Path, lines: Iterable[dict[str, Any]]) -> None:
    """A JSONL file."""
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))


def ours(url: str, rows: int, concurrency: int, folder: Path) -> Iterator[float]:
    """Seconds of a first and of a second run of the command, which share a cache."""
    os.environ |= {"MMEVAL_JUDGE_BASE_URL": url, "MMEVAL_JUDGE_MODEL": MODEL}
    file = folder / "in.jsonl"
    write_lines(file, ({"task": TASK, "sample": row(n), "response": response(n)} for n in range(rows)))
    options = [
        "--judge-concurrency",
        str(concurrency),
        "--judge-cache",
        str(folder / "cache.sqlite"),
        "--quiet",
    ]
    for _ in range(2):
        start = time.perf_counter()
        with redirect_stdout(io.StringIO()):
            code = mmeval_pack(["score", str(file), "--out", str(folder / "out.jsonl"), *options])
        if code:
            sys.exit(f"mmeval-pack score ended with {code}")
        yield time.perf_counter() - start


def under_lmms_eval(url: str, rows: int, concurrency: int, folder: Path) -> str | None:
    """Runs the pack's task under lmms-eval's command line; returns why it could not."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        return f"lmms-eval cannot be run ({error}); get it with: {INSTALL['lmms-eval']}"
    table = [{**row(number), "messages": json.dumps(row(number)["messages"])} for number in range(rows)]
    pq.write_table(pa.Table.from_pylist(table), folder / f"{TASK}.parquet")
    write_lines(
        folder / "made.jsonl", ({"task": TASK, "id": str(n), "response": response(n)} for n in range(rows))
    )
    judge = {
        "MODEL": MODEL,
        "BASE_URL": url,
        "CONCURRENCY": str(concurrency),
        "CACHE": str(folder / "cache.sqlite"),
    }
    arguments = [
        "--model",
        "replay",
        "--model_args",
        "responses=made.jsonl",
        "--tasks",
        TASK,
        "--batch_size",
        "1",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "lmms_eval", *arguments, "--log_samples", "--output_path", "out"],
        env=os.environ
        | {f"MMEVAL_JUDGE_{name}": value for name, value in judge.items()}
        | {"MMEVAL_ROWS": str(folder), "HF_HUB_OFFLINE": "1"},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return (
        None if list(folder.glob("out/**/*_samples_*.jsonl")) else f"lmms-eval failed:\n{done.stderr[-2000:]}"
    )


def measure_under_lmms_eval(url: str, look: Callable[[], Asked], rows: int, concurrency: int) -> bool:
    """Whether the ratio is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        failed = under_lmms_eval(url, rows, concurrency, Path(folder))
    asked = look()
    if failed:
        print(failed)
        return True
    good = asked.seconds <= LIMIT_UNDER_LMMS_EVAL * asked.calls * LATENCY / concurrency
    show(
        "under lmms-eval",
        rows,
        concurrency,
        asked,
        asked.seconds,
        f"limit {LIMIT_UNDER_LMMS_EVAL}{'' if good else ': MISSED'}",
    )
    return good


def show(name: str, rows: int, concurrency: int, asked: Asked, seconds: float, note: str) -> None:
    """One line of the table."""
    ideal = asked.calls * LATENCY / concurrency
    ratio = f"{seconds / ideal:>8.2f}" if ideal else f"{'':>8}"
    counts = f"{rows:>6}{concurrency:>6}{asked.calls:>7}{asked.peak:>6}"
    print(f"{name:<18}{counts}{seconds:>9.2f}{ideal:>8.2f}{ratio}  {note}", flush=True)


def measure(url: str, look: Callable[[], Asked], rows: int, concurrency: int) -> tuple[float, bool]:
    """Seconds of our first run, and whether ratio and second run are as they should be."""
    with tempfile.TemporaryDirectory() as folder:
        runs = ours(url, rows, concurrency, Path(folder))
        look()
        seconds, asked = next(runs), look()
        limit = LIMITS.get(concurrency, LIMITS[64])
        good = seconds <= limit * asked.calls * LATENCY / concurrency
        show("mmeval-pack", rows, concurrency, asked, seconds, f"limit {limit}{'' if good else ': MISSED'}")
        again, asked = next(runs), look()
        show("  second run", rows, concurrency, asked, again, "limit 0 calls")
    floor = bare_sdk(url, rows, concurrency)
    show(
        "  bare SDK",
        rows,
        concurrency,
        look(),
        floor,
        f"mmeval-pack takes {seconds / floor:.2f} times as long",
    )
    return seconds, good and not asked.calls


def measure_peers(url: str, look: Callable[[], Asked], rows: int, concurrency: int, own: float) -> None:
    """The peers on the same rows."""
    for name in PEERS:
        with tempfile.TemporaryDirectory() as folder:
            seconds = peer(name, url, rows, concurrency, Path(folder))
        if isinstance(seconds, str):
            print(seconds)
        else:
            used = LMMS_EVAL_THREADS if name == "lmms-eval" else concurrency
            show(name, rows, used, look(), seconds, f"{seconds / own:.1f} times mmeval-pack's")


def main() -> int:
    """Measure and print."""
    numbers: Callable[[str], list[int]] = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=numbers, default=[200, 2000])
    parser.add_argument("--concurrency", type=numbers, default=[*LIMITS])
    parser.add_argument(
        "--peer-rows", type=int, default=200, help="the number of rows at which the peers run too"
    )
    parser.add_argument("--repeat", type=int, default=1, help="how often each of our figures is taken")
    options = parser.parse_args()
    print(f"{'':18}{'rows':>6}{'conc':>6}{'calls':>7}{'peak':>6}{'seconds':>9}{'ideal':>8}{'ratio':>8}")
    good = True
    with endpoint() as (url, look):
        with tempfile.TemporaryDirectory() as folder:
            most = max(options.concurrency)
            list(ours(url, 8 * most, most, Path(folder)))  # imports, here and in processes that send
        for rows in options.rows:
            for concurrency in options.concurrency:
                for _ in range(options.repeat):
                    seconds, passed = measure(url, look, rows, concurrency)
                    good = good and passed
                if rows == options.peer_rows:
                    measure_peers(url, look, rows, concurrency, seconds)
                    good = measure_under_lmms_eval(url, look, rows, concurrency) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
