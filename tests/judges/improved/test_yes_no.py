"""Yes and no in their own words."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.improved.yes_no import said


@pytest.mark.parametrize(
    ("response", "word"),
    [
        ("Yes", "yes"),
        ("`no`", "no"),
        ("Y", "yes"),
        ("Yep!", "yes"),
        ("Of course", "yes"),
        ("Of course not", "no"),
        ("False", "no"),
        ("Sim.", "yes"),
        ("不是。", "no"),
        ("Nein", "no"),
        ("Yes, there is no doubt.", "yes"),
        ("No, yes would be wrong.", "no"),
        ("The answer is yes.", "yes"),
        ("Probably yes", "yes"),
        ("\\boxed{no}, wait, \\boxed{yes}", "yes"),
        ("Yes. Wait, actually no.", "no"),
        ("I would not say yes", "no"),
        ("It isn't.", "no"),
        ("The window is open.", "yes"),
        ("It is not open.", "no"),
        ("yes, or no", None),
        ("yes and no", None),
        ("Yes, if it is summer", None),
        ("No idea", None),
        ("No. 5", None),
        ("There is no way to tell.", None),
        ("Sure, but I do not know", None),
        ("Correct me if I am wrong", None),
        ("know", None),
        ("Yesterday", None),
        ("The window is closed.", None),
        ("It is open, no?", None),
        ("", None),
    ],
)
def test_said(response: str, word: str | None) -> None:
    """The word that the response comes down to, None where it says neither."""
    assert said(plain(response), "Is the window open?") == word
