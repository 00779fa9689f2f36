"""MathVerse's own two stages: a judge extracts the answer, then a judge compares it.

Algorithm: github.com/ZrrSkywalker/MathVerse, commit 937b090, ``evaluation/extract_answer_s1.py`` and
``score_answer_s2.py``. The second stage asks until the reply is 0 or 1 and nothing else, at temperature 0:
a judge that keeps saying ``1.`` keeps it busy for ever.
"""

from __future__ import annotations

from typing import Final

from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Reference, Replies, Verdict, unscored

TAIL: Final = 30  # words of the response that the README's --trunk_response keeps


def reference() -> Reference:
    """The reference."""
    return Reference("official", "937b090", "MathVerse evaluation/score_answer_s2.py", "all", verdict)


def verdict(row: Row, response: str, replies: Replies) -> Verdict:
    """The authors' verdict; without a judge's replies only what the two stages would be shown.

    Where the judge was never asked to extract, the end of the response stands in for its reply.
    """
    extraction = replies.extract[-1] if replies.extract else tail(response)
    extraction = extraction.replace("Extracted Answer: ", "").strip()
    detail = {"quick_match": int(row.answer == extraction)}
    if not replies.judge:
        return unscored("no_judge", extraction, **detail)
    for calls, reply in enumerate(replies.judge, start=1):
        judgement = reply.replace("Judgement:", "").strip()
        if judgement in ("0", "1"):
            found = {**detail, "judgement": judgement, "judge_calls": calls}
            return Verdict(float(judgement), extraction, detail=found)
    return Verdict(None, extraction, "hang", "loops_forever", {**detail, "judgement": judgement})


def tail(response: str) -> str:
    """The last words of the response; only a blank parts words."""
    return " ".join(response.split(" ")[-TAIL:])
