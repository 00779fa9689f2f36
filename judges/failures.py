"""Tells a text that the framework wrote in place of a response from a response."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# What lmms-eval 0.7.3 puts where the model's text belongs: its API models after the last retry or once the
# token budget is spent, and its media generators.
PREFIXES: Final = ("[LMMS_EVAL_REQUEST_FAILED", "[LMMS_EVAL_BUDGET_EXCEEDED]", "[GENERATION_FAILED]")

# What its asynchronous API model makes of a reply without content. The whole text: after a tool call the same
# words stand in front of a good response.
NO_CONTENT: Final = 'Error: can only concatenate str (not "NoneType") to str'

# What VLMEvalKit puts there after the last retry, and when it is told to go on after an error.
VLMEVALKIT: Final = "Failed to obtain answer"

# What the logs of both hold for a reply without content.
NULL: Final = "None"


def is_generation_failure(response: str, offered: Iterable[str]) -> bool:
    """Whether the response is the framework's own failure text.

    Args:
        response: the text that came back in the model's name.
        offered: the row's truth and the texts of its options and choices: where one of them is the word
            ``None``, in any case, that word is an answer.
    """
    text = response.strip()
    if text == NULL:
        return all(word.strip().casefold() != NULL.casefold() for word in offered)
    return text == NO_CONTENT or text.startswith((*PREFIXES, VLMEVALKIT))
