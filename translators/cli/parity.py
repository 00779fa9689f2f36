"""``mmeval-pack parity``: the same responses under several scorers, side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.cli._common import add_command, counted, say, tasks_dir

if TYPE_CHECKING:
    from mmeval_pack.parity.evaluate import Side
    from mmeval_pack.parity.inputs import Inputs

_DESCRIPTION = """\
Lay the verdicts of several scorers on the same responses side by side, and say why they differ.

FILE is a samples file of lmms-eval (--log_samples) of the pack's tasks, lines of mmeval-pack score,
recorded responses ({"task", "id", "response"}) or a prediction file of VLMEvalKit (tsv, xlsx, json). Each
model has its own files, or its name under the key model; two runs of one model are laid side by side under
two names: of folders for logs of lmms-eval, else of files. Responses are joined to rows by the row's id.

References: mmeval, improved, official, lmms-eval, vlmevalkit, vlmevalkit-installed. One whose framework is
not installed is skipped with a line that says how to install it. No LLM is asked: a scorer that needs one
gets the judge's recorded replies (the keys extract_replies and judge_replies), else it has no verdict.

Exit codes: 0 fine; 1 two references agree on less than the share that --fail-under asks; 2 bad input, or
lines were left out; 3 a reference lacks verdicts for want of a judge."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    example = "mmeval-pack parity logs/*_samples_muirbench_mmeval.jsonl --html parity.html"
    parser = add_command(
        commands, "parity", "lay scorers side by side on the same responses", _DESCRIPTION, example, run
    )
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="recorded responses")
    parser.add_argument("--references", metavar="A,B", help="the scorers to compare (default: all)")
    parser.add_argument("--html", metavar="OUT", help="write the report as one self-contained HTML file")
    parser.add_argument("--json", metavar="OUT", help="write the report as JSON; - for stdout")
    parser.add_argument(
        "--fail-under", metavar="X", type=_share, help="exit 1 if two references agree on less; from 0 to 1"
    )
    parser.add_argument("--rows", metavar="DIR", type=Path, help="folder of <task>.parquet: rows and images")
    parser.add_argument("--task", metavar="NAME", help="the task of files that name none")


def run(options: argparse.Namespace) -> int:
    """Judge, write, and print the table."""
    from mmeval_pack.parity.evaluate import Side, skipped
    from mmeval_pack.parity.inputs import Inputs
    from mmeval_pack.parity.references import NAMES
    from mmeval_pack.translators.plan import find_task

    names = [name.strip() for name in options.references.split(",")] if options.references else [*NAMES]
    inputs = Inputs(options.rows, options.task)
    side = Side(partial(find_task, tasks_dir(options)), names)
    for path in options.files:
        side.add(inputs.read(path))
    report = side.report()
    for line in skipped(report):
        say(options, line)
    _write(options, report, side, inputs)
    if options.json != "-":
        for line in _table(report):
            print(line)
    return _exit_code(options, report, side, inputs.broken)


def _write(options: argparse.Namespace, report: dict[str, Any], side: Side, inputs: Inputs) -> None:
    from mmeval_pack.parity.evaluate import written
    from mmeval_pack.translators.cli._output_file import output

    if options.json:
        with output(options.json) as write:
            for part in written(report, side.samples):
                write(part)
    if options.html:
        from mmeval_pack.parity.report import html

        folders = {path.resolve().parent for path in options.files}
        with output(options.html) as write:
            write(html(report, side.samples, side.tasks, partial(_media, inputs, folders)).encode())


def _media(inputs: Inputs, folders: set[Path], response: Any) -> list[Any]:
    found = (inputs.media(response, folder) for folder in sorted(folders))
    return next((media for media in found if media), [])


def _table(report: dict[str, Any]) -> Iterator[str]:
    """The accuracies of each model and task, then the reasons."""
    from mmeval_pack.parity.compare import UNEVEN, uneven

    for part in report["comparisons"]:
        yield f"{part['task']}, {part['model']}: {part['n']} responses, {part['disputed']} disputed"
        rows: list[tuple[str, ...]] = [("  reference", "accuracy", "of n", "95 %", "by lot", "no verdict")]
        rows += [_cells(entry) for entry in part["accuracy"]]
        yield from _aligned(rows)
        if uneven(part):
            yield f"  note: {UNEVEN}"
        for entry in part["reasons"]:
            if entry["count"]:
                shown = ", ".join(entry["examples"][:3])
                yield f"  {entry['count']:>5}  {entry['name']}: {entry['about']} ({shown})"


def _cells(entry: dict[str, Any]) -> tuple[str, ...]:
    accuracy = "-" if entry["accuracy"] is None else f"{entry['accuracy']:.4f}"
    bounds = "-" if entry["low"] is None else f"{entry['low']:.4f} to {entry['high']:.4f}"
    lost = entry["unscored"] + entry["crash"] + entry["hang"]
    return (f"  {entry['reference']}", accuracy, str(entry["n"]), bounds, str(entry["random"]), str(lost))


def _aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _exit_code(options: argparse.Namespace, report: dict[str, Any], side: Side, broken: Sequence[str]) -> int:
    """What the run comes to, with a message where that is not 0."""
    from mmeval_pack.parity.evaluate import least_agreement

    for fault in broken:
        print(f"mmeval-pack: {fault}", file=sys.stderr)
    if broken:
        print(f"mmeval-pack: {counted(len(broken), 'line')} left out", file=sys.stderr)
        return 2
    if not side.samples:
        raise InputError("the files hold no response")
    least = least_agreement(report)
    if options.fail_under is not None and (least is None or least[0] < options.fail_under):
        found = "nothing was compared" if least is None else f"{least[1]} agree on {least[0]:.4f}"
        print(f"mmeval-pack: {found}, below {options.fail_under}", file=sys.stderr)
        return 1
    verdicts = (verdict for sample in side.samples for verdict in sample.verdicts.values())
    unjudged = sum(verdict.reason == "no_judge" for verdict in verdicts)
    if unjudged:
        say(
            options,
            f"mmeval-pack: {counted(unjudged, 'verdict')} not given: no judge's reply is recorded",
        )
        return 3
    return 0


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if 0 <= value <= 1:
        return value
    raise argparse.ArgumentTypeError(f"{text!r} is no share; expected a number from 0 to 1")
