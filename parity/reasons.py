"""Why references disagree about a response: each reason has a name, a sentence and a small predicate.

A disagreement has every reason that holds, and is counted under the first: special ones stand before general
ones, what a response holds before what a reference did with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from mmeval_pack.parity import signs

if TYPE_CHECKING:
    from mmeval_pack.parity.sample import Sample

OTHER: Final = "other"


class Reason(NamedTuple):
    """A reason for disagreement.

    Attributes:
        name: as it is shown and counted.
        about: what happens, in a sentence.
        holds: whether it applies to a sample.
    """

    name: str
    about: str
    holds: Callable[[Sample], bool]


def reasons_of(sample: Sample) -> tuple[str, ...]:
    """The names of all reasons that hold, the first being the one it is counted under; never empty."""
    return tuple(reason.name for reason in REASONS if reason.holds(sample)) or (OTHER,)


REASONS: Final = (
    Reason("crash", "a reference's own code ends in an error at this response", signs.status("crash")),
    Reason("hang", "a reference would ask its judge for ever", signs.status("hang")),
    Reason(
        "generation-failed", "the text is a framework's note that no response came", signs.generation_failed
    ),
    Reason(
        "reasoning-not-stripped", "the response holds reasoning that a reference reads too", signs.reasoning
    ),
    Reason("judge-any-1", "lmms-eval takes a 1 anywhere in the judge's reply for a yes", signs.any_one),
    Reason(
        "judge-reply-unread", "VLMEvalKit reads only a bare 0 or 1, and ends at wrong", signs.judge_unread
    ),
    Reason(
        "truncated-tail", "the authors keep the last 30 words, and the answer stands before", signs.truncated
    ),
    Reason("judge-against-rule", "a rule decides what the judge sees otherwise", signs.against_rule),
    Reason(
        "equal-extraction", "VLMEvalKit takes an extraction equal to the answer, and asks nobody", signs.equal
    ),
    Reason("answer-is", "VLMEvalKit reads what follows `answer is` as a letter", signs.answer_is),
    Reason("none-option-lost", "the None option is meant, and not recognised", signs.none_lost),
    Reason("brackets-in-answer", "SAT's scorer drops brackets from the right answer only", signs.brackets),
    Reason("special-case", "SAT's scorer replaced the response by a part of it", signs.rewritten),
    Reason("article-A", "an article A is read as option A", signs.article),
    Reason("letter-for-text", "a letter where the right answer is a text", signs.letter_for_text),
    Reason("lower-case-letter", "a letter in lower case", signs.matches(r"^\s*\(?[a-z][).:]?\s*$")),
    Reason(
        "negated-letter",
        "a letter is denied, and a reference takes it",
        signs.matches(r"(?:\b[Nn]ot|n't|\b[Nn]either|\b[Nn]or)\s+(?:[a-z]+\s+){0,3}?\(?[A-Z](?![A-Za-z])"),
    ),
    Reason("boxed", r"the answer stands in \boxed{}", signs.matches(r"\\boxed\s*\{")),
    Reason("bold-letter", "the letter is set in bold", signs.matches(r"\*\*\s*\(?[A-Z]\)?[.:]?\s*\*\*")),
    Reason("paren-letter", "the letter stands in brackets", signs.matches(r"\([A-Z]\)")),
    Reason("paren-after-letter", "a bracket follows the letter", signs.matches(r"(?:^|\s)[A-Z]\)")),
    Reason(
        "last-isolated-letter",
        "several letters stand alone; the authors take the last, others none",
        lambda sample: len(set(signs.isolated(sample))) > 1,
    ),
    Reason("several-letters", "several letters are named; some references read one of them", signs.several),
    Reason("marks-around-letter", "a letter alone among marks that not all references drop", signs.marked),
    Reason("other-script", "words of another script stand around it", signs.matches(signs.OTHER_SCRIPT)),
    Reason("first-word-letter", "lmms-eval takes the first word for a letter", signs.first_word),
    Reason(
        "letter-then-text",
        "a letter, then a text",
        signs.matches(r"\A\s*\(?[A-Z][).:,]*\s+\S|\A\s*[A-Z][.:]\S"),
    ),
    Reason(
        "answer-phrase",
        "the letter comes at the end of a sentence",
        signs.matches(
            r"(?i:answer|option|choice|choose|pick|select)\w*\b.{0,20}?(?<![A-Za-z])[A-Z](?![A-Za-z])"
        ),
    ),
    Reason("letter-in-sentence", "a letter stands in a sentence that does not say so", signs.in_sentence),
    Reason("markup", "tags, code or LaTeX stand around it", signs.matches(r"<[/|]?\w+|`|\\[a-z]+\b|^#+ |\$")),
    Reason("trailing-mark", "the text of an option and a mark behind it", signs.equal_but_for_dot),
    Reason("nested-options", "one option's text stands within another's", signs.nested),
    Reason("option-text", "the text of an option, without a letter", signs.option_text),
    Reason("outer-white-space", "white space that the authors keep around it", signs.matches(r"^\s|\s\Z")),
    Reason("random-fallback", "the reference found nothing and draws by lot", signs.status("random")),
    Reason(
        "whole-text-compared", "a reference compares the whole response, others a part of it", signs.whole
    ),
    Reason(
        "improved-rules", "the pack's improved rules decide otherwise than its first ones", signs.improved
    ),
    Reason("nothing-read", "a reference finds no answer in it, and another does", signs.nothing_read),
)
ABOUT: Final = {**{reason.name: reason.about for reason in REASONS}, OTHER: "no reason of the list holds"}
