"""Jinja for templates that others write: no way out of the template, and bounded time and memory.

Three things keep a template in its place:

* Policy. Attributes are open on plain data alone (text, lists, objects, loop variables), so that neither
  Python's internals nor a picture's ``save`` can be reached. Other templates cannot be named. Filters that
  are random, or slow by design, are not there; those that are lazy in Jinja give lists.
* A budget. The syntax tree is rewritten so that every value an expression yields is charged for: its length
  when written out, shared parts counted each time, since ``[x, x]`` nested forty times is small in memory and
  endless as text.
* A forecast for the operations that make much out of little (``*``, ``center``, ``replace`` ...): they are
  charged before they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, pass_context
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.runtime import LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter, safe_range
from jinja2.tests import TESTS
from jinja2.utils import Cycler, Joiner, Namespace

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.sandbox_budget import (
    CALL,
    FILTER,
    MAX_BITS,
    PRODUCTS,
    TURNS,
    WEIGH,
    WIDTHS,
    Budget,
    Metered,
    check_format,
    check_printf,
    count_turns,
    forecast,
    weigh,
    weight,
)

MAX_SOURCE = 100_000  # characters of a template
MAX_TOKENS = 10_000  # words and signs of a template; published ones have less than 100
MAX_OUTPUT = 1_000_000  # characters of a rendered prompt
WITHOUT_FILTERS = frozenset({"pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr"})
WITHOUT_METHODS = frozenset({"encode", "format_map", "maketrans", "striptags", "translate", "unescape"})
OPEN_TYPES = (str, list, tuple, dict, LoopContext, Macro, Namespace, Cycler)


class PromptError(InputError):
    """A template that is broken, refused, or fails on a row."""


class _Formatter(SandboxedFormatter):
    """``str.format`` with its widths checked, after the nested fields of a format are filled in."""

    def format_field(self, value: Any, format_spec: str) -> str:
        check_format(format_spec, [])
        return str(super().format_field(value, format_spec))


class _Format:
    """The method ``format`` of a text."""

    __name__ = "format"

    def __init__(self, environment: Sandbox, text: str) -> None:
        self.__self__ = text
        self._formatter = _Formatter(environment)

    def __call__(self, *args: Any, **kwargs: Any) -> str:
        return self._formatter.vformat(self.__self__, args, kwargs)


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment that all templates share; it holds no state of a rendering."""

    context_class = Budget
    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self) -> None:
        # constants must not be folded: that would run expressions while compiling, free of charge
        super().__init__(optimized=False)
        self.filters = {
            name: _guarded(name, function)
            for name, function in FILTERS.items()
            if name not in WITHOUT_FILTERS
        }
        self.filters |= {WEIGH: weigh, TURNS: count_turns}
        self.tests = {name: _guarded(name, function) for name, function in TESTS.items()}
        self.globals = {
            function.__name__: function
            for function in (len, list, dict, str, int, float, bool, sum, max, min)
        } | {
            "range": safe_range,
            "zip": lambda *args: list(zip(*args, strict=False)),
            "enumerate": lambda *args: list(enumerate(*args)),
            "namespace": _Namespace,
            "cycler": Cycler,
            "joiner": Joiner,
        }

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Attributes of plain data alone, without those that change it."""
        if not isinstance(obj, OPEN_TYPES) or (isinstance(obj, str) and attr in WITHOUT_METHODS):
            return False
        return super().is_safe_attribute(obj, attr, value)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Any:
        """Refuse at once: Jinja's own way prints nothing for ``{{ x.__class__ }}``."""
        raise SecurityError(f"{type(obj).__name__}.{attribute} is not open to templates")

    def wrap_str_format(self, value: Any) -> Any:
        """The checked ``format`` in place of Python's; None for all other values."""
        known = super().wrap_str_format(value) and value.__name__ == "format"
        return _Format(self, value.__self__) if known else None

    def call(self, context: Any, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call, after the forecast for methods and functions that need one."""
        context.spend(CALL)
        name = getattr(obj, "__name__", None)
        if name in PRODUCTS or name in WIDTHS:
            owner = getattr(obj, "__self__", None)
            values = [*([owner] if isinstance(owner, str) else []), *args, *kwargs.values()]
            forecast(context, name, values[:1], values[1:])
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """``*``, ``**`` and ``%``, after their forecast."""
        if operator == "%" and isinstance(left, (str, bytes)):
            check_printf(context, left, right)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            if left.bit_length() * abs(right) > MAX_BITS:
                raise SecurityError(f"an integer of more than {MAX_BITS:,} bits")
        elif operator == "*":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, int) and not isinstance(other, (int, float)):
                    context.spend(abs(one) * weight(other))
        return super().call_binop(context, operator, left, right)


class _Namespace(Namespace):
    """A namespace that is not written out: two that hold each other, doubled, would have no end."""

    def __repr__(self) -> str:
        return "<namespace>"


def _guarded(name: str, function: Any) -> Callable[..., Any]:
    """A filter or test that is charged for its arguments, and gives a list where the original is lazy."""
    wish = getattr(function, "jinja_pass_arg", None)

    @pass_context
    def guarded(context: Budget, value: Any = None, *args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if name in PRODUCTS or name in WIDTHS:
            forecast(context, name, value, given)
            if name == "format":
                check_format(str(value), given)
        context.spend(FILTER + weight([value, *given]))
        first = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        lead = (first[wish.name],) if wish else ()
        result = function(*lead, value, *args, **kwargs)
        return list(result) if isinstance(result, Iterator) else result

    return guarded


_SANDBOX = Sandbox()


def compile_template(source: str) -> Template:
    """Compile a template, with Jinja's default settings.

    Raises:
        PromptError: the source is too long, no Jinja, or reaches for other templates.
    """
    if len(source) > MAX_SOURCE:
        raise PromptError(f"the template has {len(source):,} characters, expected {MAX_SOURCE:,} at most")
    try:
        if sum(1 for _ in islice(_SANDBOX.lex(source), MAX_TOKENS + 1)) > MAX_TOKENS:
            raise PromptError(f"the template has more than {MAX_TOKENS:,} words and signs")
        tree = Metered().visit(_SANDBOX.parse(source))
        code = _SANDBOX.compile(tree.set_environment(_SANDBOX))
    except RecursionError:
        raise PromptError("the template is nested too deeply") from None
    except TemplateSyntaxError as error:
        raise PromptError(f"template line {error.lineno}: {error.message}") from None
    except (SyntaxError, MemoryError, ValueError, OverflowError) as error:
        # Python's own limits on the code that Jinja makes, and on literals
        raise PromptError(f"the template cannot be compiled: {_message(error)}") from None
    return Template.from_code(_SANDBOX, code, _SANDBOX.globals)


def render(template: Template, variables: dict[str, Any]) -> str:
    """Render a compiled template.

    Raises:
        PromptError: the template fails on these variables, or oversteps a limit.
    """
    pieces, size = [], 0
    try:
        for piece in template.root_render_func(template.new_context(variables)):
            pieces.append(piece)
            size += len(piece)
            if size > MAX_OUTPUT:
                raise SecurityError(f"the prompt is longer than {MAX_OUTPUT:,} characters")
    except RecursionError:
        raise PromptError("the template recurses too deeply") from None
    except Exception as error:  # noqa: BLE001 # expressions of a template raise whatever Python does
        raise PromptError(f"template line {_line(template, error)}: {_message(error)}") from None
    return "".join(pieces)


def _line(template: Template, error: Exception) -> int:
    """The template's line that an error arose in."""
    line, traceback = 1, error.__traceback__
    while traceback:
        if traceback.tb_frame.f_code.co_filename == "<template>":
            line = template.get_corresponding_lineno(traceback.tb_lineno)
        traceback = traceback.tb_next
    return line


def _message(error: Exception) -> str:
    kind = "" if isinstance(error, TemplateError) else f"{type(error).__name__}: "
    # a SyntaxError's own words, without a line of the code that Jinja makes
    text = f"{kind}{error.msg if isinstance(error, SyntaxError) else error}"
    return text if len(text) <= 200 else text[:200] + "..."
