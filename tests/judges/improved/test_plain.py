"""The plain form of a response."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.plain import HEAD, SHOWN, SHOWN_END, TAIL, plain


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (" **B** ", "B"),
        ("## Title\n\n- item", "Title\nitem"),
        ("```json\n{}\n```", "{}"),
        ("| B | blue |", "B blue"),
        ("4*x", "4*x"),
        ("a \\text{cm} b", "a cm b"),
        ("$5\\%$", "5%"),
        ("60^{\\circ}", "60°"),
        ("Ｂ\u200b", "B"),
        ("x²", "x^2"),
        ("٣", "3"),
        ("“x”", '"x"'),
        ("<b>x</b>", "x"),
        ("\\boxed{a{b}c} d", f"{SHOWN}a{{b}}c{SHOWN_END} d"),
        ("\\boxed{a", f"{SHOWN}a"),
        ("<ANSWER>a</answer >", f"{SHOWN}a{SHOWN_END}"),
        (SHOWN, ""),
    ],
)
def test_plain(text: str, form: str) -> None:
    """Markup goes, lines and meaning stay."""
    assert plain(text) == form


def test_long_texts_keep_their_ends() -> None:
    """The middle of a long response is not read."""
    text = plain("a" * HEAD + "b" * 10_000 + "c" * TAIL)
    assert text == "a" * HEAD + "\n" + "c" * TAIL
