"""SAT's own scorer ``QAAccuracy``: equality of the lower-cased texts, with special cases, two of which crash.

Algorithm: github.com/arijitray1993/SAT, commit d5dcb10, ``models/eval_funcs.py``; the run configuration
``llava_mixdata_IT_dynamicreasoning_MLMBench`` uses it for the real images.
"""

from __future__ import annotations

from mmeval_pack.parity.references.row import Row
from mmeval_pack.parity.references.verdict import Reference, Replies, Verdict


def reference() -> Reference:
    """The reference."""
    return Reference("official", "d5dcb10", "SAT models/eval_funcs.py QAAccuracy", "none", verdict)


def verdict(row: Row, response: str, _: Replies) -> Verdict:
    """The authors' verdict; a response at which their code ends in an error has the status ``crash``."""
    gold = row.answer.lower().strip().replace("(", "").replace(")", "")  # the gold's brackets only
    try:
        answer = answer_of(response, row.asked)
    except IndexError:
        return Verdict(None, None, "crash", "IndexError")
    return Verdict(float(answer == gold), answer)


def answer_of(response: str, question: str) -> str:
    """The text that is compared with the right one.

    Raises:
        IndexError: the authors take the part after a mark that is not quite there.
    """
    text = response.split("###Assistant:")[-1].split("###")[0].strip().lower()
    if text == "ight":
        text = "right"
    if "1." in text:
        text = text.split("1.")[1].strip()
    if "answer:" in text:
        text = text.split("answer: ")[1].split(" ")[0]
    if "is located " in text:
        text = text.split("is located ")[1].split(" ")[0]
    if "is the camera moving" in question.lower() and "moving" in text:
        text = text.split("moving ")[1].split(" ")[0]
        text = "left" if text == "clockwise" else text
    return text
