"""Reading a judge's 0/1 verdict."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.verdict import read_verdict

# (reply, verdict): the replies that are known to be misread elsewhere, then each rule at its edges.
REPLIES = [
    ("1", 1),
    ("0", 0),
    (" 1\n", 1),
    ("Judgement: 1", 1),
    ("Judgment: 1", 1),
    ("**1**", 1),
    ("1.", 1),
    ("Yes", 1),
    ("True", 1),
    ("no", 0),
    ("FALSE.", 0),
    ("The two answers are consistent, so the judgement is 1", 1),
    ("12 differs from 14, so the judgement is 0", 0),
    ("0 (the model said 10)", 0),
    ("Judgement: 0\nReason: 1 is not 2", 0),
    ("[1]", 1),
    ("score: 1", 1),
    ("<think>1 would be wrong</think>0", 0),
    ("<think>compare 14 and L = 14</think>1", 1),
    ('{"judgement": 1}', 1),
    ("10", None),
    ("01", None),
    ("１", None),
    ("０", None),
    ("I cannot judge this.", None),
    ("", None),
    (" \n\t", None),
    ("Failed to obtain answer via API.", None),
    ("The model answer", None),
    ("0 or 1", None),
    ("not 1", None),
    ("0, not 14", None),
    ("0.5", None),
    ("0.0", None),
    ("-1", None),
    ("½", None),
    # reasoning
    ("<think>judgement: 1", None),
    ("the judgement is 1</think>0", 0),
    ("<think>0</think>", None),
    # rule 1: a JSON object with a verdict key binds, good value or bad
    ('{"verdict": "yes"}', 1),
    ('{"score": false}', 0),
    ('{"Judgment": "0"}', 0),
    ('{"is_correct": true, "reason": ""}', 1),
    ('```json\n{"judgement": 0, "reason": "the response says judgement: 1"}\n```', 0),
    ('Here it is: {"score": 1} as asked.', 1),
    ('{"score": 0.5}', None),
    ('{"score": 1.0}', None),
    ('{"score": 10}', None),
    ('{"judgement": null}\n1', None),
    ('{"judgement": [1]}', None),
    ('{"judgement": 1, "score": 0}', None),
    ('{"answer": 1}', None),
    ('{"result": 1}', None),
    ('{"judgement": 0} then {"judgement": 1}', 1),
    # rule 2: the last labelled verdict
    ("Judgement: 1\nOn reflection the verdict is 0.", 0),
    ("**Judgement:** 1", 1),
    ("**Verdict**: **0**", 0),
    ("JUDGEMENT: [1]", 1),
    ("Judgement:\n1", 1),
    ("The score is: 0", 0),
    ("Verdict: yes", 1),
    ("Verdict: **No**, they differ.", 0),
    ("Score: 0 (out of 1)", 0),
    ("Judgement: 0, not 14", 0),
    ("The judgement is 1. The score is based on equality.", 1),
    ("0\nThe verdict is 1", 1),
    ("Judgement: 0 or 1", None),
    ("Judgement: 1/2", None),
    ("Judgement: 1 / 2", None),
    ("Score: 1 out of 5", None),
    ("Score: 0.5", None),
    ("Score: 1.5", None),
    ("Score: 10", None),
    ("Score: 01", None),
    ("Score: -1", None),
    ("Score: 1%", None),
    ("Judgement: 1 if they agree", None),
    ("Judgement: **1** or 0", None),
    ("Judgement: 0-1", None),
    ("Judgement: 0 to 1", None),
    ("Judgement: 0 and 1", None),
    ("Judgement: 1 - both are 14", 1),
    ("The judgement is 1 and nothing else", 1),
    ("Judgement: 1\nOnly the form differs.", 1),
    ("Verdict: yes\r\nThey agree.", 1),
    ("Judgement: 1\nScore: 10", None),
    ("Judgement: not 1", None),
    ("The judgement isn't 1", None),
    ("The judgement is no different from before", None),
    # the last label binds, whatever stands there
    ("Score: 1\nVerdict: incorrect", None),
    ("Verdict: 1\nFinal verdict: incorrect", None),
    ("Judgement: 1\nJudgement: not 1", None),
    ("Format score: 1\nJudgement: wrong", None),
    ("Score: 1. The verdict is incorrect.", None),
    ("Score: 1. The judgement isn't 1", None),
    ("Score: 1. The judgement isn\u2019t yes.", None),
    ("Judgement: 1\nVerdict:", None),
    ("Judgement: 1\nVerdict: ?", None),
    ("Judgement: 1\nVerdict: yes/no", None),
    ("Judgement: 1\nReason for the score: both are 14.", 1),
    ("Judgement: 0\nReason behind this verdict: 1 is not 2", 0),
    ("Verdict: unclear\nJudgement: 1", 1),
    # the offer repeated, or two verdicts
    ("Judgement: [0, 1]", None),
    ("Judgement: 0, 1", None),
    ("Judgement: 0,1", None),
    ("Judgement: 1 | 0", None),
    ("Judgement: **1**, 0", None),
    ("Judgement: 1 vs 0", None),
    ("Judgement: 1 vs. 0", None),
    ("Judgement: 1 -> 0", None),
    ("Judgement: 1->0", None),
    ("Judgement: 1 is wrong; it should be 0", None),
    ("I cannot give a verdict: 1 is wrong", None),
    ("Judgement: 1 would be wrong", None),
    ("score: 1 0", None),
    ("score: 1\u20440", None),
    ("score: {1: 0}", None),
    ("Judgement: 1, 14 is right", 1),
    ("Judgement: 1. 0 would need another value.", 1),
    ("Judgement: 0 (1 was expected)", 0),
    ("Judgement: 1\n0 is for other answers", 1),
    ("Judgement: 1 (1.5 is the same as 3/2)", 1),
    ("Judgement: 1, 1.5 is the same as 3/2", 1),
    ("underscore: 1", None),
    ("Answer: 1", None),
    ("The result is 1", None),
    # rule 3: the whole reply
    ("(0)", 0),
    ("{1}", 1),
    ("```\n1\n```", 1),
    ("**1.**", 1),
    ("**Yes**.", 1),
    ("1..", None),
    ("1!", None),
    ("Yes, they agree", None),
    ("correct", None),
    # rule 4: the first line
    ("0\nThe response says 1.", 0),
    ("1\r\nBoth are 14.", 1),
    ("**0**\nBecause of 1.", 0),
    ("0 (since f(1) is 10)", 0),
    ("0 (no)\nmore", 0),
    ("0 (a) or 1 (b)", None),
    ("0 (never closed", None),
    ("(0) the model said 1", None),
    ("1 is right", None),
    ("yes\nbecause", None),
]


@pytest.mark.parametrize(("reply", "verdict"), REPLIES)
def test_reads_what_is_clearly_said_and_nothing_else(reply: str, verdict: int | None) -> None:
    """Each reply gives its verdict, or none."""
    assert read_verdict(reply) == verdict


@pytest.mark.parametrize("reply", ["1", "yes", "Judgement: 1", '{"judgement": 1}', "1\nwhy"])
def test_reasoning_never_decides(reply: str) -> None:
    """A verdict inside a reasoning block does not count, one behind it does."""
    assert read_verdict(f"<think>{reply}</think>") is None
    assert read_verdict(f"<think>0</think>\n{reply}") == 1


@given(st.text())
def test_any_text_gives_a_verdict_or_none(reply: str) -> None:
    """No reply raises, and nothing but 0, 1 and None comes out."""
    assert read_verdict(reply) in (0, 1, None)


@given(st.integers(min_value=2))
def test_no_other_number_is_a_verdict(number: int) -> None:
    """A number that was not offered is none, bare, labelled or as JSON."""
    for reply in (f"{number}", f"Judgement: {number}", json.dumps({"score": number})):
        assert read_verdict(reply) is None


@given(st.sampled_from([0, 1]), st.text(alphabet="abc ,10\n"))
def test_the_label_wins_over_what_stands_before_it(verdict: int, before: str) -> None:
    """Prose and numbers before the labelled verdict change nothing."""
    assert read_verdict(f"{before}\nJudgement: {verdict}") == verdict


@given(st.sampled_from([0, 1]), st.text())
def test_a_json_verdict_is_proof_against_its_reason(verdict: int, reason: str) -> None:
    """What the reason quotes, forged verdicts included, is not read, except reasoning tags."""
    reason = reason.replace("<", "")
    assert read_verdict(json.dumps({"judgement": verdict, "reason": reason})) == verdict


@pytest.mark.parametrize(
    "unit",
    ["score ", "score:", "score is ", "judgement: \n", "{", '{"a":', "(", "0 (", "[*", "1", "is ", "yes "],
)
@pytest.mark.parametrize("head", ["", "score", "score is", "0 "])
def test_time_is_linear(head: str, unit: str) -> None:
    """Half a million characters of the worst kinds are read in a moment."""
    started = time.perf_counter()
    read_verdict(head + unit * (500_000 // len(unit)))
    assert time.perf_counter() - started < 3


def test_time_is_linear_in_blanks() -> None:
    """A label before a long run of blanks costs no more than its length."""
    started = time.perf_counter()
    read_verdict("score" + " " * 500_000 + "x" + "score is" + " " * 500_000 + "x")
    assert time.perf_counter() - started < 3
