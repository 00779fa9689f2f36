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
    letters = letter_set(Response(text), question.letters())
    letter = None if letters else reader(Response(text), question)
    return letters if letter is None else (letter,)


@pytest.mark.parametrize("count", range(1, 27))
def test_every_known_response_is_read_as_the_parsers_read_it(count: Any) -> None:
    """With any number of options, also where their texts look like responses."""
    question = Question(Doc("A", {"options": {letter: f"({letter}) B." for letter in ALPHABET[:count]}}))
    for text in KNOWN:
        if known := plain(text, question):
            assert known.strict == parsed(text, question, label)
            assert known.loose == parsed(text, question, loose_label)


def test_what_is_known() -> None:
    """Only of letters that are candidates, and only where these surely are letters and nothing else."""
    question = Question(Doc("A", {"options": dict.fromkeys("ABC")}))
    assert plain("(b)", question) == ((), ("B",))
    assert plain("B.", question) == (("B",), ("B",))
    assert plain("(D)", question) is plain("B C", question) is plain("", question) is None
    for names in ("BC", ["A", "B", "(B)"]):
        assert plain("(B)", Question(Doc("B", {"options": dict.fromkeys(names)}))) is None
    assert max(map(len, KNOWN)) == LONGEST


@pytest.mark.parametrize(
    "message", [{}, {"choices": ["A", "C", "G"]}, {"choices": ["(G)", "x"]}, {"options": {}}, {"A": "x"}]
)
@pytest.mark.parametrize("truth", ["A", "C", "G", "Z", "A, C"])
def test_the_letter_that_is_the_truth(truth: str, message: dict[str, Any]) -> None:
    """It is always a candidate, wherever the options stand, and read as the parsers read it."""
    question = Question(Doc(truth, message))
    for text in KNOWN:
        if known := plain(text, question):
            assert known.strict == parsed(text, question, label)
            assert known.loose == parsed(text, question, loose_label)
    assert all(plain(f"({letter})", question) for letter in question.truth_letters if len(truth) == 1)


@given(st.sampled_from(sorted(KNOWN)), st.sets(st.sampled_from([*"ABCDEZ", "(B)", "B."]), min_size=1))
def test_odd_option_names(text: Any, names: Any) -> None:
    """Where the lookup answers, the parsers agree."""
    question = Question(Doc("B", {"options": dict.fromkeys(names, "(b)")}))
    if known := plain(text, question):
        assert known.strict == parsed(text, question, label)
        assert known.loose == parsed(text, question, loose_label)
