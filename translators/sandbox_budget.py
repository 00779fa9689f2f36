"""What a template may spend on one rendering, and the forecast for what would spend too much at once."""

from __future__ import annotations

from collections.abc import Collection, Sized
from typing import Any, cast

from jinja2 import TemplateSyntaxError, nodes, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

MAX_TURNS = 100_000  # loop turns of one rendering; one range holds no more either
MAX_WORK = 30_000_000  # budget of one rendering: characters, and OBJECT for each value
MAX_WIDTH = 1_000  # columns, digits or items that a filter, a method or a format may be asked for
MAX_BITS = 10_000  # of an integer
OBJECT = 50  # cost of a value beside its characters: about its bytes of memory
FILTER = 200  # cost of a filter or a test beside its arguments
CALL = 1_000  # cost of a call, which may be a macro's

# names of the two filters that the meter works by; no template can spell them
WEIGH = "-weigh"
TURNS = "-turns"

VIEWS: tuple[type[Collection[Any]], ...] = (type({}.keys()), type({}.values()), type({}.items()))
COLLECTIONS: tuple[type[Collection[Any]], ...] = (list, tuple, set, frozenset, *VIEWS)
# the result is at most as long as the subject times the arguments
PRODUCTS = frozenset({"format", "join", "replace", "sum"})
# the same, with integer arguments taken for their value
PADS = frozenset({"center", "expandtabs", "indent", "ljust", "rjust", "zfill"})
WIDTHS = PADS | {"batch", "round", "slice", "tojson", "truncate"}


class Budget(Context):
    """A rendering context that counts what is spent."""

    work = 0
    turns = 0

    def spend(self, cost: int) -> None:
        """Charge some work; raises SecurityError when the budget is used up."""
        self.work += cost
        if self.work > MAX_WORK:
            raise SecurityError(f"the template takes more than {MAX_WORK:,} units of work")


def weight(value: Any) -> int:
    """Cost of a value: its characters when written out, and ``OBJECT`` for each value in it.

    Counting stops above ``MAX_WORK``. Raises SecurityError at an integer of more than ``MAX_BITS`` bits.
    """
    if type(value) is str:  # most values of a prompt
        return OBJECT + len(value)
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


def forecast(context: Budget, name: str, subject: Any, arguments: list[Any]) -> None:
    """Charge an operation of ``PRODUCTS`` or ``WIDTHS`` before it runs."""
    factor = 1
    for argument in arguments:
        if name in WIDTHS and isinstance(argument, int):
            check_width(argument)
            factor += abs(argument)
        else:
            factor += len(argument) if isinstance(argument, str) else weight(argument)
    context.spend(weight(subject) * factor)


def check_width(width: int) -> None:
    """Raises SecurityError at a width above ``MAX_WIDTH``."""
    if abs(width) > MAX_WIDTH:
        raise SecurityError(f"a width, count or precision above {MAX_WIDTH:,}")


def check_format(text: str, arguments: list[Any]) -> None:
    """Check the widths of a format; any number in it is taken for one, since its keys may hold any text."""
    for run in "".join(character if character.isdecimal() else " " for character in text).split():
        check_width(int(run[:5]))
    if "*" in text:
        for argument in arguments:
            if isinstance(argument, int):
                check_width(argument)


def check_printf(context: Budget, text: str | bytes, arguments: Any) -> None:
    """Check and charge ``text % arguments`` before it runs."""
    given = list(arguments) if isinstance(arguments, tuple) else [arguments]
    check_format(text if isinstance(text, str) else repr(text), given)
    forecast(context, "format", text, given)


@pass_context
def weigh(context: Budget, value: Any) -> Any:
    """Filter that charges for a value and hands it on."""
    context.spend(weight(value))
    return value


@pass_context
def count_turns(context: Budget, value: Any) -> Any:
    """Filter that charges for the turns of a loop over a value and hands it on."""
    if not isinstance(value, Sized):
        raise SecurityError(f"a loop over {type(value).__name__}, expected a list")
    context.turns += len(value)
    if context.turns > MAX_TURNS:
        raise SecurityError(f"the template takes more than {MAX_TURNS:,} loop turns")
    return value


class Metered(NodeTransformer):
    """Sends the value of every expression through `weigh`, and of every loop through `count_turns`."""

    def visit(self, node: nodes.Node, *_: Any, **__: Any) -> Any:
        """The node, all within it rewritten; raises TemplateSyntaxError where it needs another file."""
        if isinstance(node, (nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport, nodes.Block)):
            raise TemplateSyntaxError(
                "include, import, extends and block are refused: a prompt stands alone", node.lineno
            )
        self.generic_visit(node)
        if isinstance(node, nodes.For):
            node.iter = _through(TURNS, node.iter)
        elif isinstance(node, nodes.CallBlock):
            node.call = cast(Any, node.call).node  # Jinja wants the bare Call here
        if isinstance(node, (nodes.AssignBlock, nodes.Macro, nodes.With)):
            # these may hold no expression, and stand by the thousand in a loop all the same
            return [nodes.ExprStmt(_through(WEIGH, nodes.Const(None, lineno=node.lineno))), node]
        if not isinstance(node, nodes.Expr) or isinstance(node, (nodes.NSRef, nodes.Slice)):
            return node
        return _through(WEIGH, node) if getattr(node, "ctx", "load") == "load" else node


def _through(name: str, node: Any) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
