"""VQA accuracy: the EvalAI clean-up and the agreement of annotators."""

import importlib.util
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mmeval_pack.judges.params import Params
from mmeval_pack.judges.records import Doc, Reading
from mmeval_pack.judges.vqa_accuracy import (
    agreement,
    cleaned,
    vqa_accuracy,
    without_articles,
    without_punctuation,
    words,
)


@pytest.fixture(scope="module")
def evalai() -> Any:
    """The answer processor that lmms-eval ships; its file alone, as the package imports slowly."""
    lmms_eval = importlib.util.find_spec("lmms_eval")
    if lmms_eval is None or lmms_eval.origin is None:
        pytest.skip("lmms-eval is not installed")
    path = Path(lmms_eval.origin).parent / "tasks" / "_task_utils" / "vqa_eval_metric.py"
    spec = importlib.util.spec_from_file_location("vqa_eval_metric", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.EvalAIAnswerProcessor()


def pieces() -> st.SearchStrategy[str]:
    """Texts dense in all that the two passes look at."""
    tables = words()
    vocabulary = [*tables.articles, *tables.numbers, *tables.contractions, *tables.contractions.values()]
    return st.lists(
        st.sampled_from(vocabulary)
        | st.sampled_from([*tables.punctuation, ".", "1,0", "٣,٣", " ", "\t", "\n", "A"])
        | st.text(max_size=3)
    ).map("".join)


@given(pieces())
@settings(max_examples=500, deadline=None)
def test_both_passes_agree_with_lmms_eval(evalai: Any, text: str) -> None:
    """On generated texts, pass by pass."""
    assert without_punctuation(text) == evalai.process_punctuation(text)
    assert without_articles(text) == evalai.process_digit_article(text)


def test_every_table_entry_agrees_with_lmms_eval(evalai: Any) -> None:
    """Each word and each mark, alone, between words and beside a number."""
    tables = words()
    singles = [*tables.articles, *tables.numbers, *tables.contractions, *tables.punctuation, "."]
    for single in singles:
        for text in (
            single,
            single.upper(),
            f"x {single} y",
            f"x{single}y",
            f"x{single} 1,000",
            "." * 40 + single,
        ):
            assert without_punctuation(text) == evalai.process_punctuation(text)
            assert without_articles(text) == evalai.process_digit_article(text)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("The  Dog.", "dog"),
        ("two\tdogs\n", "2 dogs"),
        ("none", "0"),
        ("dont", "don't"),
        ("it's a dog's *&: life", "it's dog's *&: life"),
        ("red/blue", "red blue"),  # the mark touches no space
        ("red/ blue", "red blue"),
        ("red/blue / x", "redblue x"),  # one that touches a space takes its twins along
        ("1,000 red/blue", "1000 redblue"),  # a comma inside a number takes all marks along
        ("3.5 m.", "3.5 m"),
        ("." * 33 + "x", ".x"),  # the published processor stops after 32
        ("", ""),
    ],
)
def test_cleaned(text: str, result: str) -> None:
    """The clean-up with its known oddities."""
    assert cleaned(text) == result


@pytest.mark.parametrize(
    ("hits", "of", "score"),
    [
        (0, 10, 0.0),
        (1, 10, 0.3),
        (2, 10, 0.6),
        (3, 10, 0.9),
        (4, 10, 1.0),
        (10, 10, 1.0),
        (2, 2, 1 / 3),
        (3, 3, 2 / 3),
    ],
)
def test_agreement(hits: int, of: int, score: float) -> None:
    """Four annotators of ten give full credit; two or three references cannot."""
    assert agreement("yes", ["yes"] * hits + ["no"] * (of - hits)) == pytest.approx(score, abs=1e-15)


@given(st.lists(st.sampled_from("ab"), min_size=2, max_size=12))
def test_agreement_is_the_mean_over_annotators_left_out(references: list[str]) -> None:
    """Against the definition, annotator by annotator."""
    others = [references[:i] + references[i + 1 :] for i in range(len(references))]
    assert agreement("a", references) == sum(min(1, rest.count("a") / 3) for rest in others) / len(references)


@pytest.mark.parametrize(
    ("truth", "response", "reading"),
    [
        (["A dog"] * 4 + ["cat"] * 6, "the dog!", Reading(1.0, "dog", None)),
        ([5, 5, "five", "5."], ["5"], Reading(1.0, "5", None)),
        (["", ""], "a", Reading(1 / 3, "", None)),
        (["dog", "dog"], "cat", Reading(0.0, "cat", None)),
        ("dog", "dog", Reading(None, None, "needs_references")),
        (["dog"], "dog", Reading(None, None, "needs_references")),
        (0, "dog", Reading(None, None, "needs_references")),
        (["dog", "dog"], {"a": "dog"}, Reading(None, None, "missing_response")),
        (["dog", "dog"], [], Reading(None, None, "missing_response")),
    ],
)
def test_stage(truth: object, response: object, reading: Reading) -> None:
    """The stage always decides, or says what is missing."""
    assert vqa_accuracy(Doc(truth, {}), response, Params()) == reading


@pytest.mark.parametrize(
    "text",
    [
        "a " * 500_000,
        "1" + "," * 999_998 + "1",
        "1," * 500_000,
        "." * 10**6,
        "答;、" * 333_333,
        '😀;/["]{}()=+\\_->`<@,?!' * 45_000,
        "a\u0301\u0323" * 333_333,
    ],
    ids=["articles", "comma run", "numerals", "periods", "chinese", "all marks", "combining"],
)
def test_a_million_characters_are_cleaned_at_once(text: str) -> None:
    """Both passes are linear."""
    start = time.process_time()
    cleaned(text)
    assert time.process_time() - start < 0.6
