"""The names that a prompt template reads from a row, and what a misspelt one most likely means.

A template that compiles is all that the functions take; one so deeply nested that it only just compiles reads
no name here.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher
from itertools import chain

from jinja2 import meta, nodes

from mmeval_pack.translators.sandbox import Sandbox

# fields of a row that no template gets to see: the truth, the model's words, and what is no text
HIDDEN = frozenset({"answer", "reference_response", "media", "messages", "response"})
ALIKE = 0.84  # share of equal characters from which two names are close
COMPARED = 60  # characters of a name that are compared


def read_by(source: str) -> frozenset[str]:
    """The names that a template takes from the row; those that it sets itself and the globals are none."""
    sandbox = Sandbox()
    finder = meta.TrackingCodeGenerator(sandbox)
    finder.optimizer = None  # else expressions of constants would be run here
    try:
        finder.visit(sandbox.parse(source))
    except RecursionError:
        return frozenset()
    return frozenset(finder.undeclared_identifiers)


def needed_by(source: str) -> frozenset[str]:
    """The names of `read_by`, without those whose absence the template provides for.

    It does so with a condition on the name (``if``, ``or``, ``is defined``) or the filter ``default``.
    """
    if not (read := read_by(source)):
        return read
    guarded = _guarded(Sandbox().parse(source))
    return read - {name.name for expression in guarded for name in _names(expression)}


def _guarded(tree: nodes.Template) -> Iterator[nodes.Node]:
    """The expressions that are there to ask whether a name is."""
    yield from (node.test for node in tree.find_all(nodes.If))
    yield from (node.test for node in tree.find_all(nodes.CondExpr))
    yield from (node.left for node in tree.find_all(nodes.Or))
    yield from (node.node for node in tree.find_all(nodes.Test) if node.name in ("defined", "undefined"))
    yield from (
        node.node for node in tree.find_all(nodes.Filter) if node.node and node.name in ("default", "d")
    )


def _names(expression: nodes.Node) -> Iterator[nodes.Name]:
    return chain([expression] if isinstance(expression, nodes.Name) else [], expression.find_all(nodes.Name))


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that is meant, where a name is a letter or two away from it; None where there is none.

    Names of one series (``choice_a`` and ``choice_e``, ``image1`` and ``image2``) are never meant for each
    other.
    """
    found = [(_likeness(name, other), other) for other in sorted(known) if other != name]
    likeness, other = max(found, default=(0.0, ""))
    return other if likeness >= ALIKE else None


def _likeness(name: str, other: str) -> float:
    one, two = name[:COMPARED].lower(), other[:COMPARED].lower()
    if one != two and (_series(one) == _series(two) or abs(len(one) - len(two)) > 2):
        return 0.0
    if sorted(one) == sorted(two):
        return 1.0
    return SequenceMatcher(None, one, two).ratio()


def _series(name: str) -> str:
    return re.sub(r"_?[0-9]+$|_[a-z]$", "", name)
