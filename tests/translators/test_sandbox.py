"""The sandbox: what templates may do, what they may not, and that neither takes long."""

from __future__ import annotations

from typing import Any

import pytest

from mmeval_pack.translators.sandbox import MAX_OUTPUT, PromptError, compile_template, render

VALUES: dict[str, Any] = {
    "q": "What?",
    "xs": ["a", "b"],
    "options": {"A": "one", "B": "two"},
    "big": "x" * 500_000,
    "thing": object(),
}
WORK = "the template takes more than 30,000,000 units of work"
WIDTH = "a width, count or precision above 1,000"
BITS = "an integer of more than 10,000 bits"
LOOP = "{% set x %}{% for i in range(100000) %}BODY{% endfor %}{% endset %}"
GROW = "{% set ns = namespace(x=START) %}{% for i in range(60) %}{% set ns.x = NEXT %}{% endfor %}{{ ns.x }}"


def show(template: str) -> str:
    """The text that a template makes of VALUES."""
    return render(compile_template(template), VALUES)


def grow(start: str, following: str) -> str:
    """A template that replaces a variable by a larger value, sixty times."""
    return GROW.replace("START", start).replace("NEXT", following)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ q }}\n", "What?"),
        ("{{ q }}\n\n", "What?\n"),
        (" {{ q }} \\n\\boxed{}", " What? \\n\\boxed{}"),
        ("{{ nothing }}{% if nothing %}x{% endif %}{% for x in nothing %}x{% endfor %}.", "."),
        ("{{ '<b>' }}", "<b>"),
        (
            "{% for k, v in options.items() %}{{ k }}. {{ v }}"
            "{% if not loop.last %}, {% endif %}{% endfor %}",
            "A. one, B. two",
        ),
        ("{% for _ in range(3) %}<image>{% endfor %}", "<image>" * 3),
        ("{% for x in xs if x != 'a' %}{{ loop.index }}{{ x }}{% else %}none{% endfor %}", "1b"),
        ("{% for a, b in zip(xs, [1, 2]) %}{{ a }}{{ b }}{% endfor %}", "a1b2"),
        ("{% for i, x in enumerate(xs, 1) %}{{ i }}{{ x }}{% endfor %}", "1a2b"),
        (
            "{{ len(xs) }}{{ max(1, 2) }}{{ min(1, 2) }}{{ sum([1, 2]) }}{{ int('3') }}{{ float('1.5') }}",
            "221331.5",
        ),
        ("{{ list('ab') }}{{ dict(a=1) }}{{ str(1234567) }}{{ bool(1) }}", "['a', 'b']{'a': 1}1234567True"),
        ("{{ q.replace('?', '!') }}{{ q|replace('W', 'w') }}{{ q[:2] }}{{ q|upper }}", "What!what?WhWHAT?"),
        ("{{ xs|join(', ') }}{{ ', '.join(xs) }}{{ xs|map('upper')|list }}", "a, ba, b['A', 'B']"),
        (
            "{{ '%s is %d' % (q, 1234567) }} {{ '{:,}'.format(1234567) }} {{ '%05.1f'|format(2.5) }}",
            "What? is 1234567 1,234,567 002.5",
        ),
        (
            "{{ 'a'.center(5) }}|{{ 'a'|center(5) }}|{{ 7 // 2 }}{{ 2 ** 8 }}{{ 3 * 'a' }}",
            "  a  |  a  |3256aaa",
        ),
        (
            "{% macro m(a, b=2) %}{{ a }}{{ b }}{{ caller() if caller }}{% endmacro %}"
            "{{ m(1) }}{% call m(3) %}in{% endcall %}",
            "1232in",
        ),
        (
            "{% set ns = namespace(n=0) %}{% for x in xs %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.n }}",
            "2",
        ),
        (
            "{% filter upper %}abc{% endfilter %}{% with z = 3 %}{{ z }}{% endwith %}"
            "{% set t %}q{% endset %}{{ t }}",
            "ABC3q",
        ),
        ("{{ options|dictsort }}{{ options|items|list }}", "[('A', 'one'), ('B', 'two')]" * 2),
        ("{{ n|default(12345678) }}{{ xs is iterable }}{{ q is defined }}", "12345678TrueTrue"),
    ],
)
def test_what_prompts_need(template: str, text: str) -> None:
    """The constructs of published templates, and their neighbours, give what Jinja gives."""
    assert show(template) == text


@pytest.mark.parametrize(
    ("template", "message"),
    [
        # much out of little, at once
        ("{{ 'a' * 10**9 }}", WORK),
        ("{{ 10**9 * [1] }}", WORK),
        ("{{ 2 ** 100000 }}", BITS),
        ("{{ 'a'|center(10**9) }}", WIDTH),
        ("{{ 'a'.center(10**9) }}", WIDTH),
        ("{{ 'a'.ljust(10**9) }}", WIDTH),
        ("{{ 'a'.zfill(10**9) }}", WIDTH),
        ("{{ 'a'.expandtabs(tabsize=10**9) }}", WIDTH),
        ("{{ 'a'|indent(10**9, true) }}", WIDTH),
        ("{{ xs|batch(10**9, 'x') }}", WIDTH),
        ("{{ xs|slice(10**9) }}", WIDTH),
        ("{{ 5|round(-10**9) }}", WIDTH),
        ("{{ xs|tojson(indent=10**9) }}", WIDTH),
        ("{{ xs|map('center', 10**9) }}", WIDTH),
        ("{% filter center(10**9) %}x{% endfilter %}", WIDTH),
        ("{% set x | center(10**9) %}a{% endset %}", WIDTH),
        ("{{ '%99999d' % 1 }}", WIDTH),
        ("{{ '%*d' % (99999, 1) }}", WIDTH),
        ("{{ '%(a%b)99999d' % {'a%b': 1} }}", WIDTH),
        ("{{ '%.99999f'|format(1) }}", WIDTH),
        ("{{ '{:99999}'.format(1) }}", WIDTH),
        ("{{ '{:{w}}'.format(1, w=99999) }}", WIDTH),
        ("{{ '%s%s%s%s' % (big, big, big, big) * 99 }}", WORK),
        ("{{ big|replace('x', big) }}", WORK),
        ("{{ big.replace('', 'y' * 99) }}", WORK),
        ("{{ big.join(big) }}", WORK),
        ("{{ range(9999)|map('string')|join(big) }}", WORK),
        ("{{ sum([[1]] * 50000, []) }}", WORK),
        ("{{ int('f' * 9999, 16) }}", BITS),
        (
            "{{ range(10**9) }}",
            "OverflowError: Range too big. The sandbox blocks ranges larger than MAX_RANGE (100000).",
        ),
        # step by step
        (grow("'ab'", "ns.x ~ ns.x"), WORK),
        (grow("'ab'", "ns.x + ns.x"), WORK),
        (grow("[1]", "[ns.x, ns.x]"), WORK),
        (grow("{}", "{'a': ns.x, 'b': ns.x}"), WORK),
        (grow("2", "ns.x * ns.x"), BITS),
        ("{% set x = 'ab' %}" + "{% set x = x.replace('', x) %}" * 9, WORK),
        (
            "{% for i in range(999) %}{% for j in range(999) %}{% endfor %}{% endfor %}",
            "the template takes more than 100,000 loop turns",
        ),
        ("{% for i in range(9999) %}{% if big in big %}{% endif %}{% endfor %}", WORK),
        ("{% for i in range(9999) %}{% if big[1:] %}{% endif %}{% endfor %}", WORK),
        ("{{ range(99999)|select('in', range(99999)|list) }}", WORK),
        ("{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}", WORK),
        (
            "{% macro f() %}{% for i in range(99999) %}"
            + "y" * 999
            + "{% endfor %}{% endmacro %}{{ f()|length }}",
            WORK,
        ),
        # constants, and statements without an expression, by the thousand in a loop
        (LOOP.replace("BODY", "{{ '" + "y" * 90_000 + "' }}"), WORK),
        (LOOP.replace("BODY", "{{ 1 }}" * 1_500), WORK),
        (LOOP.replace("BODY", "{% set y = 1 %}" * 500), WORK),
        (LOOP.replace("BODY", "{% if 'a' in '" + "y" * 90_000 + "' %}{% endif %}"), WORK),
        (LOOP.replace("BODY", "{% set y %}{% endset %}" * 500), WORK),
        (LOOP.replace("BODY", "{% with %}{% endwith %}" * 500), WORK),
        (LOOP.replace("BODY", "{% macro m() %}{% endmacro %}" * 500), WORK),
        (LOOP.replace("BODY", "{% filter upper %}{% endfilter %}" * 500), WORK),
        (LOOP.replace("BODY", "{% autoescape true %}{% endautoescape %}" * 500), WORK),
        ("{{ big }}{{ big }}{{ big }}", "the prompt is longer than 1,000,000 characters"),
        # the way out
        ("{{ xs.__class__ }}", "list.__class__ is not open to templates"),
        ("{{ xs['__class__'] }}", "list.__class__ is not open to templates"),
        ("{{ q|attr('__class__') }}", "str.__class__ is not open to templates"),
        ("{{ xs|map(attribute='__class__') }}", "str.__class__ is not open to templates"),
        ("{{ '{0.__class__}'.format(1) }}", "int.__class__ is not open to templates"),
        ("{{ cycler.__init__.__globals__ }}", "type.__init__ is not open to templates"),
        (
            "{{ self._TemplateReference__context }}",
            "TemplateReference._TemplateReference__context is not open to templates",
        ),
        ("{{ str.maketrans({'a': big}) }}", "type.maketrans is not open to templates"),
        ("{{ 'a'.translate({97: big}) }}", "str.translate is not open to templates"),
        ("{{ (5).to_bytes(10**9, 'big') }}", "int.to_bytes is not open to templates"),
        ("{{ '{a}'.format_map({'a': 1}) }}", "str.format_map is not open to templates"),
        ("{{ xs.append(1) }}", "list.append is not open to templates"),
        ("{{ thing.__reduce__ }}", "object.__reduce__ is not open to templates"),
        # plain mistakes
        ("{{ lipsum(5) }}", "'lipsum' is undefined"),
        ("{{ nothing.x }}", "'nothing' is undefined"),
        ("{{ 1 / 0 }}", "ZeroDivisionError: division by zero"),
        ("{% for x in 5 %}{% endfor %}", "a loop over int, expected a list"),
    ],
)
def test_what_is_refused_while_rendering(template: str, message: str) -> None:
    """Each ends in one error with its line, and soon."""
    with pytest.raises(PromptError) as error:
        show(template)
    assert str(error.value) == f"template line 1: {message}"


ALONE = "include, import, extends and block are refused: a prompt stands alone"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("a\nb {{ x", "template line 2: unexpected end of template, expected 'end of print statement'."),
        (
            "{% if x %}",
            "template line 1: Unexpected end of template. Jinja was looking for the following tags: "
            "'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
        ),
        ("\n\n{{ x|random }}", "template line 3: No filter named 'random'."),
        ("{% include 'x' %}", f"template line 1: {ALONE}"),
        ("{% import 'x' as y %}", f"template line 1: {ALONE}"),
        ("{% from 'x' import y %}", f"template line 1: {ALONE}"),
        ("{% extends 'x' %}", f"template line 1: {ALONE}"),
        ("{% block a %}{% endblock %}", f"template line 1: {ALONE}"),
        ("x" * 100_001, "the template has 100,001 characters, expected 100,000 at most"),
        ("{{ x }}" * 9_999, "the template has more than 10,000 words and signs"),
        ("{{ " + "(" * 4_000, "the template is nested too deeply"),
        ("{{ 1" + "+1" * 3_000 + " }}", "the template is nested too deeply"),
        ("{% if x %}" * 1_000, "the template is nested too deeply"),
        (
            "{% for x in xs %}" * 40 + "{% endfor %}" * 40,
            "the template cannot be compiled: SyntaxError: too many statically nested blocks",
        ),
    ],
)
def test_what_is_refused_while_compiling(template: str, message: str) -> None:
    """A template that cannot be used is found before any row is rendered."""
    with pytest.raises(PromptError) as error:
        compile_template(template)
    assert str(error.value) == message


def test_no_expression_runs_while_compiling() -> None:
    """Constant expressions are left for rendering, where they are charged."""
    compile_template("{{ 'a' * 10**12 }}{{ 'a'|center(10**12) }}{% if 'a'.center(10**12) %}{% endif %}")


def test_the_line_of_an_error() -> None:
    """An error names the template's line, not the generated code's."""
    with pytest.raises(PromptError, match=r"^template line 4: ZeroDivisionError: division by zero$"):
        show("a\n{% if q %}\n\n{{ 1 / 0 }}\n{% endif %}")


def test_endless_recursion() -> None:
    """A macro that calls itself ends in an error, not in a crash."""
    with pytest.raises(PromptError, match=r"^the template recurses too deeply$"):
        show("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}")


def test_limits_are_above_real_prompts() -> None:
    """A document of nearly the whole output, cleaned on the way, is no attack."""
    template = compile_template("{{ text|replace('b', 'cc')|trim }}")
    assert len(render(template, {"text": "a" * (MAX_OUTPUT - 1)})) == MAX_OUTPUT - 1
    assert show("{% for i in range(100000) %}.{% endfor %}") == "." * 100_000


def test_a_rendering_leaves_nothing_behind() -> None:
    """The budget is a rendering's own: two that fit one after the other do not add up."""
    template = compile_template("{% for i in range(60000) %}.{% endfor %}")
    assert render(template, {}) == render(template, {}) == "." * 60_000
