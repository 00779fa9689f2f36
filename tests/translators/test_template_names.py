"""Names in prompt templates."""

from __future__ import annotations

import pytest

from mmeval_pack.translators.template_names import nearest, needed_by, read_by

KNOWN = ("question", "options", "choices", "hint", "choice_a", "image1", "A", "B")


@pytest.mark.parametrize(
    ("template", "read", "needed"),
    [
        ("no name, \\boxed{}", set(), set()),
        ("{{ question }}", {"question"}, {"question"}),
        (
            "{% for k, v in options.items() %}{{ k }}{{ v }}{{ loop.last }}{% endfor %}",
            {"options"},
            {"options"},
        ),
        ("{% set x = 1 %}{% macro m(y) %}{{ y }}{% endmacro %}{{ x }}{{ m(2) }}", set(), set()),
        ("{{ range(n) | list }}{{ zip(a, b) }}{{ len(c) }}", {"n", "a", "b", "c"}, {"n", "a", "b", "c"}),
        ("{% if hint %}{{ hint }}{% endif %}", {"hint"}, set()),
        ("{% if a is defined and b == 1 %}{{ a }}{% elif c %}{% endif %}", {"a", "b", "c"}, set()),
        ("{{ a if b else c }}{{ b }}", {"a", "b", "c"}, {"a", "c"}),
        ("{{ a | default('') }}{{ b | d(c) }}", {"a", "b", "c"}, {"c"}),
        ("{{ a or b }}{{ c | upper }}", {"a", "b", "c"}, {"b", "c"}),
        ("{{ a is defined }}{{ b is not undefined }}{{ c is string }}", {"a", "b", "c"}, {"c"}),
    ],
)
def test_names(template: str, read: set[str], needed: set[str]) -> None:
    """All that the row must supply, and those whose absence nothing provides for."""
    assert (read_by(template), needed_by(template)) == (read, needed)


def test_no_expression_is_run() -> None:
    """Not even one of constants, which could take all memory."""
    assert read_by("{{ 'x' | center(10 ** 12) ~ ('x' * 10 ** 12) }}{{ name }}") == {"name"}


def test_too_deep_to_be_read() -> None:
    """No error of Python's: the compiler has its own message where it cannot read it either."""
    assert needed_by("{{ " + "[" * 2000 + "x" + "]" * 2000 + " }}") == frozenset()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("questoin", "question"),
        ("Question", "question"),
        ("questions", "question"),
        ("optoins", "options"),
        ("hnit", "hint"),
        ("choics", "choices"),
        ("a", "A"),
        ("choice_e", None),
        ("image2", None),
        ("C", None),
        ("question_text", None),
        ("captions", None),
        ("text", None),
        ("n_images", None),
    ],
)
def test_the_nearest_name(name: str, meant: str | None) -> None:
    """A letter or two away; the next one of a series is a name of its own."""
    assert nearest(name, KNOWN) == meant
