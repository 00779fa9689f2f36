"""Whether the number of a response agrees with a numeric truth."""

from __future__ import annotations

from mmeval_pack.judges.improved.numbers import Number, numbers_in
from mmeval_pack.judges.improved.plain import plain
from mmeval_pack.judges.numbers import equal
from mmeval_pack.judges.params import Params

_ROUNDING = 1e-9


def agrees(number: Number, truth: object, params: Params) -> bool:
    """Whether the number equals one of the truth's references within the tolerances.

    A truth in percent is also met by its bare figure (``24`` for ``24%``).
    """
    for reference in truth if isinstance(truth, list) else [truth]:
        found = numbers_in(plain(str(reference)))
        if len(found) == 1 and _equal(number, found[0], params):
            return True
    return False


def is_number(truth: object) -> bool:
    """Whether some reference of the truth is one number that a response can give (``nan`` is none)."""
    references = truth if isinstance(truth, list) else [truth]
    return any(len(numbers_in(plain(str(reference)))) == 1 for reference in references)


def _equal(number: Number, truth: Number, params: Params) -> bool:
    values = [number.value]
    if truth.percent and not number.percent:
        values.append(number.value / 100)
    tolerance = max(params.numeric_rel_tol, _ROUNDING)
    return any(equal(value, truth.value, tolerance, params.numeric_abs_tol) for value in values)
