"""``mmeval-pack demo``: the bundled sample through the real lmms-eval."""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.translators.cli._common import add_command, say, tasks_dir

if TYPE_CHECKING:
    from mmeval_pack.translators.demo.outcome import TaskRun

_DESCRIPTION = """\
Evaluate the bundled sample with the real lmms-eval command line and print its results.

No model and no network are needed: an endpoint on this machine answers with recorded responses, which it
finds by the text and the pixels that arrive. MathVerse's judge is recorded too, with one reply that fails and
one that is no verdict, so that two rows stay unscored. The run has an environment of its own; keys and
settings of yours do not reach it.

With --serve nothing is evaluated: the recorded judge alone is served on a free port of this machine, to try
score, lmms-eval or VLMEvalKit with, until ^C or SIGTERM; the exit code is 0 then. stdout has the lines to
paste into another shell. It has recorded replies about the sample's rows; to all else it says 1, true or not.
Exit codes: 0 every row was evaluated, 1 lmms-eval failed or left rows out, 2 lmms-eval is not installed, or
the sample or the folder cannot be used, 3 not one of the rows that need a judge was judged."""

_MEANING = {
    "no_judge": "the rules decided nothing, and there is no judge to ask",
    "judge_failed": "the judge gave no reply",
    "judge_unparseable": "no reply of the judge was a verdict on offer",
    "missing_answer": "the row has no answer",
    "reasoning_unclosed": "the response never ends its reasoning",
    "generation_failed": "the model gave no response",
}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "demo",
        "the bundled sample through the real lmms-eval",
        _DESCRIPTION,
        "mmeval-pack demo --out mmeval-demo",
        run,
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path("mmeval-demo"),
        help="folder for rows, requests, log and results; replaces an earlier demo's (default: mmeval-demo)",
    )
    parser.add_argument("--serve", action="store_true", help="serve the recorded judge, and do nothing else")


def run(options: argparse.Namespace) -> int:
    """Run the demo and print lmms-eval's table, then what the pack adds to it."""
    from mmeval_pack.translators.demo.run import LOG, PROBE, REQUESTS
    from mmeval_pack.translators.demo.run import run as run_demo

    if options.serve:
        return _serve(options)
    say(options, "running lmms-eval on the bundled sample; this takes half a minute to two minutes")
    done = run_demo(tasks_dir(options), options.out)
    print(done.table)
    for task in done.tasks:
        print("\n".join(["", *_report(task)]))
    if done.calls:
        calls = [f"{stage} {n}" for stage, n in sorted(done.calls.items()) if stage != PROBE]
        print(
            f"\njudge calls: {', '.join(calls)}, and {done.calls[PROBE]} before them to see that it answers"
        )
    print(f"\nresults and samples: {done.folder}")
    print(f"requests: {options.out / REQUESTS}")
    print(f"lmms-eval's log: {options.out / LOG}")
    return _exit_code([detail for task in done.tasks for detail in task.details])


def _serve(options: argparse.Namespace) -> int:
    """Serve the recorded judge until a signal comes."""
    from mmeval_pack.translators.demo.serve import served

    stops = {signal.SIGINT, signal.SIGTERM}
    # Blocked, they wait for sigwait wherever they arrive; the threads of the endpoint inherit that.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        with served(tasks_dir(options)) as environment:
            for name, value in environment.items():
                print(f"export {name}={value}", flush=True)
            say(options, "serving the recorded judge until ^C; paste the lines above into another shell")
            signal.sigwait(stops)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return 0


def _exit_code(details: Sequence[Mapping[str, Any]]) -> int:
    """3 when rows need a judge and not one of them was judged."""
    from mmeval_pack.judges.records import UNJUDGED

    unjudged = Counter(detail["reason"] for detail in details if detail["reason"] in UNJUDGED)
    if not unjudged or any(detail["judge"] and detail["status"] == "ok" for detail in details):
        return 0
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(unjudged.items()))
    print(f"mmeval-pack: no row that needs a judge was judged: {reasons}", file=sys.stderr)
    return 3


def _report(done: TaskRun) -> Iterator[str]:
    """The lines about one task: what was scored, the groups, and what stands behind every reason."""
    statuses = Counter(detail["status"] for detail in done.details)
    rows = f"{len(done.details)} rows: {statuses['ok']} graded, {statuses['invalid']} invalid"
    yield f"{done.task.name}: {rows}, {statuses['unscored']} unscored"
    headline, published = (_number(done.metrics[name]) for name in (done.task.metric, "published"))
    yield f"  {done.task.metric} {headline} of the graded rows, {published} of all"
    for name, values in done.metrics["breakdown"]["groups"].items():
        for value, cell in values.items():
            yield f"  {name} = {value}: {_number(cell['accuracy'])} of {cell['n']}"
        yield f"  {name}: {_number(done.metrics['breakdown']['macro'][name])} is the mean of the groups"
    reasons = Counter((detail["status"], detail["reason"]) for detail in done.details if detail["reason"])
    for (status, reason), count in sorted(reasons.items()):
        meaning = f" ({_MEANING[reason]})" if reason in _MEANING else ""
        ids = ", ".join(str(d["id"]) for d in done.details if (d["status"], d["reason"]) == (status, reason))
        yield f"  {count} {status}, {reason}{meaning}: id {ids}"


def _number(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float | int) else "none"
