"""Text forms."""

import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.text import (
    MAY_BE_MARKUP,
    Response,
    folded,
    last_tagged,
    normal,
    open_form,
    settled,
    text_of,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("  two\n\twords ", "two words"),
        ("x \\boxed{ a{b}c } y \\boxed{z}", "a{b}c"),
        ("\\boxed {a}", "\\boxed {a}"),
        ("open \\boxed{a{b}", "open \\boxed{a{b}"),
        ("<think>a</THINK >b<answer>", "a b"),
        ("```x```", "x"),
        ("a</s>b <|end_of_sentence|>", "ab"),
        ("Falcon: hi", "hi"),
        ("falcon: hi", "falcon: hi"),
        ("\\text{m}\\,s", "{m} s"),
        ("\\textual 5\\%", "\\textual 5%"),
        ("3 − 2 × 4 ÷ 1 — ok", "3 - 2 * 4 / 1 - ok"),
        ("ＡＢ\u00a0①", "AB 1"),
        ("<CONCLUSION>c</CONCLUSION>", "c"),
    ],
)
def test_normal(text: Any, form: Any) -> None:
    """Markup goes, words stay."""
    assert normal(text) == form


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (None, ""),
        ([], ""),
        ([None], ""),
        (["A", "B"], "a"),
        (True, "true"),
        ('"Paris".', 'paris"'),
        ("'Oh!?'", "oh"),
    ],
)
def test_open_form(value: Any, form: Any) -> None:
    """Quotes go first, then the punctuation, each once."""
    assert open_form(value) == form


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("<answer> A </answer><Answer >B</ANSWER >", "B"),
        ("<answer>A<answer>B</answer>", "A<answer>B"),
        ("<answer>A", None),
        ("</answer>", None),
    ],
)
def test_last_tagged(text: Any, content: Any) -> None:
    """Only closed pairs count."""
    assert last_tagged(text) == content
    assert Response(text).tagged() == content


@given(st.text())
def test_folded_keeps_every_character_at_its_place(text: Any) -> None:
    """Cues are found in the folded text and cut out of the text itself."""
    assert len(folded(text)) == len(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_settled_texts_do_not_change(text: Any) -> None:
    """The shortcut never skips a change."""
    once = normal(text)
    assert not settled(text, once) or normal(once) == once


@given(st.text(alphabet="é\u0301\u0316\u0f73\ufdfa＜F`\\{}× a\u2003\nﬁ\uff9e", min_size=1, max_size=30))
def test_settled_long_texts_do_not_change(text: Any) -> None:
    """Also where they are not ASCII."""
    long = text * (1 + 1100 // len(text))
    once = normal(long)
    assert not settled(long, once) or normal(once) == once


def test_text_of_nested_lists() -> None:
    """Only the outer list is opened."""
    assert text_of([["a"]]) == "['a']"


def test_what_may_be_markup_is_known() -> None:
    """The characters that NFKC turns into what begins a box, a tag, a code block or an artefact."""
    forms = ((char, unicodedata.normalize("NFKC", char)) for char in map(chr, range(sys.maxunicode + 1)))
    assert {char for char, form in forms if set(form) & set("\\<`F")} == set(MAY_BE_MARKUP)


def test_a_box_in_a_crowd_of_ligatures_is_read() -> None:
    """The content is compared in the form that it has alone."""
    assert normal("\\boxed{\ufdfb}" + "\ufdfb" * 3000) == normal("\ufdfb")
