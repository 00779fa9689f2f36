"""MuirBench's own parser, as its authors run it; where it draws by lot, the verdict says so.

Algorithm: github.com/muirbench/MuirBench, commit 840b85f, ``eval/utils/postprocess.py``. The authors seed
one generator for the whole run, so what a row draws depends on how many rows drew before it: the draw is no
property of the response. The verdict holds its expected value instead.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Reference, Replies, Verdict, unscored

_STRIPPED: Final = ",.!?;:'"  # one pass each, in this order; blanks and line ends stay
_WORDS: Final = 5  # an option's text counts only in a response of more words
SEED: Final = 42


def reference() -> Reference:
    """The reference."""
    return Reference("official", "840b85f", "MuirBench eval/utils/postprocess.py", "none", verdict)


def verdict(row: Row, response: str, _: Replies) -> Verdict:
    """The authors' verdict; status ``random`` where they would draw."""
    if not row.options:
        return unscored("no_options")
    letter = parsed(response, row.options)
    if letter is None:
        drawn = random.Random(SEED).choice(list(row.options))  # noqa: S311 (the authors' own draw)
        return Verdict(1 / len(row.options), drawn, "random", "random_fallback")
    return Verdict(float(letter == row.letter), letter)


def parsed(response: str, options: Mapping[str, str]) -> str | None:
    """The option that the response names, None where the authors would draw one by lot."""
    for mark in _STRIPPED:
        response = response.strip(mark)
    response = f" {response} "
    for written in ("({})", " {} "):
        if found := _last(response, options, written.format):
            return found
    if len(response.split()) > _WORDS:
        lower = response.lower()
        return _last(lower, options, lambda letter: options[letter].lower())
    return None


def _last(response: str, options: Mapping[str, str], form: Callable[[str], str]) -> str | None:
    """The option whose form stands last in the response; of equal places the first option's."""
    places = {letter: response.rfind(form(letter)) for letter in options}
    best = max(places, key=places.__getitem__)
    return best if places[best] >= 0 else None
