"""NFKC in linear time."""

import sys
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.normal_form import (
    DISGUISED_MARKS,
    JOINING_STARTERS,
    LIGATURES,
    LONG,
    nfkc,
    spelled_out,
)

PADDING = "\u8a9e" * LONG
EVERY = [chr(code) for code in range(sys.maxunicode + 1)]
HARD = (
    "eaıé\u0301\u0316\u0327\u0344\u0f73\u0f71\u0323\U0001d165\U0001d16d\U0001d160"
    "\uff9e\uff76\u1100\u1161\u11a8가\u09c7\u09be\ufdfa\ufdfb㌖㌢½①ﬁㄱㅏㅣ\u0958\u00a0\n\ue000\ue001\ue002\ue003"
)


def nfkd(char: str) -> str:
    """The whole decomposition."""
    return unicodedata.normalize("NFKD", char)


@given(
    st.text(alphabet=HARD, min_size=1, max_size=40),
    st.text(alphabet=HARD + "\u0f73\u0f74", max_size=60),
    st.text(alphabet=HARD, max_size=9),
    st.sampled_from([1, 40, 200, 1100]),
)
@settings(max_examples=150)
def test_long_texts_get_the_same_form(start: str, unit: str, end: str, times: int) -> None:
    """With short and long runs of marks, with ligatures and expanding characters in crowds and alone."""
    text = start + unit * times + end + PADDING + end
    assert spelled_out(nfkc(text)) == unicodedata.normalize("NFKC", text)


@given(
    st.text(
        alphabet="\u0301\u0316\u0327\u0344\u0f73\u0f71\uff9e\U0001d165\U0001d16d\u0315",
        min_size=31,
        max_size=99,
    )
)
@settings(max_examples=150)
def test_runs_of_marks_are_put_in_order(run: str) -> None:
    """At whatever place of the text a run begins, and whatever it follows."""
    text = "e" + run + "é" * (len(run) % 17) + run[::-1] + "\U0001d160" + run + PADDING
    assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_every_character_in_a_crowd() -> None:
    """Each with a mark behind it, and without."""
    for mark in ("\u0301", "\u3099", ""):
        text = "".join(char + mark for char in EVERY) + "㌢" * 200_000
        assert nfkc(text) == unicodedata.normalize("NFKC", text)


def test_joining_starters_are_those_of_unicode() -> None:
    """Every starter that ends a canonical decomposition is in the table."""
    ends = set()
    for char in EVERY:
        parts = unicodedata.decomposition(char).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            ends.add(chr(int(parts[1], 16)))
    assert {char for char in ends if not unicodedata.combining(char)} <= set(JOINING_STARTERS)


def test_disguised_marks_are_those_of_unicode() -> None:
    """The starters that decompose into marks; every other mark has one class from beginning to end."""
    disguised = {
        char for char in EVERY if not unicodedata.combining(char) and unicodedata.combining(nfkd(char)[0])
    }
    assert disguised == set(DISGUISED_MARKS)
    marks = (char for char in EVERY if unicodedata.combining(char))
    assert all({*map(unicodedata.combining, nfkd(char))} == {unicodedata.combining(char)} for char in marks)


def test_ligatures_begin_and_end_with_a_letter() -> None:
    """What keeps them apart from every rule until texts are compared."""
    assert all(phrase[0].isalpha() and phrase[-1].isalpha() for phrase in LIGATURES.values())
