"""``mmeval-pack vlmevalkit``: VLMEvalKit's own run with the pack's datasets."""

from __future__ import annotations

import argparse
from pathlib import Path

from mmeval_pack.translators.cli._common import add_command, say, tasks_dir

_DESCRIPTION = """\
Run VLMEvalKit's own command line, its run.py, with the pack's tasks.

passed on to run.py as it is: every argument but the options below, so --data, --model, --work-dir, --mode,
--judge and all others that VLMEvalKit documents.
added by the pack: its tasks as datasets for --data, under the names of mmeval-pack list, and for --model the
name replay, which answers with the recorded responses of --responses. VLMEvalKit itself is not changed.

It runs on the VLMEvalKit that is installed (pip install 'mmeval-pack[vlmevalkit]') or on the checkout that
--checkout names; which one it was stands in the file MODEL_TASK_mmeval.json beside the results.
Predictions are written as tsv unless PRED_FORMAT says otherwise: xlsx cuts long responses.
Exit codes: 0 VLMEvalKit came to its end (whether it evaluated all stands in its status.json), 2 VLMEvalKit is
not installed, rows or responses cannot be used, or usage."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "vlmevalkit",
        "VLMEvalKit's run with the pack's datasets",
        _DESCRIPTION,
        "mmeval-pack vlmevalkit --data muirbench_mmeval --model GPT4o --work-dir out",
        run,
    )
    parser.usage = "%(prog)s [options below] [arguments of VLMEvalKit's run.py]"
    parser.set_defaults(others=[])
    parser.add_argument(
        "--responses",
        metavar="FILE|DIR",
        default="",
        help="recorded responses for the model replay: a JSONL file, or a folder of *.responses.jsonl",
    )
    parser.add_argument("--checkout", metavar="DIR", type=Path, help="a checkout of VLMEvalKit's repository")


def run(options: argparse.Namespace) -> int:
    """Run VLMEvalKit in this process."""
    from mmeval_pack.translators.vlmevalkit import launch
    from mmeval_pack.translators.vlmevalkit.version import Version

    if options.checkout:
        launch.use_checkout(options.checkout)
    version = Version.found()
    say(options, f"VLMEvalKit: {version.name} {version.version}")
    launch.run(tasks_dir(options), options.others, options.responses)
    return 0
