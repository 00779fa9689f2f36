"""llm-judge for MathVerse, in two stages: one call extracts the answer, a second one judges it.

Zhang et al., "MathVerse", https://arxiv.org/abs/2403.14624, and its evaluation scripts; what differs between
those, VLMEvalKit and the published score pipeline is a line of `PROTOCOLS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from mmeval_pack.judges.judge_question import UNKNOWN, question_for_judge
from mmeval_pack.judges.judging_inquiry import Inquiry
from mmeval_pack.judges.mathverse_prompts import MathVersePrompts
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc, Reading
from mmeval_pack.judges.text import Response, text_of
from mmeval_pack.judges.verdict import read_verdict

EXTRACT_REMINDER: Final = "Write the extracted answer alone, or null."
SCORE_REMINDER: Final = "Reply with the digit 0 or 1 alone."

_FENCE: Final = re.compile(r"^```\w*[^\S\n]*$|```", re.MULTILINE)
_LABEL: Final = re.compile(r"\bextracted\s++answer[*_`]*+\s*+:(?:[*_`]+(?=\s))?", re.IGNORECASE)
# Where a judge goes on to make up further examples.
_ECHO: Final = re.compile(r"^(?:\d+\.\s*+)?model response\s*+:|⟦", re.IGNORECASE | re.MULTILINE)
_PARAGRAPH: Final = re.compile(r"\n[^\S\n]*\n")
_WRAPPERS: Final = ("**", "*", "`", '"', "'")
# What API wrappers put in a reply's place when they give up.
_GAVE_UP: Final = "failed to obtain answer via api"


def _stage_accepts(pipeline: Pipeline, doc: Doc, extraction: str) -> bool:
    """Whether the stage exact-match scores the extraction 1."""
    return Pipeline(("exact-match",), pipeline.params, pipeline.rules).score(doc, extraction).score == 1


def _equal(_pipeline: Pipeline, doc: Doc, extraction: str) -> bool:
    """Whether the extraction is the answer, outer blanks apart."""
    return text_of(doc.truth).strip() == extraction.strip()


def _never(_pipeline: Pipeline, _doc: Doc, _extraction: str) -> bool:
    return False


def _whole(response: str) -> str:
    return response


def _tail(response: str) -> str:
    """The last 30 words between single blanks."""
    return " ".join(response.split(" ")[-30:])


class Protocol(NamedTuple):
    """How the two stages are framed.

    Attributes:
        rules_first: whether the pipeline's earlier stages are run on the response.
        shown: the part of the response that is shown to the extraction.
        settles: whether an extraction is right without a second call.
    """

    rules_first: bool
    shown: Callable[[str], str]
    settles: Callable[[Pipeline, Doc, str], bool]


PROTOCOLS: Final[Mapping[str, Protocol]] = {
    "published": Protocol(rules_first=True, shown=_whole, settles=_stage_accepts),
    "vlmevalkit": Protocol(rules_first=False, shown=_whole, settles=_equal),
    "official": Protocol(rules_first=False, shown=_tail, settles=_never),
}


@dataclass(frozen=True)
class MathVerse:
    """The stage under one protocol, with these prompts."""

    protocol: Protocol
    prompts: MathVersePrompts

    async def __call__(self, doc: Doc, response: Response, pipeline: Pipeline, inquiry: Inquiry) -> Reading:
        """Decides.

        Raises:
            JudgeFailure: no verdict is to be had.
        """
        inquiry.uses(*self.prompts)
        inquiry.extraction = extraction = await inquiry.ask(
            self.prompts.extract,
            {"response": self.protocol.shown(response.text)},
            read_extraction,
            stage="extract",
            reminder=EXTRACT_REMINDER,
            useless="extraction_empty",
        )
        if self.protocol.settles(pipeline, doc, extraction):
            return Reading(1.0, extraction)
        texts = {
            "question": question_for_judge(doc) or UNKNOWN,
            "reference": text_of(doc.truth),
            "answer": extraction,
        }
        verdict = await inquiry.ask(
            self.prompts.score, texts, read_verdict, stage="score", reminder=SCORE_REMINDER
        )
        return Reading(float(verdict), extraction)


def read_extraction(reply: str) -> str | None:
    """The extracted answer in a reply: one line, without reasoning, label, code fences, bold and quotes.

    What follows the first blank line is the judge's own explanation, and what looks like another example of
    the prompt is made up.

    Returns:
        None when nothing is left, or when the reply is a wrapper's text for a failed call.
    """
    text = separate(reply).answer or ""
    text = _FENCE.sub("", text)
    echo = _ECHO.search(text)
    text = text[: echo.start()] if echo and text[: echo.start()].strip() else text
    label = _LABEL.search(text)
    text = text[label.end() :] if label else text
    text = " ".join(_PARAGRAPH.split(text.strip(), maxsplit=1)[0].split())
    for mark in _WRAPPERS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            inner = text[len(mark) : -len(mark)].strip()
            text = text if mark in inner else inner
    if text.endswith("**") and text.count("**") == 1:
        text = text.removesuffix("**")  # it was opened before the label
    return None if not text or text.lower().startswith(_GAVE_UP) else text
