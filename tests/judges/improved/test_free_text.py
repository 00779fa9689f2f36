"""Free text: words, formulas, quantities."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.arithmetic import value
from mmeval_pack.judges.improved.free_text import says
from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.improved.sameness import same
from mmeval_pack.judges.params import Params


def credited(response: str, truth: object, **params: object) -> bool:
    """Whether the response is taken for the truth."""
    return says(plain(response), truth, Params.declared(params))[0]


@pytest.mark.parametrize(
    "response",
    [
        "Lisbon",
        "lisbon.",
        "**Lisbon**",
        "*Lisbon*",
        "“Lisbon”",
        "«Lisbon».",
        "(Lisbon)",
        "Lisbon;",
        "The Lisbon",
        "Answer: Lisbon",
        "**Answer:** Lisbon",
        "The final answer is Lisbon.",
        'The answer is "Lisbon". The bridge gives it away.',
        "It is Lisbon.",
        "I think it is Lisbon",
        "The city is Lisbon.",
        "Lisbon is what I see.",
        "Capital: Lisbon",
        "\\text{Lisbon}",
        "<answer>Lisbon</answer>",
        "A resposta é Lisbon.",
        "Rome... no, wait, Lisbon",
    ],
)
def test_text_reads(response: str) -> None:
    """The value, however it is dressed and announced."""
    assert credited(response, "Lisbon")


@pytest.mark.parametrize(
    "response",
    [
        "",
        "Rome",
        "not Lisbon",
        "The answer is not Lisbon",
        "Lisbon or Rome",
        "Rome, not Lisbon",
        "Lisboners",
        "Is it Lisbon?",
    ],
)
def test_text_noop(response: str) -> None:
    """Another value, none, or more than one."""
    assert not credited(response, "Lisbon")


@pytest.mark.parametrize(
    ("response", "truth"),
    [
        ("3√5", "3\\sqrt{5}"),
        ("3 * sqrt(5)", "3\\sqrt{5}"),
        ("\\sqrt{45}", "3\\sqrt{5}"),
        ("\\frac{\\sqrt 5}{2}", "\\frac{\\sqrt{5}}{2}"),
        ("-0.25", "-\\frac{1}{4}"),
        ("\\dfrac{-1}{4}", "-\\frac{1}{4}"),
        ("$18\\pi$", "18π"),
        ("18π cm^2", "18\\pi"),
        ("y^2 + x^2 = 4", "x^2+y^2=4"),
        ("x²+y²=4", "x^2+y^2=4"),
        ("x = 4, y = -2", "(4,-2)"),
        ("from -1 to 5", "[-1,5]"),
        ("-1 \\le x \\le 5", "[-1,5]"),
        ("70°", "70^\\circ"),
        ("70 degrees", "70^{\\circ}"),
        ("70", "70^\\circ"),
        ("4 meters", "4 m"),
        ("400 cm", "4 m"),
        ("h = 4m", "4 m"),
    ],
)
def test_formula_reads(response: str, truth: str) -> None:
    """Equal formulas and quantities, however they are written."""
    assert same(plain(response), plain(truth)) or credited(response, truth)


@pytest.mark.parametrize(
    ("response", "truth"),
    [
        ("3\\sqrt{2}", "3\\sqrt{5}"),
        ("\\frac{1}{2}", "-\\frac{1}{2}"),
        ("(-2,4)", "(4,-2)"),
        ("(-1,5)", "[-1,5]"),
        ("70 cm", "70^\\circ"),
        ("4 cm", "4 m"),
        ("4 m^2", "4 m"),
        ("100 - 30", "70^\\circ"),
        ("3-x", "x-3"),
        ("2*3", "23 m"),
    ],
)
def test_formula_noop(response: str, truth: str) -> None:
    """Another value, another order, another unit."""
    assert not credited(response, truth)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2\\frac{1}{2}", 2.5),
        ("2(3+1)", 8.0),
        ("-2^2", -4.0),
        ("x+1", None),
        ("1/0", None),
        ("((", None),
        ("9^9^9^9", None),
    ],
)
def test_value(text: str, expected: float | None) -> None:
    """Numbers and the operations on them; None for all else."""
    assert value(text) == expected


def test_string_match_modes() -> None:
    """``contains`` wants whole words that nothing takes back; ``anls`` tolerates spelling."""
    assert credited("The sign reads OPEN today", "open", string_match="contains")
    assert not credited("REOPENED", "open", string_match="contains")
    assert not credited("The sign does not say OPEN", "open", string_match="contains")
    assert not credited("open / closed", "open", string_match="contains")
    assert credited("Porto Allegre", "Porto Alegre", string_match="anls")
    assert not credited("Porto Novo", "Porto Alegre", string_match="anls")
    assert not credited("not Lisbon", "Lisbon", string_match="anls")
    assert credited("two", ["one", None, "two"])
