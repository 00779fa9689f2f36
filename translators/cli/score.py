"""``mmeval-pack score``: verdicts on recorded responses, by rules and by a judge, if there is one."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.records import UNJUDGED
from mmeval_pack.translators.cli import _judge
from mmeval_pack.translators.cli._common import add_command, counted, say, tasks_dir
from mmeval_pack.translators.terminal import visible

if TYPE_CHECKING:
    from mmeval_pack.judges.figures import Figures
    from mmeval_pack.judges.in_flight import Progress
    from mmeval_pack.judges.lines import Chunk, Shard
    from mmeval_pack.judges.offline import Offline, Scored
    from mmeval_pack.judges.ways import Declared
    from mmeval_pack.translators.cli._judge import Court

_REDRAWN = 0.2  # seconds between two figures beside the progress bar
_DESCRIPTION = """\
Score recorded responses. FILE holds one JSON object a line: sample (a row of any published layout; media are
not needed), response, and either task (a task's name) or pipeline and params, as metadata.json has them.
Without any of these the default pipeline decides; a pipeline of the line's own stands in place of the task.
Or FILE is a samples file that `lmms-eval --log_samples` wrote for a task of the pack: what stands under the
key detail is such a line, and is scored and written as one. Or FILE is a prediction file of VLMEvalKit
(.tsv, .xlsx, or a list in .json): of the pack's datasets each prediction is scored as its task says; of
others as the default pipeline does, on what stands in the columns question, A to Z, hint and answer.

OUT gets the same objects in the same order, with score, is_correct, decided_by, status, extraction, reason.
It takes its place at the end, whole; a run that fails leaves an earlier OUT as it was. The same input gives
the same bytes, with any number of jobs.

What the rules leave open is put to the judge that the environment names, and the line gets judge: model,
protocol, prompt, calls, tokens. Without a judge, the verdict of one that a line holds already is kept if it
was made in the same way (rules, pipeline, protocol, prompts where they are given); the summary says what was
kept, and what was not and why. Replies are kept in a cache, so a run that was ended anyhow goes on where it
was, and one that is repeated asks nothing and writes the same bytes. A sample without a verdict is unscored,
with the reason; it is never a 0. A judge that does not reply at all is given up after the first tries.
Lines of one task hold no more than their row: where a MathVerse row shows its question only in the image and
holds no question_for_eval, the judge is told so (logs of lmms-eval hold it).

A line that cannot be read or scored is named on stderr and left out; blank lines are passed over.
Exit codes: 0 all is scored; 1 a worker process died; 2 bad input or usage, and nothing was written; or broken
lines were left out, and all others were scored and written; 3 no line was left out, but some sample needs a
judge and got none."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    example = "mmeval-pack score responses.jsonl --out scored.jsonl"
    parser = add_command(commands, "score", "score recorded responses", _DESCRIPTION, example, run)
    parser.add_argument("files", metavar="FILE", nargs="+", help="responses, or - for stdin")
    parser.add_argument(
        "--out",
        metavar="OUT.jsonl",
        help="file for the scored lines; - for stdout, the summary then on stderr",
    )
    parser.add_argument(
        "--rules",
        choices=("parity", "improved"),
        default="parity",
        help="parity, the default: the publisher's verdicts; improved: not comparable with published figures",
    )
    parser.add_argument(
        "--jobs",
        metavar="N",
        type=_jobs,
        default=1,
        help="number of processes for the rules (default: 1); with a judge there is always one",
    )
    parser.add_argument(
        "--shard",
        metavar="I/N",
        type=_shard,
        default="1/1",
        help="score only every N-th line, beginning with line I (1 to N; 0 is the same as N) of each file",
    )
    parser.add_argument(
        "--strip-reasoning",
        action="store_true",
        help="take <think> blocks off first; without it this is done only where a log says that it was done",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    _judge.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Score, write, and print the summary."""
    from mmeval_pack.judges.figures import Figures
    from mmeval_pack.translators.cli import _input_files
    from mmeval_pack.translators.cli._output_file import output

    _input_files.check(options.files, options.out)
    found: list[dict[str | None, Figures]] = [{} for _ in options.files]
    broken = [0 for _ in options.files]
    with (
        _progress(options) as bar,
        _judge.opened(options, _reporter(bar)) as court,
        output(options.out) as write,
    ):
        chunks = _input_files.read(options.files, options.shard, bar.update)
        with closing(_scored(_offline(options, court), chunks, options.jobs)) as results:
            for scored in results:
                write(scored.text)
                for task, figures in scored.figures.items():
                    found[scored.file].setdefault(task, Figures()).merge(figures)
                broken[scored.file] += len(scored.broken)
                name = options.files[scored.file]
                for number, fault in scored.broken:
                    bar.write(f"mmeval-pack: {name}, line {number}: {fault}", sys.stderr)
        if any(broken) and not any(found):
            raise InputError(f"no line could be scored, {counted(sum(broken), 'broken line')} left out")
    _print_summary(options, found, broken, court)
    return _exit_code(found, broken, judgeless=court is None and options.judge != "off")


def _offline(options: argparse.Namespace, court: Court | None) -> Offline:
    """What scores, as the options say."""
    from mmeval_pack.judges.offline import Offline
    from mmeval_pack.translators.cli._layouts import unwrap

    root = tasks_dir(options)
    if not root.is_dir():
        raise InputError(f"{root}: is no tasks folder")
    resolve = partial(_declared, root)
    own = options.rules, options.strip_reasoning
    if court:
        return Offline(resolve, unwrap, *own, court.in_flight)
    return Offline(resolve, unwrap, *own, None, *_judge.terms(options))


def _scored(offline: Offline, chunks: Iterable[Chunk], jobs: int) -> Generator[Scored]:
    """The chunks with their verdicts, in their order."""
    from mmeval_pack.judges.workers import ordered

    return offline.judged(chunks) if offline.in_flight else ordered(offline.chunk, chunks, jobs)


def _declared(root: Path, name: str) -> Declared:
    """How a task of the tasks folder is scored."""
    from mmeval_pack.judges.judging import METHODS
    from mmeval_pack.judges.ways import Declared
    from mmeval_pack.translators.plan import find_task

    task = find_task(root, name)
    return Declared(task.pipeline, task.params, task.judge or METHODS[0], task.groups, task.name)


def _progress(options: argparse.Namespace) -> Any:
    """A bar over the bytes of the files, on a terminal."""
    from tqdm import tqdm

    from mmeval_pack.translators.cli._input_files import size

    hidden = options.quiet or not sys.stderr.isatty()
    return tqdm(total=size(options.files), unit="B", unit_scale=True, leave=False, disable=hidden)


def _reporter(bar: Any) -> Callable[[Progress], None]:
    """Shows beside the bar, every now and then, how far the judging is."""
    from mmeval_pack.translators.cli._judge_summary import progress_text

    start = drawn = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal drawn
        now = time.monotonic()
        if not bar.disable and now - drawn > _REDRAWN:
            drawn = now
            bar.set_postfix_str(progress_text(progress, now - start))

    return report


def _print_summary(
    options: argparse.Namespace,
    found: Sequence[Mapping[str | None, Figures]],
    broken: Sequence[int],
    court: Court | None,
) -> None:
    """The figures of each file, and of all if there are several; on stderr where stdout has the lines."""
    from mmeval_pack.judges.figures import merged
    from mmeval_pack.translators.cli import _judge_summary
    from mmeval_pack.translators.cli._summary import file_text, of_file, text, values

    judge = _judge_summary.figures(court) if court else None
    files = [of_file(*each) for each in zip(options.files, found, broken, strict=True)]
    overall = values(merged(merged(parts.values()) for parts in found), sum(broken))
    if options.json:
        whole = {"rules": options.rules, "files": files, "overall": overall, "judge": judge}
        summary = [json.dumps(whole, indent=2)]
    else:
        summary = [line for file in files for line in file_text(file)]
        summary += text("overall", overall) if len(files) > 1 else ()
        if options.rules != "parity":
            summary.append(f"rules: {options.rules}; not comparable with published figures")
        summary += _judge_summary.text(judge) if judge else ()
    for line in summary:
        if options.out == "-":
            say(options, line)
        else:
            print(visible(line))


def _exit_code(
    found: Sequence[Mapping[str | None, Figures]], broken: Sequence[int], *, judgeless: bool
) -> int:
    """What the run comes to, with a message where that is not 0.

    Args:
        found: the figures of each file.
        broken: number of lines of each that were left out.
        judgeless: a judge would have been asked, but none is configured.
    """
    from mmeval_pack.judges.asking import TO_SET

    if any(broken):
        print(f"mmeval-pack: {counted(sum(broken), 'broken line')} left out", file=sys.stderr)
        return 2
    reasons: Counter[str] = Counter()
    for figures in (figures for parts in found for figures in parts.values()):
        reasons += figures.tally.reason
    unjudged = {reason: reasons[reason] for reason in sorted(reasons) if reason in UNJUDGED}
    if unjudged:
        listed = ", ".join(f"{reason} {count}" for reason, count in unjudged.items())
        print(
            f"mmeval-pack: {counted(sum(unjudged.values()), 'sample')} not judged: {listed}", file=sys.stderr
        )
        if judgeless and "no_judge" in unjudged:
            print(f"mmeval-pack: no judge is configured; set {TO_SET}", file=sys.stderr)
        return 3
    return 0


def _jobs(text: str) -> int:
    if text.isdecimal() and len(text) < 5 and int(text) > 0:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; expected 1 to 9999")


def _shard(text: str) -> Shard:
    from mmeval_pack.judges.lines import Shard

    try:
        return Shard.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
