"""Letters of a response that announces no answer outright."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import hints
from mmeval_pack.judges.improved.letters import LATIN, LETTER, letter_of
from mmeval_pack.judges.improved.listing import Keys, Unclear, announced_from, letter_at, listed
from mmeval_pack.judges.improved.options import MARK, Options, key_of
from mmeval_pack.judges.improved.stance import negated_after, negated_before

_CORRECT = re.compile(
    rf"(?<![{LATIN}'.])(?:({LETTER})|({MARK}))[\"')\]]*\s*(?:is|are|fits|matches|seems|looks"
    rf"|would be|must be|应该是?|是|最)\s*(?:the\s+|clearly\s+|definitely\s+)*"
    r"(?:only\s+)?(?:correct|right|best|answers?|true|closer|taller|better|one|正确|对|正確)",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"(?:^|[.!?。:\n]\s*)[\"'(\[]*({LETTER})[\"')\]]*\s*[.!?。]*$")


def hinted(text: str, options: Options) -> Keys:
    """The letters behind hints, or called correct, or alone in the last sentence.

    Raises:
        Unclear: they differ.
    """
    found: list[Keys] = [(key,) for key in (*_called_correct(text, options), *_alone(text, options))]
    for statement in hints(text):
        taken_back = statement.negated or negated_before(text, statement.place)
        if not taken_back and letter_at(statement.content, announced_from(statement.content)):
            found.append(listed(statement.content, options, strict=True))
    widest: Keys = max(found, key=len, default=())
    if any(not set(keys) <= set(widest) for keys in found):
        raise Unclear
    return widest


def _called_correct(text: str, options: Options) -> Keys:
    keys = []
    for match in _CORRECT.finditer(text):
        if not negated_before(text, match.start()) and not negated_after(
            text, match.end(match.lastindex or 0)
        ):
            key = letter_of(match[1]) if match[1] else key_of(match[2], options)
            keys += [key] if match[2] or key in options.letters else []
    return tuple(keys)


def _alone(text: str, options: Options) -> Keys:
    alone = _ALONE.search(text)
    if alone and alone[1].isupper() and letter_of(alone[1]) in options.letters:
        return (letter_of(alone[1]),)
    return ()
