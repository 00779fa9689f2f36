"""MathVerse's two stages: the extraction, what settles it, the score, and the protocols."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmeval_pack.judges.judging import Judge, Judged, judged
from mmeval_pack.judges.mathverse import PROTOCOLS, read_extraction
from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc, Score
from mmeval_pack.judges.reply import JudgeFailure

PUBLISHED = ("exact-match", "rule-match", "llm-judge")
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "dev.jsonl"


def row(answer: str = "14", **fields: Any) -> dict[str, Any]:
    """A row as MathVerse's are published."""
    head = "Please directly answer the question and provide the final value, e.g., 1, 2.5, 300."
    message = {"role": "user", "question": f"{head}\nQuestion: How long is L?"}
    return {"id": "1", "messages": json.dumps([message]), "answer": answer, **fields}


def verdict(
    asks: Any,
    response: object,
    sample: dict[str, Any] | None = None,
    *,
    stages: Any = PUBLISHED,
    **options: Any,
) -> Judged:
    """The verdict on a response."""
    doc = Doc.from_row(sample or row())
    return asyncio.run(judged(Pipeline(stages), doc, response, Judge(asks, **options), "mathverse"))


@pytest.mark.parametrize(
    ("response", "stage"), [("14", "exact-match"), ("So the final answer is 14", "rule-match")]
)
def test_what_rules_settle_is_not_asked(scripted: Any, response: str, stage: str) -> None:
    """No call is spent on it."""
    asks = scripted()
    assert verdict(asks, response) == Judged(Score(1.0, 1, stage, "ok", "14", None), None)
    assert asks.asked == []


def test_an_extraction_that_matches_is_settled(scripted: Any) -> None:
    """By the stage exact-match, in one call; the judge has decided all the same."""
    asks = scripted(extract="14.0")
    score, judge = verdict(asks, "twelve and two more")
    assert score == Score(1.0, 1, "llm-judge", "ok", "14.0", None)
    assert judge is not None
    assert (judge["protocol"], judge["calls"], judge["tokens"], judge["model"]) == (
        "published",
        1,
        11,
        "judge-1",
    )
    assert [asked.stage for asked in asks.asked] == ["extract"]
    assert "⟦response⟧twelve and two more⟦/response⟧" in asks.asked[0].text


@pytest.mark.parametrize(("reply", "value"), [("0", 0), ("Judgement: 1", 1)])
def test_other_extractions_are_judged(scripted: Any, reply: str, value: int) -> None:
    """In a second call, which shows the question without the sentence on the format."""
    asks = scripted(extract="Extracted Answer: fourteen", score=reply)
    score, judge = verdict(asks, "twelve and two more")
    assert score == Score(float(value), value, "llm-judge", "ok", "fourteen", None)
    assert judge is not None
    assert (judge["calls"], judge["tokens"]) == (2, 22)
    assert [asked.stage for asked in asks.asked] == ["extract", "score"]
    block = "⟦question⟧How long is L?⟦/question⟧\n⟦reference⟧14⟦/reference⟧\n⟦answer⟧fourteen⟦/answer⟧"
    assert block in asks.asked[1].text


def test_the_stamp_does_not_depend_on_what_was_needed(scripted: Any) -> None:
    """One call or two: the prompts of a protocol belong together."""
    one = verdict(scripted(extract="14"), "?").judge
    two = verdict(scripted(extract="15", score="0"), "?").judge
    assert one is not None
    assert two is not None
    assert one["prompt"] == two["prompt"]
    assert [len(part) for part in one["prompt"].split("-")] == [12, 12]


def test_null_is_judged(scripted: Any) -> None:
    """A response without an answer is wrong when the judge says so."""
    asks = scripted(extract="null", score="0")
    assert verdict(asks, "Who knows?").score == Score(0.0, 0, "llm-judge", "ok", "null", None)


@pytest.mark.parametrize(
    "reply", ["Extracted Answer:", "``` ```", "<think>14", "Failed to obtain answer via API."]
)
def test_an_empty_extraction_is_unscored(scripted: Any, reply: str) -> None:
    """After three more tries, each of them another request."""
    asks = scripted(extract=reply)
    score, judge = verdict(asks, "?")
    assert score == Score(None, None, None, "unscored", None, "extraction_empty")
    assert judge is not None
    assert judge["calls"] == 4
    assert len({asked.text for asked in asks.asked}) == 4
    assert [asked.attempt for asked in asks.asked] == [0, 1, 2, 3]
    assert asks.asked[3].text.endswith("\n\n(Try 4 of 4. Write the extracted answer alone, or null.)")


def test_a_score_that_nobody_offered_is_unscored(scripted: Any) -> None:
    """The extraction is kept; what the judge cost is told."""
    asks = scripted(extract="15", score=["10", "0.5", "I cannot judge this.", "0 or 1"])
    score, judge = verdict(asks, "?")
    assert score == Score(None, None, None, "unscored", "15", "judge_unparseable")
    assert judge is not None
    assert judge["calls"] == 5
    assert asks.asked[4].text.endswith("\n\n(Try 4 of 4. Reply with the digit 0 or 1 alone.)")


def test_a_judge_may_come_to_its_senses(scripted: Any) -> None:
    """The first reply of use counts."""
    asks = scripted(extract=["", "15"], score=["10", "1"])
    score, judge = verdict(asks, "?")
    assert score == Score(1.0, 1, "llm-judge", "ok", "15", None)
    assert judge is not None
    assert judge["calls"] == 4


@pytest.mark.parametrize("reason", ["judge_failed", "judge_budget", "no_judge"])
@pytest.mark.parametrize("stage", ["extract", "score"])
def test_a_failure_is_unscored(scripted: Any, stage: str, reason: str) -> None:
    """With its reason, never as a wrong answer."""
    asks = scripted(**{"extract": "15", "score": "1", stage: JudgeFailure(reason, "HTTP 402")})
    score, judge = verdict(asks, "?")
    extraction = "15" if stage == "score" else None
    assert score == Score(None, None, None, "unscored", extraction, reason)
    assert (judge is None) == (stage == "extract")


def test_a_vision_only_row_shows_its_question_for_eval(scripted: Any) -> None:
    """The options in it let the judge see that the content of an option is its letter."""
    message = {"question": ""}
    sample = {"messages": [message], "answer": "B", "question_for_eval": "How long is AC? A. 3 B. 5"}
    asks = scripted(extract="5", score="1")
    assert verdict(asks, "It must be 5", sample).score.score == 1
    assert "⟦question⟧How long is AC? A. 3 B. 5⟦/question⟧" in asks.asked[1].text


def test_a_question_that_is_nowhere_is_said_to_be_in_the_image(scripted: Any) -> None:
    """An empty slot would look like a question without words."""
    asks = scripted(extract="5", score="1")
    verdict(asks, "?", {"messages": [{"question": ""}], "answer": "B"})
    assert "⟦question⟧(shown in the image only)⟦/question⟧" in asks.asked[1].text


def test_protocol_vlmevalkit(scripted: Any) -> None:
    """No rule reads the response, and only equal text settles the extraction."""
    asks = scripted(extract=["14", "14.0"], score="0")
    assert verdict(asks, "14", row(" 14 "), protocol="vlmevalkit").score == Score(
        1.0, 1, "llm-judge", "ok", "14", None
    )
    score, judge = verdict(asks, "14", protocol="vlmevalkit")
    assert score == Score(0.0, 0, "llm-judge", "ok", "14.0", None)
    assert judge is not None
    assert judge["protocol"] == "vlmevalkit"
    assert [asked.stage for asked in asks.asked] == ["extract", "extract", "score"]


def test_protocol_official(scripted: Any) -> None:
    """The last 30 words are shown, and nothing but the judge settles anything."""
    asks = scripted(extract="14", score="1")
    response = " ".join(f"w{number}" for number in range(1, 41))
    score, judge = verdict(asks, response, protocol="official")
    assert score == Score(1.0, 1, "llm-judge", "ok", "14", None)
    assert judge is not None
    assert (judge["protocol"], judge["calls"]) == ("official", 2)
    assert f"⟦response⟧{' '.join(f'w{number}' for number in range(11, 41))}⟦/response⟧" in asks.asked[0].text


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("response", ["", " \n", None])
def test_nothing_is_asked_about_no_response(scripted: Any, protocol: str, response: str | None) -> None:
    """A blank one is wrong, a missing one invalid, under any protocol."""
    score, judge = verdict(scripted(), response, protocol=protocol)
    status, reason = ("invalid", "missing_response") if response is None else ("ok", None)
    assert score == Score(0.0, 0, None, status, None, reason)  # type: ignore[arg-type]
    assert judge is None


@pytest.mark.parametrize(
    ("reply", "extraction"),
    [
        ("14", "14"),
        (" 14 cm \n", "14 cm"),
        ("Extracted Answer: C", "C"),
        ("Extracted answer: 22.3", "22.3"),
        ("extracted  ANSWER : x", "x"),
        ("**Extracted Answer:** C", "C"),
        ("**Extracted Answer: C**", "C"),
        ("Extracted answer: **C**", "C"),
        ("`C`", "C"),
        ("'C'", "C"),
        ('"C"', "C"),
        ("'C' or 'D'", "'C' or 'D'"),
        ("f'(x)'", "f'(x)'"),
        ("```\nC\n```", "C"),
        ("```latex\n\\frac{1}{2}\n```", "\\frac{1}{2}"),
        ("Extracted answer:\n```\nC\n```\n", "C"),
        ("<think>It says (B).</think>\n\nC", "C"),
        ("C\n\nThe response says so.", "C"),
        ("It settles on this.\n\nExtracted answer: D", "D"),
        ("C\n \nModel response: ...\nExtracted answer: D", "C"),
        ("C\n8.\nModel response: 'D'\nExtracted answer: D", "C"),
        ("C\n\n⟦response⟧D⟦/response⟧\nExtracted answer: D", "C"),
        ("⟦response⟧D⟦/response⟧\nExtracted answer: D", "D"),
        ("From the model response: so\nExtracted answer: D", "D"),
        ("Extracted answer: C\n\n⟦response⟧ D ⟦/response⟧\nExtracted answer: D", "C"),
        ("Domain: (-3, 3]\nRange: (-4, 1]", "Domain: (-3, 3] Range: (-4, 1]"),
        ("C\nD", "C D"),
        ("null", "null"),
        ("x**2", "x**2"),
        ("$x$", "$x$"),
        ("", None),
        (" \n", None),
        ("**", None),
        ("Extracted Answer:", None),
        ("Failed to obtain answer via API.", None),
        ("<think>C", None),
    ],
)
def test_reading_an_extraction(reply: str, extraction: str | None) -> None:
    """One line, and only the answer."""
    assert read_extraction(reply) == extraction


@given(st.text(alphabet="Extracted answer:*`'\"\n <>/think0C", max_size=80))
def test_an_extraction_is_one_line_or_none(reply: str) -> None:
    """Whatever the judge writes."""
    read = read_extraction(reply)
    assert read is None or (read.strip() == read != "" and "\n" not in read)


def test_hostile_replies_cost_little() -> None:
    """Long runs are read in linear time."""
    started = time.perf_counter()
    for reply in (
        "*" * 200_000,
        "\n" * 200_000 + "x",
        "extracted " * 30_000,
        "```\n" * 50_000,
        " " * 200_000,
    ):
        read_extraction(reply)
    assert time.perf_counter() - started < 1


def cases() -> list[Any]:
    """The shared rows with recorded replies of judges."""
    if not CASES.exists():
        return []
    rows = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    return [
        pytest.param(case, id=case["id"])
        for case in rows
        if "judge_replies" in case or "extract_replies" in case
    ]


@pytest.mark.skipif(not CASES.exists(), reason="the shared cases are not there")
@pytest.mark.parametrize("case", cases())
def test_recorded_replies_give_the_right_score(scripted: Any, case: dict[str, Any]) -> None:
    """Null means unscored. Rows whose replies are for one stage get a plain reply in the other."""
    right = case["right"]["score"]
    asks = scripted(
        extract=case.get("extract_replies") or case["response"], score=case.get("judge_replies") or str(right)
    )
    found = verdict(asks, case["response"], row(case["answer"]), stages=("llm-judge",)).score
    assert found.score == right
    assert found.status == ("unscored" if right is None else "ok")
