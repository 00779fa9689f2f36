"""Ends a run of a framework with one message."""

import sys
from typing import NoReturn

from mmeval_pack.translators.terminal import visible


def halt(message: str, code: int = 2) -> NoReturn:
    """Write the message to stderr and leave with an exit code.

    An ordinary exception would not do. lmms-eval tries the step again five times, prints a traceback and ends
    with exit code 0; VLMEvalKit prints one, goes on with the next dataset and ends with 0 as well. SystemExit
    passes through both.

    Raises:
        SystemExit: always.
    """
    sys.stderr.write(f"mmeval-pack: {visible(message)}\n")
    raise SystemExit(code)
