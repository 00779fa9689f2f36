"""Seconds, memory and size of the report of ``mmeval-pack parity`` on 10,000 samples.

    python bench/parity.py [--samples 10000] [--task muirbench_mmeval] [--references mmeval,official,...]

The samples are the bundled ones over and over, each under an id of its own and with its images, and what
they were answered is written in the many ways of `STYLES`; each has a judge's replies too. The
command runs in a process of its own: its time counts imports, reading, judging and writing HTML and JSON.
What is limited is its processor time, which does not depend on what else the machine does; it has one thread.
Memory is the peak of the resident sets of that process and its children together.
Exit code 1: one of the limits is exceeded.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from pyarrow import Table, parquet

from mmeval_pack.translators.plan import TASKS_DIR, find_task

REFERENCES: Final = ("mmeval", "improved", "official", "lmms-eval")
LIMITS: Final = {"seconds of processor": 30.0, "MB of memory": 1000.0, "MB of HTML": 15.0}
STYLES: Final = (
    "{}", "({})", "{}.", "**{}**", "The answer is {}.", "Answer: {}\nIt is plain to see.", "\\boxed{{{}}}",
    "<think>It could be the first, or (B). No.</think>{}", "I looked at every picture, one by one. So: {}",
    "A closer look settles it: option {}, because the others do not fit what the pictures show.",
)  # fmt: skip
MAIN: Final = "from mmeval_pack.translators.cli import main; raise SystemExit(main())"
TICK: Final = 0.05  # seconds between two looks at the memory
PAGE: Final = os.sysconf("SC_PAGE_SIZE")


def generate(folder: Path, task: str, count: int) -> list[str]:
    """Write rows, responses and judges' replies of a task; the arguments of the command for them."""
    sample = next(TASKS_DIR.glob(f"*/sample/{task}.parquet"))
    table = parquet.read_table(sample)
    bundled = {row["id"]: row for row in table.to_pylist()}
    recorded = sample.with_name(f"{task}.responses.jsonl").read_text("utf-8")
    responses = [json.loads(line) for line in recorded.splitlines()]
    rows, given, judged = [], [], []
    for number in range(count):
        line = responses[number % len(responses)]
        new = {"task": task, "id": f"{line['id']}-{number}"}
        style = STYLES[number // len(responses) % len(STYLES)]
        rows.append({**bundled[line["id"]], "id": new["id"]})
        given.append({**new, "response": line["response"] and style.format(line["response"])})
        judged.append({**new, "extract": str(number % 90), "score": str(number % 2)})
    parquet.write_table(Table.from_pylist(rows, schema=table.schema), folder / f"{task}.parquet")
    files = {"responses": given, "judge": judged}
    for name, lines in files.items():
        (folder / f"{task}.{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return [str(folder / f"{task}.responses.jsonl"), "--rows", str(folder)]


def peak(command: list[str]) -> tuple[int, int]:
    """Run a command; its exit code, and the most bytes that it and its children held together."""
    process, most = subprocess.Popen(command, stdout=subprocess.DEVNULL), 0
    while process.poll() is None:
        most = max(most, _resident(process.pid))
        time.sleep(TICK)
    return process.returncode, max(most, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)


def _resident(pid: int) -> int:
    """Bytes that a process and all below it hold; 0 of one that has just ended."""
    try:
        own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        children = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return own + sum(_resident(int(child)) for line in children for child in line)


def main() -> int:
    """Print the figures; 1 where one is above its limit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=10_000)
    parser.add_argument("--task", default="muirbench_mmeval")
    parser.add_argument("--references", default=",".join(REFERENCES))
    options = parser.parse_args()
    find_task(TASKS_DIR, options.task)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = folder / "parity.html"
        written = ["--html", str(page), "--json", str(folder / "parity.json")]
        files = generate(folder, options.task, options.samples)
        command = [sys.executable, "-c", MAIN, "parity", *files, *written]
        start, before = time.perf_counter(), os.times()
        code, memory = peak([*command, "--references", options.references])
        wall, after = time.perf_counter() - start, os.times()
        if code not in (0, 3):
            return code
        size = page.stat().st_size
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    figures = {"seconds of processor": worked, "MB of memory": memory / 1e6, "MB of HTML": size / 1e6}
    print(f"{options.samples} samples of {options.task} under {options.references}")
    for label, figure in figures.items():
        print(f"{label:21} {figure:8.1f} of at most {LIMITS[label]:g}")
    print(f"{'seconds by the clock':21} {wall:8.1f}")
    return int(any(figure > LIMITS[label] for label, figure in figures.items()))


if __name__ == "__main__":
    sys.exit(main())
