"""What a benchmark's metadata claims of other scorers, tested by asking these scorers.

A claim is tested with responses made for it; the first that speaks against it is the counter-example. What
stands upstream and cannot be asked here (a column, a prompt's code) is reported as it was read there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from mmeval_pack.parity.references import Loaded
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import NO_REPLIES, Replies, Verdict

_COLOURS: Final = ("a red bus", "a blue car", "two bicycles", "None of the choices provided")


class Finding(NamedTuple):
    """Whether a claim holds, and what shows it."""

    holds: bool
    shown: str


class _NotLoadedError(Exception):
    """The scorer that a claim is about is not among the references."""


class Probe:
    """Asks the references of one task."""

    def __init__(self, loaded: Loaded) -> None:
        self._references = {reference.name: reference for reference in loaded.used}

    def __call__(
        self,
        name: str,
        response: str,
        answer: str,
        choices: tuple[str, ...] = (),
        replies: Replies = NO_REPLIES,
    ) -> Verdict:
        """A reference's verdict on a response made for a claim."""
        if name not in self._references:
            raise _NotLoadedError(name)
        message = {"role": "user", "question": "Which one?", "choices": list(choices)}
        row = Row.of({"id": "claim", "messages": [message], "answer": answer})
        return self._references[name].verdict(row, response, replies)


class Claim(NamedTuple):
    """A claim of the metadata.

    Attributes:
        benchmark: the publisher's name.
        text: what is claimed.
        test: finds out.
    """

    benchmark: str
    text: str
    test: Callable[[Probe], Finding]


def examined(benchmark: str, loaded: Loaded) -> Iterator[dict[str, Any]]:
    """Each claim about a benchmark: ``benchmark``, ``claim``, ``verdict`` and ``shown``.

    The verdict is ``true``, ``false``, or ``not tested`` where the scorer is not among the references.
    """
    probe = Probe(loaded)
    for claim in CLAIMS:
        if claim.benchmark != benchmark:
            continue
        try:
            holds, shown = claim.test(probe)
            verdict = "true" if holds else "false"
        except _NotLoadedError as missing:
            verdict, shown = "not tested", f"{missing} is not among the references"
        yield {"benchmark": benchmark, "claim": claim.text, "verdict": verdict, "shown": shown}


def _read(shown: str) -> Callable[[Probe], Finding]:
    """A claim that code or data at its source, not a scorer's verdict, speaks against."""
    return lambda _: Finding(False, shown)


def _lmms_agrees(probe: Probe) -> Finding:
    for response in ("B", "B.", "(B)", "The answer is B"):
        official = probe("official", response, "B", _COLOURS)
        native = probe("lmms-eval", response, "B", _COLOURS)
        if official.score != native.score:
            found = f"official {official.score:g}, lmms-eval {native.score:g}"
            return Finding(False, f"{response!r}, answer 'B': {found}")
    return Finding(True, "the same verdict on every response tried")


def _draws(probe: Probe) -> Finding:
    status = probe("official", "b", "B", _COLOURS).status
    return Finding(status == "random", f"'b', answer 'B': status {status}")


def _prefetches(probe: Probe) -> Finding:
    """A response that equals the answer, of which the judge extracts something else."""
    verdict = probe("vlmevalkit", "14", "14", replies=Replies(("15",), ("0",)))
    calls = verdict.detail.get("extract_calls", 0)
    shown = f"'14', answer '14': extracted first ({calls} call), then the extraction '15' is matched"
    return Finding(calls == 0, shown)


def _two_stages(probe: Probe) -> Finding:
    replies = Replies(("C",), ("1",))
    read_as = {name: probe(name, "So it is C.", "C", replies=replies) for name in ("official", "vlmevalkit")}
    same = {verdict.prediction for verdict in read_as.values()} == {"C"}
    return Finding(same, "both judge what a judge extracted")


def _judges_all(probe: Probe) -> Finding:
    reason = probe("lmms-eval", "14", "14").reason
    return Finding(reason == "no_judge", "'14', answer '14': no verdict without a judge")


def _scorer_missing(probe: Probe) -> Finding:
    score = probe("official", "Left", "left", ("left", "right")).score
    return Finding(
        score is None, f"QAAccuracy in models/eval_funcs.py gives 'Left', answer 'left': {score:g}"
    )


def _matches_texts(probe: Probe) -> Finding:
    verdict = probe("lmms-eval", "left", "left", ("left", "right"))
    shown = f"'left', answer 'left': read as {verdict.prediction!r}, compared with letter 'A'"
    return Finding(verdict.score == 1, shown)


CLAIMS: Final = (
    Claim("MuirBench", "lmms-eval agrees with the official parser", _lmms_agrees),
    Claim("MuirBench", "the official parser draws by lot when nothing matches", _draws),
    Claim(
        "MuirBench",
        "VLMEvalKit's MUIRDataset.build_prompt is the bare question, which holds options and trailer",
        _read("image_mcq.py:716-732 appends lettered options and a trailer itself; only this copy has them"),
    ),
    Claim("MathVerse", "VLMEvalKit matches the response before it asks an LLM", _prefetches),
    Claim("MathVerse", "VLMEvalKit has the two stages of the official scorer", _two_stages),
    Claim("MathVerse", "lmms-eval asks an LLM about every sample", _judges_all),
    Claim(
        "MathVerse",
        "source, subject and subfield are columns of the source data",
        _read("they are nested: metadata.source, metadata.subject, metadata.subfield"),
    ),
    Claim("SAT", "the authors have published no scorer", _scorer_missing),
    Claim("SAT", "lmms-eval maps the text of a choice to its letter", _matches_texts),
)
