"""Responses that are one letter with a bracket or a full stop at most (``B``, ``(B)``): looked up.

Most models answer most questions so. What the parsers read of such a response is known beforehand, provided
that all candidates are letters and this one is among them; a test compares all of them.
"""

from __future__ import annotations

from typing import NamedTuple

from mmeval_pack.judges.letters import Letters
from mmeval_pack.judges.options import ALPHABET
from mmeval_pack.judges.question import Question

LONGEST = len("(B).")


class Plain(NamedTuple):
    """What is known of a plain response.

    Attributes:
        strict: what `letters.letter_set` and `label.label` read together.
        loose: what `letters.letter_set` and `loose_label.loose_label` read together.
    """

    strict: Letters
    loose: Letters


_STRICT = ("{}", "{}.", "{})", "{}).", "{}:")
_STRICT_IN_LOWER_CASE = ("{}", "{}.")
_LOOSE = ("({})", "[{}]", "({}).", "[{}].")
_LOOSE_IN_LOWER_CASE = ("({})", "[{}]")


def _known() -> dict[str, Plain]:
    known: dict[str, Plain] = {}
    for letter in ALPHABET:
        strict, loose = Plain((letter,), (letter,)), Plain((), (letter,))
        for forms, lower_forms, read in (
            (_STRICT, _STRICT_IN_LOWER_CASE, strict),
            (_LOOSE, _LOOSE_IN_LOWER_CASE, loose),
        ):
            known |= {form.format(letter): read for form in forms}
            known |= {form.format(letter.lower()): read for form in lower_forms}
    return known


KNOWN = _known()


def plain(text: str, question: Question) -> Plain | None:
    """What the parsers are known to read, None where they must be asked."""
    known = KNOWN.get(text)
    return known if known is not None and question.lists(known.loose) else None
