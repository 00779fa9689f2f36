"""Text forms."""

import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.text import (
    MAY_BE_MARKUP,
    Response,
    folded,
    last_tagged,
    lowered,
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


@pytest.mark.parametrize("unit", ["Éİßǅ a", "AΣ b", "ΑΣ"])
def test_lowered_is_lower(unit: str) -> None:
    """A piece that ends within a word changes nothing, not even in Greek."""
    text = unit * 40_000
    assert lowered(text) == text.lower()


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_settled_texts_do_not_change(text: Any) -> None:
    """The shortcut never skips a change."""
    once = normal(text)
    assert not settled(text, once) or normal(once) == once


PIECES = [
    *"é\u0301\u0316\u0f73\ufdfa＜FＦ`\\{}× a\u2003\nﬁ\uff9e<>㌖",
    *("</s>", "＜/s>", "</ｓ>", "<|end▁of▁sentence|>", "<CONCLUSION>", "Falcon: ", "Fａlcon: ", "o\u0338"),
    *("answer>", "<answer>", "</answer>", "final answer: ", "\\boxed{", "\\%", "\\,"),
]


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=30), st.integers(0, 40), st.integers(0, 40))
@settings(max_examples=400)
def test_shortcuts_for_long_texts_change_nothing(pieces: list[str], start: int, end: int) -> None:
    """A text that is settled, a part of a text, and a part of its normal form."""
    unit = "".join(pieces)
    text = unit + "語" * 1100 + unit
    once, response = normal(text), Response(text)
    assert not settled(text, once) or normal(once) == once
    for part in (text, text[start:], text[start : len(text) - end]):
        assert response.normal_of(part) == normal(part)
    for part in (once, once[start:], once[: len(once) - end]):
        assert response.normal_again(part) == normal(part)


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
