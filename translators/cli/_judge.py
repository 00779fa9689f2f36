"""The judge of a command: its options, what is opened for it, and what it cost."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.judges.errors import InputError

if TYPE_CHECKING:
    from mmeval_pack.judges.cache import Cache
    from mmeval_pack.judges.client import Client, JudgeSettings
    from mmeval_pack.judges.in_flight import InFlight, Progress
    from mmeval_pack.judges.replay import Replay

PROTOCOLS = ("published", "vlmevalkit", "official")
# In the environment, each is called MMEVAL_JUDGE_ and its name in capitals.
_SETTINGS = ("protocol", "prompts", "cache", "concurrency", "timeout", "retries", "budget")
_REPLAY = "replay:"
_AHEAD = 4  # samples at hand for each one that the judge takes at a time


@dataclass(frozen=True)
class Court:
    """A judge at hand.

    Attributes:
        client: asks it, and knows what that cost.
        in_flight: the samples that it is asked about.
    """

    client: Client
    in_flight: InFlight


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that describe a judge; each goes before the environment."""
    group = parser.add_argument_group(
        "judge",
        "A judge is configured by MMEVAL_JUDGE_MODEL and MMEVAL_JUDGE_BASE_URL (or a key, "
        "MMEVAL_JUDGE_API_KEY). The options go before MMEVAL_JUDGE_PROTOCOL, MMEVAL_JUDGE_PROMPTS and so on.",
    )
    group.add_argument(
        "--judge",
        metavar="off|replay:FILE",
        type=_source,
        help="off: none is asked; replay:FILE: replies come from a file of `mmeval-pack cache export` alone, "
        "and no endpoint is needed",
    )
    group.add_argument(
        "--protocol",
        metavar="P",
        choices=PROTOCOLS,
        help=f"of MathVerse: {', '.join(PROTOCOLS)} (default: published)",
    )
    group.add_argument(
        "--prompts", metavar="SOURCE", help="of MathVerse: pack (default), official:PATH or vlmevalkit"
    )
    group.add_argument("--judge-cache", metavar="FILE", help="sqlite file of the judge's replies")
    for name, metavar, text in (
        ("concurrency", "N", "samples that are asked about at a time (default: 32)"),
        ("timeout", "SECONDS", "for one request (default: 60)"),
        ("retries", "N", "further tries after the first (default: 5)"),
        ("budget", "calls:N,tokens:N", "one of them or both; what it does not pay for stays unscored"),
    ):
        group.add_argument(f"--judge-{name}", metavar=metavar, type=partial(_limit, name), help=text)


def _source(text: str) -> str:
    if text == "off" or text.removeprefix(_REPLAY) not in ("", text):
        return text
    raise argparse.ArgumentTypeError(f"{text!r}, expected off or replay:FILE")


def _limit(name: str, text: str) -> str:
    """The text, which holds such a value."""
    from mmeval_pack.judges.settings import limits

    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is empty; leave the option out for the default")
    try:
        limits({f"MMEVAL_JUDGE_{name.upper()}": text.strip()})
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error).partition("=")[2]) from None
    return text


@contextmanager
def opened(options: argparse.Namespace, report: Callable[[Progress], Any]) -> Iterator[Court | None]:
    """The judge that options and environment describe; None when they describe none.

    Args:
        options: of the command line.
        report: is told how far the judging is, from another thread.

    Raises:
        InputError: what they say, the cache or the recorded replies cannot be used.
    """
    from mmeval_pack.judges.background import submit
    from mmeval_pack.judges.cache import Cache
    from mmeval_pack.judges.client import Client
    from mmeval_pack.judges.in_flight import InFlight
    from mmeval_pack.judges.judging import Judge

    settings, store = _described(options)
    if settings is None:
        yield None
        return
    client = Client(settings, store)
    court = Court(client, InFlight(Judge.of(client), _AHEAD * settings.concurrency, report))
    try:
        yield court
    finally:
        court.in_flight.cancel()
        submit(client.close()).result()
        if isinstance(store, Cache):
            store.close()
            if store.warning:
                print(f"mmeval-pack: warning: {store.warning}", file=sys.stderr)


def terms(options: argparse.Namespace) -> tuple[str, str | None]:
    """What is asked of verdicts that are there already, where no judge is to be asked.

    Returns:
        The protocol, and the stamp of the prompts; None for the latter where options and environment leave
        the choice of prompts to the pack, whose own may change from version to version.

    Raises:
        InputError: one of them is unknown, or the prompts cannot be had.
    """
    from mmeval_pack.judges.client import mathverse_terms
    from mmeval_pack.judges.judging import known_protocol
    from mmeval_pack.judges.judging_inquiry import stamp
    from mmeval_pack.judges.mathverse_prompts import mathverse_prompts

    protocol, prompts = mathverse_terms(_all_given(options))
    wanted = stamp(each.digest for each in mathverse_prompts(prompts)) if prompts else None
    return known_protocol(protocol), wanted


def _described(options: argparse.Namespace) -> tuple[JudgeSettings | None, Cache | Replay | None]:
    """The judge's settings, and where its replies are found and kept."""
    from mmeval_pack.judges.cache import Cache
    from mmeval_pack.judges.client import JudgeSettings

    given = _all_given(options)
    if options.judge == "off":
        return None, None
    if options.judge is not None:
        return _recorded(Path(options.judge.removeprefix(_REPLAY)), given)
    settings = JudgeSettings.from_environ(given)
    return settings, Cache(settings.cache) if settings and settings.cache else None


def _all_given(options: argparse.Namespace) -> dict[str, str | None]:
    return {f"MMEVAL_JUDGE_{name.upper()}": _given(options, name) for name in _SETTINGS}


def _given(options: argparse.Namespace, name: str) -> str | None:
    value: str | None = getattr(options, f"judge_{name}", None) or getattr(options, name, None)
    return value


def _recorded(path: Path, given: dict[str, str | None]) -> tuple[JudgeSettings, Replay]:
    """Settings of the judge whose replies a file holds; where it holds several, the environment names one.

    Raises:
        InputError: the file cannot be read, or it is not clear which judge is meant.
    """
    from mmeval_pack.judges.client import JudgeSettings
    from mmeval_pack.judges.replay import Replay

    replay = Replay(path)
    only = (replay.models or ("none",))[0] if len(replay.models) < 2 else None
    # No URL is asked; it makes the judge count as configured, with all else that the environment says.
    nowhere = {"MMEVAL_JUDGE": "on", "MMEVAL_JUDGE_BASE_URL": "http://localhost"}
    settings = JudgeSettings.from_environ({**given, **nowhere, "MMEVAL_JUDGE_MODEL": only})
    if settings is None or (replay.models and settings.model not in replay.models):
        raise InputError(
            f"{path}: holds replies of {', '.join(replay.models)}; name one with MMEVAL_JUDGE_MODEL"
        )
    return replace(settings, base_urls=(), api_key="", cache=None), replay
