"""The installed VLMEvalKit: its own heuristics and its own two stages of MathVerse are called.

There are two references. ``vlmevalkit-installed`` is the installed version as it is. ``vlmevalkit`` is
VLMEvalKit at commit e8e78f0, whose option heuristic has one more rule than ms-vlmeval 0.0.20 (#1552): that
rule is added here, all the rest is the installed version's. Where the two differ, the report shows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from mmeval_pack.parity.references.native import guarded, lean, module
from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import MissingError, Reference, Replies, Scorer, Verdict, unscored

INSTALL: Final = "pip install 'mmeval-pack[parity]'"
LATER: Final = "e8e78f0"
# No word boundary, any case, A to D only: "answer is a dog" gives A.
_ANSWER_IS: Final = re.compile(r"(?i)(?:correct\s+)?answer\s+is\s+\**([ABCD])\**")
_UTILS: Final = "vlmeval/dataset/utils"
# The __init__ of these imports every dataset and judge; the top one also switches off TLS checks.
_BARE: Final = ("vlmeval.dataset", "vlmeval.dataset.utils")
_NO_REPLY: Final = "Failed to obtain answer via API"


def reference(benchmark: str, *, later: bool) -> Reference:
    """The reference of a benchmark.

    Args:
        benchmark: the publisher's name.
        later: the rule of the later commit is added.

    Raises:
        MissingError: VLMEvalKit is not installed, or has no such dataset.
    """
    try:
        installed = version("ms-vlmeval")
    except PackageNotFoundError:
        raise MissingError(f"VLMEvalKit is not installed; get it with: {INSTALL}") from None
    if benchmark not in ("MuirBench", "MathVerse"):
        raise MissingError(f"VLMEvalKit {installed} has no dataset for {benchmark}")
    name = "vlmevalkit" if later else "vlmevalkit-installed"
    stated = f"{LATER} on ms-vlmeval {installed}" if later else f"ms-vlmeval {installed}"
    with lean("vlmeval", _BARE):
        if benchmark == "MuirBench":
            return Reference(name, stated, f"{_UTILS}/multiple_choice.py", "some", guarded(_muirbench(later)))
        return Reference(name, stated, f"{_UTILS}/mathverse.py", "all", guarded(_mathverse()))


class _Judge:
    """Recorded replies in the shape of VLMEvalKit's judge."""

    def __init__(self, replies: tuple[str, ...]) -> None:
        self._replies = replies
        self.calls = 0

    def generate(self, prompt: str, **_: Any) -> str:  # noqa: ARG002 (what is asked does not matter any more)
        self.calls += 1
        return self._replies[min(self.calls, len(self._replies)) - 1]


def _muirbench(later: bool) -> Scorer:
    choice = module("vlmeval.dataset.utils.multiple_choice")
    if later:  # in this module, which nobody else has: both the response and a judge's reply are read so
        choice.can_infer = _with_later_rule()

    def verdict(row: Row, response: str, replies: Replies) -> Verdict:
        if row.letter is None:
            return unscored("no_options")
        item = {**row.options, "question": row.question, "prediction": response, "answer": row.letter}
        if found := choice.prefetch_answer(item):
            return Verdict(float(found == row.letter), str(found), detail={"prefetch": found})
        judge = _Judge(replies.judge) if replies.judge else None
        result = choice.extract_answer_from_item(judge, item, dataset_name="MUIRBench")
        detail = {"prefetch": False, "judge_calls": judge.calls if judge else 0}
        if result["log"].startswith("Failed to predict"):  # it then draws by lot, without a seed
            letters = [*row.options, "Z"]
            return Verdict(1 / len(letters), None, "random", "random_after_judge", detail)
        return Verdict(float(result["opt"] == row.letter), result["opt"], detail=detail)

    return verdict


def _with_later_rule() -> Callable[[str, dict[str, str]], str | bool]:
    matching = module("vlmeval.utils.matching_util")

    def can_infer(response: str, choices: dict[str, str]) -> str | bool:
        option: str | bool = matching.can_infer_option(response, choices)
        if not option and _NO_REPLY not in response and (found := _ANSWER_IS.search(response)):
            option = found[1].upper()
        by_text: str | bool = option or matching.can_infer_text(response, choices)
        return by_text

    return can_infer


def _mathverse() -> Scorer:
    stages = module("vlmeval.dataset.utils.mathverse")

    def verdict(row: Row, response: str, replies: Replies) -> Verdict:
        question = row.column("question_for_eval") or row.asked
        line = {"prediction": response, "answer": row.answer, "question_for_eval": question}
        detail: dict[str, Any] = {}
        extract = response  # stands in where the judge was never asked to extract
        if replies.extract:
            extractor = _Judge(replies.extract)
            extract = stages.MathVerse_auxeval_extract(extractor, line)["extract"]
            detail["extract_calls"] = extractor.calls
        line["extract"] = extract
        detail["prefetch"] = bool(stages.post_check_score(line))
        if not detail["prefetch"] and not replies.judge:
            return unscored("no_judge", extract, **detail)
        judge = _Judge(replies.judge)
        score = stages.MathVerse_auxeval_score(judge, line)["score"]
        return Verdict(float(score), extract, detail={**detail, "judge_calls": judge.calls})

    return verdict
