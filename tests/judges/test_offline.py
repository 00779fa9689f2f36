"""Lines of recorded responses, and the verdicts written into them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.figures import merged
from mmeval_pack.judges.lines import Chunk, Line
from mmeval_pack.judges.metrics import Tally
from mmeval_pack.judges.offline import Offline, Scored
from mmeval_pack.judges.records import Score
from mmeval_pack.judges.ways import Declared

MESSAGE = {"question": "Which?", "options": {"A": "cat", "B": "dog"}}
SAMPLE = {"id": "1", "messages": [MESSAGE], "answer": "B"}
LINE = {"sample": SAMPLE, "response": "(B)"}
VERDICT_KEYS = Score._fields
TASKS = {
    "exact_mmeval": Declared(("exact-match",), {}),
    "contains_mmeval": Declared(("exact-match",), {"string_match": "contains"}),
    "judged_mmeval": Declared(("exact-match", "llm-judge"), {"rubric": "binary"}),
}

# Small parts: the point is which keys meet which kinds of values.
SCALARS = st.sampled_from([None, True, 0, 1.5, "", "B", "(B)", "exact-match", "anls", "none", "<think>"])
NAMES = st.sampled_from([*LINE, "task", "pipeline", "params", "reasoning", "rules", "messages", "answer"])
FLAT = SCALARS | st.text(max_size=8) | st.lists(SCALARS, max_size=2)
ANY = FLAT | st.dictionaries(NAMES, FLAT, max_size=3)
OBJECTS = st.dictionaries(NAMES | st.text(max_size=4), ANY, max_size=8)
GOOD = st.fixed_dictionaries(
    {
        "sample": st.fixed_dictionaries(
            {
                "messages": st.lists(st.just(MESSAGE) | OBJECTS, max_size=2),
                "answer": ANY,
            }
        ),
        "response": ANY,
    },
    optional={
        "pipeline": st.sampled_from([None, [], ["exact-match"], ["anls"], ["vqa-accuracy"], ["llm-judge"]]),
        "params": st.sampled_from([None, {}, {"threshold": 0.2}, {"string_match": "contains"}]),
        "task": st.sampled_from([None, *TASKS]),
        "reasoning": ANY,
        "extra": ANY,
        "score": ANY,
    },
)


def resolve(name: str) -> Declared:
    """The tasks above."""
    if name not in TASKS:
        raise InputError(f"no task is called {name!r}")
    return TASKS[name]


def offline(**options: Any) -> Offline:
    """With those tasks and no other layout."""
    return Offline(resolve, lambda record: record, **options)


def chunk(*values: Any) -> Chunk:
    """Values as lines of one chunk."""
    data = [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]
    return Chunk(0, tuple(Line(number, line) for number, line in enumerate(data, start=1)))


def written(text: bytes) -> list[dict[str, Any]]:
    """The objects of the lines."""
    return [json.loads(line) for line in text.splitlines()]


def tally(scored: Scored) -> Tally:
    """The figures of a chunk, whatever the tasks."""
    return merged(scored.figures.values()).tally


def verdict(scorer: Offline | None = None, **changes: Any) -> Score:
    """The verdict on a line."""
    scored = (scorer or offline()).chunk(chunk({**LINE, **changes}))
    assert scored.broken == ()
    (line,) = written(scored.text)
    return Score(*(line[key] for key in VERDICT_KEYS))


def fault(line: Any) -> str:
    """Why a line is left out."""
    scored = offline().chunk(chunk(line))
    assert (scored.text, tally(scored).samples) == (b"", 0)
    ((number, reason),) = scored.broken
    assert number == 1
    return reason


def test_the_same_object_with_a_verdict() -> None:
    """Other keys keep their place and value; the verdict comes last."""
    scored = offline().chunk(chunk({"cid": 7, **LINE, "peer": {"score": 0.0}}))
    assert (
        scored.text
        == (
            json.dumps({"cid": 7, **LINE, "peer": {"score": 0.0}})[:-1]
            + ', "score": 1.0, "is_correct": 1, "decided_by": "rule-match", "status": "ok", '
            '"extraction": "B", "reason": null}\n'
        ).encode()
    )
    assert (scored.broken, tally(scored).status) == ((), {"ok": 1})


def test_a_line_that_was_scored_is_scored_again() -> None:
    """To the same bytes; and what an earlier judge cost does not stay beside a verdict of the rules."""
    first = offline().chunk(chunk(LINE)).text
    assert offline().chunk(chunk(first)).text == first
    stale = {**LINE, "score": None, "status": "unscored", "judge": {"model": "m"}}
    (line,) = written(offline().chunk(chunk(stale)).text)
    assert (line["score"], line["status"], "judge" in line) == (1.0, "ok", False)


def test_improved_rules_mark_their_verdicts() -> None:
    """They compare with no published figure; rules that agree with it are not named."""
    line = {**LINE, "response": "(A)"}
    (improved,) = written(offline(rules="improved").chunk(chunk(line)).text)
    assert improved["rules"] == "improved"
    (parity,) = written(offline().chunk(chunk(improved)).text)
    assert "rules" not in parity
    (other,) = written(offline().chunk(chunk({**line, "rules": ["of the house"]})).text)
    assert other["rules"] == ["of the house"]


@pytest.mark.parametrize("pipeline", [{}, {"pipeline": None}, {"pipeline": []}])
def test_the_default_pipeline(pipeline: dict[str, Any]) -> None:
    """Absent, null or empty."""
    assert verdict(**pipeline).decided_by == "rule-match"


def test_a_task_gives_pipeline_and_params() -> None:
    """Those of its metadata."""
    assert verdict(task="exact_mmeval").decided_by is None
    sample = {"messages": [{"question": "Who?"}], "answer": "Ada"}
    assert verdict(task="contains_mmeval", sample=sample, response="It is Ada.").score == 1
    assert verdict(task="exact_mmeval", sample=sample, response="It is Ada.").score == 0


def test_pipeline_and_params_win_over_the_task() -> None:
    """Params of the line replace the task's; a pipeline of the line replaces the task, known or not."""
    sample = {"messages": [{"question": "Who?"}], "answer": "Ada"}
    changes = {"sample": sample, "response": "It is Ada."}
    assert verdict(task="exact_mmeval", params={"string_match": "contains"}, **changes).score == 1
    assert verdict(task="contains_mmeval", params={}, **changes).score == 0
    assert verdict(task="contains_mmeval", pipeline=["exact-match"], **changes).score == 0
    assert verdict(task="of another pack", pipeline=[]).decided_by == "rule-match"


def test_a_stage_that_asks_a_judge() -> None:
    """Reached or not."""
    assert verdict(task="judged_mmeval", response="B")[:4] == (1.0, 1, "exact-match", "ok")
    assert verdict(task="judged_mmeval") == Score(None, None, None, "unscored", None, "no_judge")


@pytest.mark.parametrize("messages", [{}, {"messages": None}, {"messages": []}, {"messages": "[]"}])
def test_a_sample_without_a_message_is_invalid(messages: dict[str, Any]) -> None:
    """The response has no place in it."""
    score = verdict(sample={"id": "1", "answer": "B", **messages})
    assert score == Score(0.0, 0, None, "invalid", None, "missing_response")


@pytest.mark.parametrize(
    "sample",
    [
        {"messages": json.dumps([MESSAGE]), "answer": "B"},
        {"messages": [{**MESSAGE, "answer": "B"}]},
        {"messages": [MESSAGE, {"role": "user"}], "answer": "B"},
    ],
)
def test_rows_of_every_layout(sample: dict[str, Any]) -> None:
    """Messages as text, the answer within the first one, several messages."""
    assert verdict(sample=sample)[:4] == (1.0, 1, "rule-match", "ok")


def test_reasoning() -> None:
    """Off where a log says so or all is to be stripped; the key may hold anything else."""
    line = {**LINE, "response": "<think>A?</think>B", "pipeline": ["exact-match"]}
    scores = [
        verdict(offline(strip_reasoning=strip), **line, reasoning=reasoning).decided_by
        for reasoning in ("stripped", "none", "A?", ["stripped"], None)
        for strip in (False, True)
    ]
    assert scores == ["exact-match", "exact-match", *[None, "exact-match"] * 4]


def test_none_in_a_line_of_a_log() -> None:
    """A key that a log of the pack has tells it from other lines."""
    assert verdict(response="None", reasoning="none").reason == "generation_failed"
    assert verdict(response="None", reasoning="because").status == "ok"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({}, "lacks sample and response; expected an object with sample and response"),
        ({"sample": SAMPLE}, "lacks response; expected an object with sample and response"),
        ({"response": "B"}, "lacks sample; expected an object with sample and response"),
        ({**LINE, "sample": "B"}, "sample is 'B', expected a row, an object"),
        ({**LINE, "sample": {"messages": 5}}, "row None: messages is int, expected a list"),
        ({**LINE, "task": 5}, "task is 5, expected a task's name"),
        ({**LINE, "task": "exact"}, "no task is called 'exact'"),
        (
            {**LINE, "pipeline": "exact-match"},
            "score pipeline is 'exact-match', expected a list of stage names",
        ),
        ({**LINE, "params": []}, "params is [], expected an object"),
        (
            {**LINE, "params": {"numeric_rel_tol": True}},
            "numeric_rel_tol is True, expected a finite number of at least 0",
        ),
        (b"{", "not JSON: Expecting property name enclosed in double quotes (column 2)"),
        (
            json.dumps(LINE).replace('"1"', "1e999").encode(),
            "a number beyond the range of a double; write it as text",
        ),
    ],
)
def test_broken_lines(line: Any, reason: str) -> None:
    """Each with its reason; it counts in no figure."""
    assert fault(line) == reason


def test_faults_are_told_briefly() -> None:
    """However long what they quote is."""
    assert fault({**LINE, "task": "x" * 10**6}) == f"task is '{'x' * 76}..., expected a task's name"
    long = fault({**LINE, "sample": {"id": "x" * 10**6, "messages": 5}})
    assert (long[:12], long[-3:], len(long)) == ("row 'xxxxxxx", "...", 1000)


def test_depth_within_the_text_of_messages() -> None:
    """It is not seen before the row is read."""
    text = json.dumps({**LINE, "sample": {"messages": "[" * 100_000}})
    assert fault(text.encode()).startswith(("row None: messages is no JSON text", "nested more than 200"))


def test_equal_values_of_other_types_are_other_params() -> None:
    """1 is a tolerance and true is none, in whatever order they come."""
    scored = offline().chunk(
        chunk(*({**LINE, "params": {"numeric_abs_tol": value}} for value in (1, True, 1)))
    )
    assert [number for number, _ in scored.broken] == [2]


def test_good_lines_are_scored_beside_broken_ones() -> None:
    """In their order."""
    scored = offline().chunk(chunk({**LINE, "n": 1}, b"no JSON", {**LINE, "n": 3}, {}))
    assert [line["n"] for line in written(scored.text)] == [1, 3]
    assert [number for number, _ in scored.broken] == [2, 4]
    assert tally(scored).samples == 2


def test_a_task_is_looked_up_once() -> None:
    """Found or not: looking takes longer than scoring."""
    asked = []

    def count(name: str) -> Declared:
        asked.append(name)
        return resolve(name)

    values = [{**LINE, "task": name} for name in ("exact_mmeval", "nowhere")] * 50
    Offline(count, lambda record: record).chunk(chunk(*values))
    assert asked == ["exact_mmeval", "nowhere"]


def test_many_declarations_do_not_pile_up() -> None:
    """A file may declare other params in each line, or huge ones."""
    scorer = offline()
    for number in range(2000):
        for scale in (number, "x" * 5000):
            scorer.chunk(chunk({**LINE, "params": {"scale": scale}}))
    assert len(scorer._ways._found) <= 256


@settings(max_examples=50)
@given(st.lists(OBJECTS | GOOD, max_size=6))
def test_no_object_raises_and_none_is_lost(values: list[dict[str, Any]]) -> None:
    """A line comes out with its other keys, or is named; both in order."""
    scored = offline().chunk(chunk(*values))
    left_out = [number for number, _ in scored.broken]
    kept = [value for number, value in enumerate(values, start=1) if number not in left_out]
    own = {*VERDICT_KEYS, "judge", "rules"}
    assert left_out == sorted(left_out)
    assert [{k: v for k, v in line.items() if k not in own} for line in written(scored.text)] == [
        {k: v for k, v in value.items() if k not in own} for value in kept
    ]
    assert tally(scored).samples == len(kept)


@settings(max_examples=50)
@given(st.lists(GOOD, max_size=6))
def test_verdicts_do_not_depend_on_other_lines(values: list[dict[str, Any]]) -> None:
    """Alone, together or reversed: the same bytes; scores in [0, 1]."""
    together = offline().chunk(chunk(*values)).text
    assert b"".join(offline().chunk(chunk(value)).text for value in values) == together
    backwards = offline().chunk(chunk(*values[::-1])).text.splitlines(keepends=True)
    assert b"".join(backwards[::-1]) == together
    assert all(line["score"] is None or 0 <= line["score"] <= 1 for line in written(together))


JUDGE = {"model": "m", "protocol": "published", "prompt": "p", "calls": 1, "tokens": 90}
JUDGED = {
    **LINE,
    "task": "judged_mmeval",
    "response": "man's best friend",
    **Score(1.0, 1, "llm-judge", "ok", None, None)._asdict(),
    "judge": JUDGE,
}


def test_the_verdict_of_a_judge_is_kept_where_none_is_asked() -> None:
    """To the same bytes, again and again; the figures say by whom."""
    scored = offline().chunk(chunk(JUDGED))
    assert written(scored.text) == [JUDGED]
    assert offline().chunk(chunk(scored.text)).text == scored.text
    assert scored.figures[None].kept == {("m", "published", "p"): 1}


@pytest.mark.parametrize(
    ("options", "changes", "objection"),
    [
        ({"rules": "improved"}, {}, "rules 'parity', asked for was 'improved'"),
        ({}, {"judge": {**JUDGE, "protocol": "x"}}, "protocol 'x', asked for was 'published'"),
        ({}, {"judge": None}, "no record of the judge"),
        ({}, {"decided_by": "llm-match"}, "stage llm-match, which the pipeline lacks"),
        (
            {"strip_reasoning": True},
            {"response": "<think>?</think>best"},
            "reasoning is taken off now",
        ),
    ],
)
def test_the_verdict_of_a_judge_that_was_asked_in_another_way_goes(
    options: dict[str, Any], changes: dict[str, Any], objection: str
) -> None:
    """The sample is unscored, and the figures say why."""
    scored = offline(**options).chunk(chunk({**JUDGED, **changes}))
    (line,) = written(scored.text)
    assert (line["status"], line["reason"], "judge" in line) == ("unscored", "no_judge", False)
    figures = scored.figures[None]
    assert (figures.kept, figures.dropped) == ({}, {objection: 1})


def test_protocol_and_prompts_of_mathverse_are_those_asked_for() -> None:
    """Where none are named, any prompts will do; other methods have one protocol and prompts of their own."""
    tasks = {"m": Declared(("exact-match", "llm-judge"), {}, "mathverse", (), "m"), **TASKS}

    def kept(task: str, made: str, **options: Any) -> bool:
        line = {**JUDGED, "task": task, "judge": {**JUDGE, "protocol": made}}
        scorer = Offline(tasks.__getitem__, lambda record: record, **options)
        return "judge" in written(scorer.chunk(chunk(line)).text)[0]

    assert kept("m", "published")
    assert kept("m", "official", protocol="official", prompt="p")
    assert not kept("m", "published", protocol="official")
    assert not kept("m", "published", prompt="q")
    assert kept("judged_mmeval", "published", protocol="official", prompt="q")


def test_rules_go_before_a_verdict_of_a_judge() -> None:
    """They cost nothing and would have been asked first; a protocol that asks them nothing stays so."""
    tasks = {"m": Declared(("exact-match", "llm-judge"), {}, "mathverse", (), "m")}
    line = {**JUDGED, "task": "m", "response": "B", "score": 0.0, "judge": {**JUDGE, "protocol": "official"}}
    for protocol, stage in (("published", "exact-match"), ("official", "llm-judge")):
        scored = Offline(tasks.__getitem__, lambda record: record, protocol=protocol).chunk(chunk(line))
        assert [each["decided_by"] for each in written(scored.text)] == [stage]
        assert not scored.figures["m"].dropped


def test_figures_by_task_and_group() -> None:
    """Lines whose pipeline is no task's stand under None."""
    declared = Declared(("exact-match",), {}, groups=(("topic",),), task="t")
    rows = [{**LINE, "response": "B", "task": "t", "sample": {**SAMPLE, "topic": name}} for name in "xyx"]
    scored = Offline(lambda _: declared, lambda record: record).chunk(
        chunk(*rows, {**rows[0], "pipeline": ["rule-match"]}, LINE)
    )
    own = scored.figures["t"]
    assert {group: share.samples for group, share in own.groups.items()} == {
        ("topic", "x"): 2,
        ("topic", "y"): 1,
    }
    assert (own.comparable, own.tally.samples) == (True, 3)
    other = scored.figures[None]
    assert (other.comparable, other.tally.samples) == (False, 2)
