"""What is made of a reply's body: answers, faults, and what they cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mmeval_pack.judges.outcome import Answer, Fault, Usage, of_body


def body(**fields: Any) -> bytes:
    """A chat completion, with other fields than usual."""
    choice = {"message": {"role": "assistant", "content": "1"}, "finish_reason": "stop"}
    return json.dumps({"model": "m", "choices": [choice], **fields}).encode()


def usage(**counts: Any) -> Usage | None:
    """What a reply is understood to have cost."""
    outcome = of_body(body(usage=counts), str)
    assert isinstance(outcome, Answer)
    return outcome.usage


IMPOSSIBLE = [2**53 + 1, int("9" * 4300), -1, 1.5, "7", True, None, [], {}]


@pytest.mark.parametrize("count", IMPOSSIBLE[:2] + IMPOSSIBLE[3:], ids=lambda count: str(count)[:20])
def test_a_cost_that_cannot_be_is_not_reported(count: Any) -> None:
    """Without a prompt's tokens that make sense nothing is known."""
    assert usage(prompt_tokens=count, completion_tokens=3) is None


@pytest.mark.parametrize("count", IMPOSSIBLE, ids=lambda count: str(count)[:20])
def test_a_part_of_the_cost_that_cannot_be_is_0(count: Any) -> None:
    """Beside a prompt's tokens that make sense the other counts may be missing."""
    cached = {"cached_tokens": count}
    assert usage(prompt_tokens=7, completion_tokens=count, prompt_tokens_details=cached) == Usage(7, 0, 0)


def test_the_largest_cost_is_reported() -> None:
    """Up to the largest number that JSON holds exactly."""
    cached = {"cached_tokens": 2**53}
    most = usage(prompt_tokens=2**53, completion_tokens=2**53, prompt_tokens_details=cached)
    assert most == Usage(2**53, 2**53, 2**53)


@pytest.mark.parametrize("place", ["error", "finish_reason"])
def test_words_that_are_nested_deep_are_a_fault(place: str) -> None:
    """Around the depth at which they cannot be read, or be read and not be written."""
    for depth in range(900, 1010):
        deep = "[" * depth + "]" * depth
        choice = f'{{"message": {{"content": null}}, "{place}": {deep}}}'
        assert isinstance(of_body(f'{{"choices": [{choice}], "{place}": {deep}}}'.encode(), str), Fault)
