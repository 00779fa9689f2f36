"""Why references disagree about a response: each reason has a name, a sentence and a small predicate.

A disagreement has every reason that holds, and is counted under the first: special ones stand before general
ones, what a response holds before what a reference did with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from mmeval_pack.judges.failures import is_generation_failure
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.parity.references.official_mathverse import tail

if TYPE_CHECKING:
    from mmeval_pack.parity.sample import Sample

OTHER: Final = "other"
_NONE_OPTION: Final = re.compile(r"none\b.*\b(?:choices|options|above|these)", re.IGNORECASE)
_LETTER_FIRST: Final = re.compile(r"\s*\(?[A-Z][).:,]*\s+\S|\s*[A-Z][.:]\S")


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


def _matches(pattern: str) -> Callable[[Sample], bool]:
    compiled = re.compile(pattern)
    return lambda sample: compiled.search(sample.text) is not None


def _status(status: str) -> Callable[[Sample], bool]:
    return lambda sample: any(verdict.status == status for verdict in sample.verdicts.values())


def _generation_failed(sample: Sample) -> bool:
    return is_generation_failure(sample.text, (sample.row.answer, *sample.row.options.values()))


def _reasoning(sample: Sample) -> bool:
    return separate(sample.text).reasoning == "stripped"


def _any_one(sample: Sample) -> bool:
    """lmms-eval found a 1 in a reply that is more than the digit."""
    reply = sample.response.replies.judge[:1]
    right = sample.outcomes.get("lmms-eval") == "right"
    return right and any("1" in text and text.strip() not in ("1", "Judgement: 1") for text in reply)


def _judge_unread(sample: Sample) -> bool:
    """A judge's last reply is no bare digit, and a reference that wants one took the response as wrong."""
    reply = sample.response.replies.judge[-1:]
    strict = {sample.outcomes.get(name) for name in ("vlmevalkit", "vlmevalkit-installed")}
    return "wrong" in strict and any(text.strip() not in ("0", "1") for text in reply)


def _against_rule(sample: Sample) -> bool:
    """The judge's reply is a plain digit, and the pack's rules, which come first, say the opposite."""
    said = [{"0": "right", "1": "wrong"}.get(text.strip()) for text in sample.response.replies.judge[:1]]
    return any(sample.outcomes.get(name) in said for name in ("mmeval", "improved"))


def _truncated(sample: Sample) -> bool:
    """The right answer stands in the response, but not in the end of it that the authors keep."""
    answer, kept = sample.row.answer.strip(), tail(sample.text)
    return sample.benchmark == "MathVerse" and answer in sample.text and answer not in kept


def _none_lost(sample: Sample) -> bool:
    """The response takes the None option, which is right, and a reference reads something else."""
    right = sample.row.options.get(sample.row.letter or "", "")
    chosen = _NONE_OPTION.search(sample.text) is not None
    return right.lower().startswith("none of") and chosen and set(sample.outcomes.values()) != {"right"}


def _isolated(sample: Sample) -> list[str]:
    return [word for word in sample.text.split() if word in sample.row.options]


def _article(sample: Sample) -> bool:
    """An A before a word of small letters, read as option A by a reference."""
    article = re.search(r"(?:^|[.!?\n]\s*|\s)A\s+[a-z]", sample.text)
    return article is not None and any(verdict.prediction == "A" for verdict in sample.verdicts.values())


def _first_word(sample: Sample) -> bool:
    """lmms-eval's SAT takes the first word for a letter, though the response goes on."""
    verdict = sample.verdicts.get("lmms-eval")
    words = re.sub(r"[^\w\s]", "", sample.text).split()
    return (
        sample.benchmark == "SAT"
        and verdict is not None
        and len(words) > 1
        and verdict.prediction == words[0]
    )


def _letter_for_text(sample: Sample) -> bool:
    """A letter where the right answer is a text."""
    bare = sample.text.strip(" \n.()*:")
    return bare in sample.row.options and sample.row.answer not in sample.row.options


def _named(sample: Sample) -> list[str]:
    lower = sample.text.lower()
    return [text for text in sample.row.options.values() if text and text.lower() in lower]


def _nested(sample: Sample) -> bool:
    named = [text.lower() for text in _named(sample)]
    return any(one != other and one in other for one in named for other in named)


def _option_text(sample: Sample) -> bool:
    """The response gives the text of an option and no letter."""
    letters = re.search(r"(?<![A-Za-z])[A-Z](?![A-Za-z'])", sample.text.replace("I ", ""))
    return bool(_named(sample)) and letters is None


def _equal_but_for_dot(sample: Sample) -> bool:
    bare = sample.text.strip()
    return bare[-1:] in (".", "!", "。") and bare[:-1].lower() in map(str.lower, sample.row.options.values())


def _rewritten(sample: Sample) -> bool:
    """A special case of SAT's scorer replaced the response by a part of it."""
    verdict = sample.verdicts.get("official")
    read = verdict.prediction if verdict and sample.benchmark == "SAT" else None
    return read is not None and read != sample.text.split("###")[0].strip().lower()


def _brackets(sample: Sample) -> bool:
    return "(" in sample.row.answer and sample.text.strip().lower() == sample.row.answer.lower()


def _answer_is(sample: Sample) -> bool:
    """The rule that the later VLMEvalKit has and the installed one has not."""
    found = [sample.outcomes.get(name) for name in ("vlmevalkit", "vlmevalkit-installed")]
    return None not in found and found[0] != found[1]


REASONS: Final = (
    Reason("crash", "a reference's own code ends in an error at this response", _status("crash")),
    Reason("hang", "a reference would ask its judge for ever", _status("hang")),
    Reason("generation-failed", "the text is a framework's note that no response came", _generation_failed),
    Reason("reasoning-not-stripped", "the response holds reasoning that a reference reads too", _reasoning),
    Reason("judge-any-1", "lmms-eval takes a 1 anywhere in the judge's reply for a yes", _any_one),
    Reason("judge-reply-unread", "VLMEvalKit reads only a bare 0 or 1, and ends at wrong", _judge_unread),
    Reason("truncated-tail", "the authors keep the last 30 words, and the answer stands before", _truncated),
    Reason("answer-is", "VLMEvalKit reads what follows `answer is` as a letter", _answer_is),
    Reason("none-option-lost", "the None option is meant, and not recognised", _none_lost),
    Reason("brackets-in-answer", "SAT's scorer drops brackets from the right answer only", _brackets),
    Reason("special-case", "SAT's scorer replaced the response by a part of it", _rewritten),
    Reason("article-A", "an article A is read as option A", _article),
    Reason("letter-for-text", "a letter where the right answer is a text", _letter_for_text),
    Reason("lower-case-letter", "a letter in lower case", _matches(r"^\s*\(?[a-z][).:]?\s*$")),
    Reason("boxed", r"the answer stands in \boxed{}", _matches(r"\\boxed\s*\{")),
    Reason("bold-letter", "the letter is set in bold", _matches(r"\*\*\s*\(?[A-Z]\)?[.:]?\s*\*\*")),
    Reason("paren-letter", "the letter stands in brackets", _matches(r"\([A-Z]\)")),
    Reason("paren-after-letter", "a bracket follows the letter", _matches(r"(?:^|\s)[A-Z]\)")),
    Reason(
        "last-isolated-letter",
        "several letters stand alone; the authors take the last, others none",
        lambda sample: len(set(_isolated(sample))) > 1,
    ),
    Reason("first-word-letter", "lmms-eval takes the first word for a letter", _first_word),
    Reason(
        "letter-then-text",
        "a letter, then a text",
        lambda sample: _LETTER_FIRST.match(sample.text) is not None,
    ),
    Reason(
        "answer-phrase",
        "the letter comes at the end of a sentence",
        _matches(r"(?i:answer|option|choice|choose|pick|select)\w*\b.{0,20}?(?<![A-Za-z])[A-Z](?![A-Za-z])"),
    ),
    Reason("trailing-mark", "the text of an option and a mark behind it", _equal_but_for_dot),
    Reason("nested-options", "one option's text stands within another's", _nested),
    Reason("option-text", "the text of an option, without a letter", _option_text),
    Reason("outer-white-space", "white space that the authors keep around it", _matches(r"^\s|\s\Z")),
    Reason("judge-against-rule", "a rule decides what the judge sees otherwise", _against_rule),
    Reason("random-fallback", "the reference found nothing and draws by lot", _status("random")),
)
ABOUT: Final = {**{reason.name: reason.about for reason in REASONS}, OTHER: "no reason of the list holds"}
