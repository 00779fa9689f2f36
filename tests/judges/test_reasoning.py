"""What counts as reasoning and what is left as the answer."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.reasoning import Separated, separate

TAGS = ["<think>", "</think>", "<THINKING >", "</thinking\n>", "<analysis>", "</Analysis>"]
RESPONSES = st.lists(st.sampled_from([*TAGS, "<", "</", "think", ">", " ", "A", "<thinks>", "<answer>"])).map(
    "".join
)


@pytest.mark.parametrize(
    "response",
    [
        "",
        " B ",
        "<answer>B</answer>",
        "<thinks>x</thinks>B",
        "</ think>B",
        "<think B",
        "I think > B",
        "<thin\u212a>B",  # the Kelvin sign is no k
    ],
)
def test_text_without_a_tag_is_the_answer_as_it_stands(response: str) -> None:
    """Nothing is trimmed or otherwise changed."""
    assert separate(response) == Separated(response, "none")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("<think>Is it A?</think> B ", "B"),
        ("<Thinking >x</THINKING\n> B", "B"),
        ("<analysis>x</analysis>B", "B"),
        ("The <think>x</think>answer is <analysis>y</analysis>B", "The answer is B"),
        ("<think>x</think>", ""),
        ("<think>a <think> b</think>B", "B"),  # a tag inside a block is its content
        ("<think>the </analysis> tag</think>B", "B"),
        ("<think>a<think>b</think>c</think>B", "B"),  # nested: the second end is a lone one
        ("Is it A? No.</think>B", "B"),
        ("A</think>B</think>C", "C"),
        ("A</think>B<think>x</think>C", "BC"),
        ("<think>x</think>A</think>B", "B"),
        ("A</think>", ""),
    ],
)
def test_reasoning_is_removed_and_the_rest_stripped(response: str, answer: str) -> None:
    """Closed blocks go, and all before a lone closing tag."""
    assert separate(response) == Separated(answer, "stripped")


@pytest.mark.parametrize(
    "response",
    [
        "<think>Is it A? Or",
        "<think>",
        "B <analysis>wait",
        "<think>x</think>B<think>",
        "<think>x</thinking>B",  # ended by another block's name: not ended
        "x</think><think>B",
    ],
)
def test_a_block_that_is_never_closed_leaves_no_answer(response: str) -> None:
    """The model ran out of tokens while reasoning."""
    assert separate(response) == Separated(None, "stripped")


@given(RESPONSES)
@settings(deadline=None)
def test_removing_blocks_by_hand_gives_the_same(response: str) -> None:
    """Against a plain rewriting that cuts at the first tag until none is left."""
    tag = re.compile(r"<(/?)(thinking|think|analysis)\s*>", re.IGNORECASE)
    text: str | None = response
    kept = ""
    while text is not None and (first := tag.search(text)):
        if first[1]:
            kept, text = "", text[first.end() :]
            continue
        close = re.compile(rf"</{first[2]}\s*>", re.IGNORECASE).search(text, first.end())
        kept += text[: first.start()]
        text = text[close.end() :] if close else None
    if text is None:
        assert separate(response) == Separated(None, "stripped")
    elif tag.search(response):
        assert separate(response) == Separated((kept + text).strip(), "stripped")
    else:
        assert separate(response) == Separated(response, "none")


@given(RESPONSES)
@settings(deadline=None)
def test_an_answer_holds_no_more_reasoning_than_its_own_pieces_make(response: str) -> None:
    """Unless cutting joined two halves of a tag, an answer is left unchanged by a second pass."""
    answer = separate(response).answer
    if answer is not None and "<" not in re.sub(
        r"</?(thinking|think|analysis)\s*>", "", response, flags=re.IGNORECASE
    ):
        assert separate(answer) == Separated(answer, "none")


@pytest.mark.parametrize(
    "text",
    [
        "<think>" * 140_000,
        "</think>" * 125_000,
        "<think></think>" * 66_000,
        "<think" + " " * 10**6,
        "<think   " * 111_000,
        "<" * 10**6,
    ],
    ids=["open", "close", "pairs", "spaces", "unfinished", "angles"],
)
def test_a_million_characters_are_separated_at_once(text: str) -> None:
    """The scan is linear."""
    start = time.process_time()
    separate(text)
    assert time.process_time() - start < 0.6
