"""The number that a response gives."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.answer_number import stated
from mmeval_pack.judges.improved.number_words import with_digits
from mmeval_pack.judges.improved.plain import plain


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("14", 14),
        ("-14", -14),
        ("1,400 visitors", 1400),
        ("1 400", 1400),
        ("1_400", 1400),
        ("0,25", 0.25),
        (".5 of it", 0.5),
        ("1.4e3 m", 1400),
        ("1.4 × 10^3", 1400),
        ("7/4", 1.75),
        ("\\frac{7}{4}", 1.75),
        ("1¾", 1.75),
        ("$14.50", 14.5),
        ("14 %", 0.14),
        ("14 percent", 0.14),
        ("fourteen", 14),
        ("one thousand four hundred and two", 1402),
        ("minus fourteen", -14),
        ("١٤", 14),
        ("14m²", 14),
        ("**14**", 14),
        ("x = 14", 14),
        ("14 = 6 + 8", 14),
        ("20 - 6 = 14", 14),
        ("The answer is 14 because 20 - 6 leaves that many", 14),
        ("6*2 = 12. Hence the result is 14.", 14),
        ("In 2011 the value was 14.", 14),
        ("In figure 3 there are 14 in total.", 14),
        ("It fell from 20 to 14", 14),
        ("From 20 we go down by 6, so 14.", 14),
        ("Not 13 but 14", 14),
        ("\\boxed{13} ... actually \\boxed{14}", 14),
        ("The answer is 13. No wait, the answer is 14.", 14),
        ("in 2011", 2011),
        ("14\n\nCounted in 2 rows.", 14),
        ("共有14个", 14),
    ],
)
def test_number_reads(response: str, value: float) -> None:
    """The value that the response concludes with."""
    number = stated(plain(response))
    assert number is not None
    assert number.value == pytest.approx(value)


@pytest.mark.parametrize(
    "response",
    [
        "",
        "none visible",
        "not 14",
        "14 or 15",
        "14, 15",
        "14-15",
        "between 14 and 20",
        "at least 14",
        "less than 14",
        "The answer is 14, maybe 15",
        "14 is wrong",
        "14:30",
        "14th",
        "figure 14",
        "The answer is 7 x 2",
        "I cannot tell; 14 are hidden",
        "If you count the dark ones, 14",
        "There are 14 cups and 3 plates.",
        "the blue one",
        "7/0",
    ],
)
def test_number_noop(response: str) -> None:
    """No number is given, or several, or it is taken back."""
    assert stated(plain(response)) is None


def test_the_pronoun_one_is_no_number() -> None:
    """Other number words become digits."""
    assert with_digits("the last one of thirty-one, three quarters") == "the last one of 31, 3/4"
