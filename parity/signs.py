"""What a sample shows: the predicates behind the named reasons."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mmeval_pack.judges.failures import is_generation_failure
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.parity.references.official_mathverse import tail

if TYPE_CHECKING:
    from mmeval_pack.parity.sample import Sample

_NONE_OPTION: Final = re.compile(r"none\b.*\b(?:choices|options|above|these)", re.IGNORECASE)
_LETTER: Final = re.compile(r"(?<![A-Za-z])[A-Z](?![A-Za-z'])")
_RUN: Final = re.compile(r"\s*([A-Z]{2,})[.\s]*")
_MARKS: Final = re.compile(r"[\W_]+")
# Cyrillic and on, without what Western text has of it: quotes, dashes, arrows, mathematical signs.
OTHER_SCRIPT: Final = r"[\u0400-\u1fff\u2e80-\ud7ff\uf900-\uffef]"


def matches(pattern: str) -> Callable[[Sample], bool]:
    """Whether the response matches a pattern anywhere."""
    compiled = re.compile(pattern)
    return lambda sample: compiled.search(sample.text) is not None


def status(status: str) -> Callable[[Sample], bool]:
    """Whether a verdict has a status."""
    return lambda sample: any(verdict.status == status for verdict in sample.verdicts.values())


def generation_failed(sample: Sample) -> bool:
    """The text is a framework's note of a failure, and no option's text."""
    return is_generation_failure(sample.text, (sample.row.answer, *sample.row.options.values()))


def reasoning(sample: Sample) -> bool:
    """A closed block of reasoning stands in the response."""
    return separate(sample.text).reasoning == "stripped"


def any_one(sample: Sample) -> bool:
    """lmms-eval found a 1 in a reply that is more than the digit."""
    reply = sample.response.replies.judge[:1]
    right = sample.benchmark == "MathVerse" and sample.outcomes.get("lmms-eval") == "right"
    return right and any("1" in text and text.strip() not in ("1", "Judgement: 1") for text in reply)


def judge_unread(sample: Sample) -> bool:
    """A judge's last reply is no bare digit, and a reference that wants one took the response as wrong."""
    reply = sample.response.replies.judge[-1:]
    strict = {sample.outcomes.get(name) for name in ("vlmevalkit", "vlmevalkit-installed")}
    wrong = sample.benchmark == "MathVerse" and "wrong" in strict
    return wrong and any(text.strip() not in ("0", "1") for text in reply)


def against_rule(sample: Sample) -> bool:
    """The judge that was asked says 0 or 1, and the pack's rules, which come first, say the opposite."""
    asked = any(verdict.detail.get("judge_calls") for verdict in sample.verdicts.values())
    replies = sample.response.replies.judge[:1] if asked else ()
    opposite = [{"0": "right", "1": "wrong"}.get(_judgement(text)) for text in replies]
    return any(sample.outcomes.get(name) in opposite for name in ("mmeval", "improved"))


def _judgement(reply: str) -> str:
    return reply.replace("Judgement:", "").strip()


def truncated(sample: Sample) -> bool:
    """The right answer stands in the response, but not in the end of it that the authors keep."""
    answer, kept = sample.row.answer.strip(), tail(sample.text)
    return sample.benchmark == "MathVerse" and answer in sample.text and answer not in kept


def none_lost(sample: Sample) -> bool:
    """The response takes the None option, which is right, and a reference reads something else."""
    right = sample.row.options.get(sample.row.letter or "", "")
    chosen = _NONE_OPTION.search(sample.text) is not None
    return right.lower().startswith("none of") and chosen and set(sample.outcomes.values()) != {"right"}


def isolated(sample: Sample) -> list[str]:
    """The words that are an option's letter, parted by white space alone."""
    return [word for word in sample.text.split() if word in sample.row.options]


def article(sample: Sample) -> bool:
    """An A before a word of small letters, read as option A by a reference."""
    article = re.search(r"(?:^|[.!?\n]\s*|\s)A\s+[a-z]", sample.text)
    return article is not None and any(verdict.prediction == "A" for verdict in sample.verdicts.values())


def first_word(sample: Sample) -> bool:
    """lmms-eval's SAT takes the first word for a letter, though the response goes on."""
    verdict = sample.verdicts.get("lmms-eval")
    words = re.sub(r"[^\w\s]", "", sample.text).split()
    return (
        sample.benchmark == "SAT"
        and verdict is not None
        and len(words) > 1
        and verdict.prediction == words[0]
    )


def letter_for_text(sample: Sample) -> bool:
    """A letter where the right answer is a text."""
    bare = sample.text.strip(" \n.()*:")
    return bare in sample.row.options and sample.row.answer not in sample.row.options


def named(sample: Sample) -> list[str]:
    """The texts of options that the response holds."""
    lower = sample.text.lower()
    return [text for text in sample.row.options.values() if text and text.lower() in lower]


def nested(sample: Sample) -> bool:
    """Of the option texts in it, one is a part of another."""
    texts = [text.lower() for text in named(sample)]
    return any(one != other and one in other for one in texts for other in texts)


def option_text(sample: Sample) -> bool:
    """The response gives the text of an option and no letter."""
    letters = re.search(r"(?<![A-Za-z])[A-Z](?![A-Za-z'])", sample.text.replace("I ", ""))
    return bool(named(sample)) and letters is None


def equal_but_for_dot(sample: Sample) -> bool:
    """An option's text and one mark."""
    bare = sample.text.strip()
    return bare[-1:] in (".", "!", "。") and bare[:-1].lower() in map(str.lower, sample.row.options.values())


def rewritten(sample: Sample) -> bool:
    """A special case of SAT's scorer replaced the response by a part of it."""
    verdict = sample.verdicts.get("official")
    read = verdict.prediction if verdict and sample.benchmark == "SAT" else None
    return read is not None and read != sample.text.split("###")[0].strip().lower()


def brackets(sample: Sample) -> bool:
    """The response is the right text, which has brackets."""
    return "(" in sample.row.answer and sample.text.strip().lower() == sample.row.answer.lower()


def answer_is(sample: Sample) -> bool:
    """The rule that the later VLMEvalKit has and the installed one has not."""
    found = [sample.outcomes.get(name) for name in ("vlmevalkit", "vlmevalkit-installed")]
    return None not in found and found[0] != found[1]


def _letters(sample: Sample) -> set[str]:
    """The options' letters that stand for themselves, whatever marks are around them."""
    run = _RUN.fullmatch(sample.text)
    return {*(run[1] if run else _LETTER.findall(sample.text))} & {*sample.row.options}


def several(sample: Sample) -> bool:
    """More letters than one, as in ``A/C`` or ``AC``."""
    return len(_letters(sample)) > 1


def marked(sample: Sample) -> bool:
    """One letter, and otherwise marks alone; brackets and bold type have reasons of their own."""
    text = sample.text.strip()
    named = "**" in text or "(" in text or ")" in text
    return not named and len(text) > 1 and _MARKS.sub("", text) in sample.row.options


def in_sentence(sample: Sample) -> bool:
    """One letter with words around it."""
    return len(_letters(sample)) == 1 and len(_MARKS.sub("", sample.text)) > 1


def equal(sample: Sample) -> bool:
    """VLMEvalKit matched the extraction with the answer; another reference comes to something else."""
    verdicts = (sample.verdicts.get(name) for name in ("vlmevalkit", "vlmevalkit-installed"))
    matched = any(verdict is not None and verdict.detail.get("prefetch") is True for verdict in verdicts)
    return matched and set(sample.outcomes.values()) != {"right"}


def whole(sample: Sample) -> bool:
    """What a reference compares, and finds wrong, is the response but for case and marks."""
    text = _MARKS.sub("", sample.text).lower()
    return "right" in sample.outcomes.values() and any(
        sample.outcomes.get(name) == "wrong" and _MARKS.sub("", verdict.prediction or "").lower() == text
        for name, verdict in sample.verdicts.items()
    )


def improved(sample: Sample) -> bool:
    """The two sets of rules of the pack come to different things."""
    found = [sample.outcomes.get(name) for name in ("mmeval", "improved")]
    return None not in found and found[0] != found[1]


def nothing_read(sample: Sample) -> bool:
    """One reference has no prediction, or VLMEvalKit's Z for none; another's is right."""
    unread = {name for name, verdict in sample.verdicts.items() if verdict.prediction in (None, "", "Z")}
    wrong = any(sample.outcomes.get(name) == "wrong" for name in unread)
    return wrong and any(value == "right" and name not in unread for name, value in sample.outcomes.items())
