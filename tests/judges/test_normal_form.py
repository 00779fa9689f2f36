"""NFKC in linear time."""

import sys
import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.normal_form import JOINING_STARTERS, LIGATURES, nfkc, spelled_out

HARD = (
    "eaıé\u0301\u0316\u0327\u0344\u0f73\u0f71"
    "\uff9e\uff76\u1100\u1161\u11a8가\u09c7\u09be\ufdfa\ufdfb㌖①ﬁ\u00a0"
)


@given(st.text(alphabet=HARD, min_size=1, max_size=40), st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_long_texts_get_the_same_form(text: Any, times: Any) -> None:
    """Pieces are cut only where nothing joins."""
    long = text * (times * 1200 // len(text))
    assert spelled_out(nfkc(long)) == unicodedata.normalize("NFKC", long)


MANY = "".join(map(chr, range(0x4E00, 0x4F40))) + "".join(map(chr, range(0x300, 0x34F)))


@given(
    st.lists(st.text(alphabet=HARD + "\u0323\U0001d165\U0001d16d", max_size=6), max_size=20),
    st.integers(0, 200),
)
@settings(max_examples=60)
def test_long_texts_of_many_characters_get_the_same_form(texts: list[str], length: int) -> None:
    """With short and long runs of marks, and with ligatures in crowds and alone."""
    long = (
        MANY.join(texts)
        + "e"
        + "\u0301\u0316\u0327" * length
        + "".join(texts)
        + "\ufdfa" * length * 6
        + MANY * 3
    )
    assert spelled_out(nfkc(long)) == unicodedata.normalize("NFKC", long)


def test_joining_starters_are_those_of_unicode() -> None:
    """Every starter that ends a canonical decomposition is in the table."""
    ends = set()
    for code in range(sys.maxunicode + 1):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            ends.add(chr(int(parts[1], 16)))
    assert {char for char in ends if not unicodedata.combining(char)} <= JOINING_STARTERS


def test_ligatures_begin_and_end_with_a_letter() -> None:
    """What keeps them apart from every rule until texts are compared."""
    assert all(phrase[0].isalpha() and phrase[-1].isalpha() for phrase in LIGATURES.values())
