"""Jinja for templates that others write: no way out of the template, and bounded time and memory.

Three things keep a template in its place:

* Policy. Attributes are open on plain data alone (text, lists, objects, loop variables), so that neither
  Python's internals nor a picture's ``save`` can be reached. Other templates cannot be named. Filters that are
  random, or slow by design, are not there; those that are lazy in Jinja give lists.
* A budget. The syntax tree is rewritten so that every value an expression yields is charged for: its length
  when written out, shared parts counted each time, since ``[x, x]`` nested forty times is small in memory and
  endless as text.
* A forecast for the operations that make much out of little (``*``, ``center``, ``replace`` ...): they are
  charged before they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from jinja2 import Template, TemplateSyntaxError, nodes, pass_context
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_TESTS
from jinja2.runtime import Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, SandboxedFormatter, SecurityError, safe_range
from jinja2.utils import Cycler, Joiner, Namespace
from jinja2.visitor import NodeTransformer

from mmeval_pack.judges.errors import InputError

MAX_SOURCE = 100_000  # characters of a template
MAX_OUTPUT = 1_000_000  # characters of a rendered prompt
MAX_TURNS = 100_000  # loop turns of one rendering; one range holds no more either
MAX_WORK = 50_000_000  # budget of one rendering: characters, and OBJECT for each value
MAX_WIDTH = 1_000  # columns, digits or items that a filter, a method or a format may be asked for
MAX_BITS = 10_000  # of an integer
OBJECT = 50  # cost of a value beside its characters: about its bytes of memory

WITHOUT_FILTERS = frozenset({"pprint", "random", "striptags", "urlize", "wordwrap", "xmlattr"})
WITHOUT_METHODS = frozenset({"encode", "format_map", "maketrans", "striptags", "translate", "unescape"})
OPEN_TYPES = (str, list, tuple, dict, LoopContext, Macro, Namespace, Cycler)
COLLECTIONS = (list, tuple, set, frozenset, type({}.keys()), type({}.values()), type({}.items()))
# the result is at most as long as the subject times the arguments
PRODUCTS = frozenset({"format", "join", "replace", "sum"})
# the same, with integer arguments taken for their value
WIDTHS = frozenset(
    {
        "batch",
        "center",
        "expandtabs",
        "indent",
        "ljust",
        "rjust",
        "round",
        "slice",
        "tojson",
        "truncate",
        "zfill",
    }
)


class PromptError(InputError):
    """A template that is broken, refused, or fails on a row."""


class Budget(Context):
    """A rendering context that counts what is spent."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.work = 0
        self.turns = 0

    def spend(self, cost: int) -> None:
        """Charge some work; raises SecurityError when the budget is used up."""
        self.work += cost
        if self.work > MAX_WORK:
            raise SecurityError(f"the template takes more than {MAX_WORK:,} units of work")


def weight(value: Any) -> int:
    """Cost of a value: its characters when written out, and ``OBJECT`` for each value in it.

    Counting stops above ``MAX_WORK``. Raises SecurityError at an integer of more than ``MAX_BITS`` bits.
    """
    total, pending = 0, [value]
    while pending and total <= MAX_WORK:
        item = pending.pop()
        total += OBJECT
        if isinstance(item, (str, bytes)):
            total += len(item)
        elif isinstance(item, int):
            if item.bit_length() > MAX_BITS:
                raise SecurityError(f"an integer of more than {MAX_BITS:,} bits")
        elif isinstance(item, dict):
            pending += [*item.keys(), *item.values()]
        elif isinstance(item, COLLECTIONS):
            pending += item
        elif isinstance(item, range):
            total += OBJECT * len(item)
    return total


def _forecast(context: Budget, name: str, subject: Any, arguments: list[Any]) -> None:
    """Charge an operation of ``PRODUCTS`` or ``WIDTHS`` before it runs."""
    factor = 1
    for argument in arguments:
        if name in WIDTHS and isinstance(argument, int):
            _check_width(argument)
            factor += abs(argument)
        else:
            factor += len(argument) if isinstance(argument, str) else weight(argument)
    context.spend(weight(subject) * factor)


def _check_width(width: int) -> None:
    if abs(width) > MAX_WIDTH:
        raise SecurityError(f"a width, count or precision above {MAX_WIDTH:,}")


def _check_format(text: str, arguments: list[Any]) -> None:
    """Check the widths of a printf format: any number in it is taken for one, since keys may hold any text."""
    for run in "".join(character if character.isdecimal() else " " for character in text).split():
        _check_width(int(run[:5]))
    if "*" in text:
        for argument in arguments:
            if isinstance(argument, int):
                _check_width(argument)


class _Formatter(SandboxedFormatter):
    """``str.format`` with its widths checked, after the nested fields of a format are filled in."""

    def format_field(self, value: Any, format_spec: str) -> str:
        _check_format(format_spec, [])
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
            for name, function in DEFAULT_FILTERS.items()
            if name not in WITHOUT_FILTERS
        }
        self.filters |= {"-weigh": _weigh, "-turns": _count_turns}
        self.tests = {name: _guarded(name, function) for name, function in DEFAULT_TESTS.items()}
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
        return _Format(self, value.__self__) if super().wrap_str_format(value) else None

    def call(self, context: Budget, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call, after the forecast for methods and functions that need one."""
        name = getattr(obj, "__name__", None)
        if name in PRODUCTS or name in WIDTHS:
            owner = getattr(obj, "__self__", None)
            values = [*([owner] if isinstance(owner, str) else []), *args, *kwargs.values()]
            _forecast(context, name, values[:1], values[1:])
        return super().call(context, obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """``*``, ``**`` and ``%``, after their forecast."""
        assert isinstance(context, Budget)
        if operator == "%" and isinstance(left, (str, bytes)):
            _check_printf(context, left, right)
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            if left.bit_length() * abs(right) > MAX_BITS:
                raise SecurityError(f"an integer of more than {MAX_BITS:,} bits")
        elif operator == "*":
            for one, other in ((left, right), (right, left)):
                if isinstance(one, int) and not isinstance(other, (int, float)):
                    context.spend(abs(one) * weight(other))
        return super().call_binop(context, operator, left, right)


def _check_printf(context: Budget, text: str | bytes, arguments: Any) -> None:
    given = list(arguments) if isinstance(arguments, tuple) else [arguments]
    _check_format(text if isinstance(text, str) else repr(text), given)
    _forecast(context, "format", text, given)


class _Namespace(Namespace):
    """A namespace that is not written out: two that hold each other, doubled, would have no end."""

    def __repr__(self) -> str:
        return "<namespace>"


def _guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter or test that is charged for its arguments, and gives a list where the original is lazy."""
    wish = getattr(function, "jinja_pass_arg", None)

    @pass_context
    def guarded(context: Budget, value: Any = None, *args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        if name in PRODUCTS or name in WIDTHS:
            _forecast(context, name, value, given)
            if name == "format":
                _check_format(str(value), given)
        else:
            context.spend(weight([value, *given]))
        first = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        lead = (first[wish.name],) if wish else ()
        result = function(*lead, value, *args, **kwargs)
        return list(result) if isinstance(result, Iterator) else result

    return guarded


@pass_context
def _weigh(context: Budget, value: Any) -> Any:
    context.spend(weight(value))
    return value


@pass_context
def _count_turns(context: Budget, value: Any) -> Any:
    context.turns += len(value)
    if context.turns > MAX_TURNS:
        raise SecurityError(f"the template takes more than {MAX_TURNS:,} loop turns")
    return value


class _Metered(NodeTransformer):
    """Sends the value of every expression through ``_weigh``, and of every loop through ``_count_turns``."""

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        if isinstance(node, (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport, nodes.Block)):
            raise TemplateSyntaxError(
                f"{{% {type(node).__name__.lower()} %}} is refused: a prompt template stands alone",
                node.lineno,
            )
        node = self.generic_visit(node)
        if isinstance(node, nodes.For):
            node.iter = _through("-turns", node.iter)
        elif isinstance(node, nodes.CallBlock):
            node.call = node.call.node  # type: ignore[assignment,attr-defined] # it must stay a Call
        loads = getattr(node, "ctx", "load") == "load" and not isinstance(node, (nodes.Const, nodes.Slice))
        return _through("-weigh", node) if isinstance(node, nodes.Expr) and loads else node


def _through(name: str, node: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


_SANDBOX = Sandbox()


def compile_template(source: str) -> Template:
    """Compile a template, with Jinja's default settings.

    Raises:
        PromptError: the source is too long, no Jinja, or reaches for other templates.
    """
    if len(source) > MAX_SOURCE:
        raise PromptError(f"the template has {len(source):,} characters, expected {MAX_SOURCE:,} at most")
    try:
        tree = _Metered().visit(_SANDBOX.parse(source))
        code = _SANDBOX.compile(tree.set_environment(_SANDBOX))
    except RecursionError:
        raise PromptError("the template is nested too deeply") from None
    except TemplateSyntaxError as error:
        raise PromptError(f"template line {error.lineno}: {error.message}") from None
    except (SyntaxError, MemoryError, ValueError, OverflowError) as error:
        # Python's own limits on the code that Jinja makes, and on literals
        raise PromptError(f"the template cannot be compiled: {error}") from None
    return Template.from_code(_SANDBOX, code, _SANDBOX.globals)


def render(template: Template, variables: Mapping[str, Any]) -> str:
    """Render a compiled template.

    Raises:
        PromptError: the template fails on these variables, or oversteps a limit.
    """
    pieces, size = [], 0
    try:
        for piece in template.root_render_func(template.new_context(dict(variables))):
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
    text = str(error) or type(error).__name__
    return text if len(text) <= 200 else text[:200] + "..."
