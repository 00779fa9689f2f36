"""Plain responses are looked up; the parsers would read the same."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.label import label
from mmeval_pack.judges.letters import letter_set
from mmeval_pack.judges.loose_label import loose_label
from mmeval_pack.judges.options import ALPHABET
from mmeval_pack.judges.plain import KNOWN, LONGEST, plain
from mmeval_pack.judges.question import Question
from mmeval_pack.judges.records import Doc
from mmeval_pack.judges.text import Response


def parsed(text: str, question: Question, reader: Any) -> tuple[str, ...]:
    """What the parsers read of the text."""
    letters = letter_set(Response(text), question.letters)
    letter = None if letters else reader(Response(text), question)
    return letters if letter is None else (letter,)


@pytest.mark.parametrize("count", range(1, 27))
def test_every_known_response_is_read_as_the_parsers_read_it(count: Any) -> None:
    """With any number of options, also where their texts look like responses."""
    question = Question(Doc("A", {"options": {letter: f"({letter}) B." for letter in ALPHABET[:count]}}))
    for text in KNOWN:
        if known := plain(text, question.letters):
            assert known.strict == parsed(text, question, label)
            assert known.loose == parsed(text, question, loose_label)


def test_what_is_known() -> None:
    """Only of letters that are candidates, and only among the first letters of the alphabet."""
    letters = frozenset("ABC")
    assert plain("(b)", letters) == ("B", (), ("B",))
    assert plain("B.", letters) == ("B", ("B",), ("B",))
    assert plain("(D)", letters) is plain("B C", letters) is plain("", letters) is None
    assert plain("(B)", letters | {"(B)"}) is plain("B", frozenset("BC")) is None
    assert max(map(len, KNOWN)) == LONGEST


@given(st.sampled_from(sorted(KNOWN)), st.sets(st.sampled_from([*"ABCDEZ", "(B)", "B."]), min_size=1))
def test_odd_option_names(text: Any, names: Any) -> None:
    """Where the lookup answers, the parsers agree."""
    question = Question(Doc("B", {"options": dict.fromkeys(names, "(b)")}))
    if known := plain(text, question.letters):
        assert known.strict == parsed(text, question, label)
        assert known.loose == parsed(text, question, loose_label)
