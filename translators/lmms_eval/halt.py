"""Ends a run of lmms-eval with one message."""

import sys
from typing import NoReturn


def halt(message: str, code: int = 2) -> NoReturn:
    """Write the message to stderr and leave with an exit code.

    An ordinary exception would not do: lmms-eval tries the step again five times, prints a traceback and
    ends with exit code 0. SystemExit passes through it.

    Raises:
        SystemExit: always.
    """
    sys.stderr.write(f"mmeval-pack: {message}\n")
    raise SystemExit(code)
