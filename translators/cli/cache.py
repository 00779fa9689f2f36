"""``mmeval-pack cache``: carry judges' replies to where there is no judge."""

from __future__ import annotations

import argparse
from pathlib import Path

from mmeval_pack.translators.cli._common import add_command, say

_DESCRIPTION = """\
export writes all replies of judges that the cache holds, as JSONL in a fixed order: the same cache gives the
same bytes. With such a file anybody reproduces a score without a judge:
`mmeval-pack score FILE --judge replay:REPLIES.jsonl`. It holds no key, no URL and no question, but what the
judge said may quote a response.
import adds the replies of such files to the cache. What it knows already stays as it is; a file with a line
that is no reply is refused whole.

The cache is the file that --judge-cache or MMEVAL_JUDGE_CACHE names, else judge.sqlite in the user's cache
folder. Exit codes: 0 fine; 2 a file cannot be read, written or used."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program."""
    parser = add_command(
        commands,
        "cache",
        "export and import judges' replies",
        _DESCRIPTION,
        "mmeval-pack cache export replies.jsonl",
        run,
    )
    parser.add_argument("action", choices=("export", "import"), help="what to do")
    parser.add_argument("file", metavar="FILE", type=Path, help="JSONL of replies")
    parser.add_argument("--judge-cache", metavar="CACHE", help="sqlite file of the judge's replies")


def run(options: argparse.Namespace) -> int:
    """Export or import."""
    from mmeval_pack.judges.cache import Cache
    from mmeval_pack.judges.client import cache_path
    from mmeval_pack.judges.errors import InputError
    from mmeval_pack.judges.replay import read_lines

    if str(options.file) == "-":
        raise InputError("-: expected the name of a file")
    path = cache_path({"MMEVAL_JUDGE_CACHE": options.judge_cache})
    if path.resolve() == options.file.resolve():
        raise InputError(f"{options.file}: is the cache itself; give another file")
    if options.action == "import":
        # Before the cache is opened, which makes a missing one.
        read = sum(1 for _ in read_lines(options.file))
        with Cache(path) as cache:
            new = cache.import_(options.file)
        say(options, f"{path}: {new} of {_replies(read)} new")
        return 0
    if not path.exists():
        raise InputError(f"{path}: no such cache; name another one with --judge-cache")
    if options.file.exists() and not options.file.is_file():  # a device must not be replaced by a file
        raise InputError(f"{options.file}: is no file; give the name of one")
    with Cache(path) as cache:
        number = cache.export(options.file)
    say(options, f"{options.file}: {_replies(number)} written")
    return 0


def _replies(number: int) -> str:
    return f"{number} {'reply' if number == 1 else 'replies'}"
