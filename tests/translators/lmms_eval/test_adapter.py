"""One task in the terms of lmms-eval, without lmms-eval."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mmeval_pack.judges.pipeline import Pipeline
from mmeval_pack.judges.records import Doc
from mmeval_pack.translators.lmms_eval import adapter, source
from mmeval_pack.translators.task import Task

TASK = Task(
    name="toy_mmeval",
    benchmark="Toy",
    subset="main",
    version="1.0",
    repo="mm-eval/Toy",
    config="main",
    split="test",
    rows=None,
    prompt_template="{{ question }}",
    pipeline=("exact-match", "rule-match"),
    params={},
    judge=None,
    protocol="default",
    official_protocol=True,
    groups=(("topic",), ("topic", "level")),
)
BOUND = adapter.bind(TASK.literal())
VERDICT = ("score", "is_correct", "decided_by", "status", "extraction", "reason")


def row(question: str = "Which?\nA. cat\nB. dog", answer: Any = "B", **columns: Any) -> dict[str, Any]:
    """A row of the newest layout."""
    messages = json.dumps([{"role": "user", "question": question, "options": {"A": "cat", "B": "dog"}}])
    return {"id": "r1", "media": [], "messages": messages, "answer": answer, **columns}


def bound(**changes: Any) -> adapter.Bound:
    """The task with other values."""
    return adapter.bind({**TASK.literal(), **changes})


def png(mode: str = "RGB", color: Any = 0) -> Image.Image:
    """An image as datasets decodes it: of a subclass."""
    return Image.open(BytesIO(encoded(mode, color)))


def encoded(mode: str = "RGB", color: Any = 0) -> bytes:
    """The bytes of a small image."""
    stream = BytesIO()
    Image.new(mode, (2, 1), color).save(stream, "TIFF" if mode == "CMYK" else "PNG")
    return stream.getvalue()


def judged(response: Any, doc: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
    """The detail of one sample."""
    return bound(**changes).process_results(doc or row(), [response])["detail"]


# asking


def test_media_stand_where_their_tokens_stand() -> None:
    """Text and images alternate as in the prompt; white space stays."""
    red, blue = png(color=(255, 0, 0)), png(color=(0, 0, 255))
    (message,) = BOUND.doc_to_messages(row("<image> or\n<image>?", media=[red, blue]))
    assert message["role"] == "user"
    kinds = [(part["type"], part.get("text")) for part in message["content"]]
    assert kinds == [("image", None), ("text", " or\n"), ("image", None), ("text", "?")]
    assert [message["content"][place]["url"].getpixel((0, 0)) for place in (0, 2)] == [
        (255, 0, 0),
        (0, 0, 255),
    ]


def test_a_row_without_media_is_one_text() -> None:
    """Null and an empty list alike."""
    for media in ([], None):
        doc = row("What?", media=media)
        assert BOUND.doc_to_messages(doc) == [
            {"role": "user", "content": [{"type": "text", "text": "What?"}]}
        ]
        assert BOUND.doc_to_visual(doc) == []


def test_the_text_keeps_its_tokens_and_needs_no_media() -> None:
    """What simple models and the log get; the row comes without its images there."""
    doc = row("<image> or <image>?")
    del doc["media"]
    assert BOUND.doc_to_text(doc) == "<image> or <image>?"


@pytest.mark.parametrize(
    ("mode", "color"), [("RGB", 7), ("RGBA", 7), ("P", 1), ("L", 7), ("1", 1), ("LA", 7), ("CMYK", 7)]
)
def test_images_become_plain_rgb(mode: str, color: int) -> None:
    """In any form a row may hold them: some models test for the very class."""
    data = encoded(mode, color)
    doc = row("<image><image>", media=[Image.open(BytesIO(data)), {"bytes": data, "path": None}])
    images = BOUND.doc_to_visual(doc)
    assert [(type(image), image.mode) for image in images] == [(Image.Image, "RGB")] * 2
    assert images[0].tobytes() == images[1].tobytes()


def test_undecoded_images_are_turned_as_decoded_ones_are() -> None:
    """By their EXIF orientation, as datasets does."""
    exif, stream = Image.Exif(), BytesIO()
    exif[0x0112] = 6
    Image.new("RGB", (2, 1)).save(stream, "PNG", exif=exif)
    (image,) = BOUND.doc_to_visual(row("<image>", media=[{"bytes": stream.getvalue(), "path": "x.png"}]))
    assert image.size == (1, 2)


def test_files_are_found_beside_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Images and videos by path, alone or in a dict without bytes."""
    monkeypatch.setattr(source, "_folders", {"toy_mmeval": tmp_path})
    (tmp_path / "a.png").write_bytes(encoded())
    doc = row("<image><video><image>", media=["a.png", "clips/b.mp4", {"bytes": None, "path": "a.png"}])
    first, video, last = BOUND.doc_to_visual(doc)
    assert video == str(tmp_path / "clips" / "b.mp4")
    assert first.size == last.size == (2, 1)
    content = BOUND.doc_to_messages(doc)[0]["content"]
    assert [part["type"] for part in content] == ["image", "video", "image"]


@pytest.mark.parametrize(
    ("answer", "target"),
    [("B", "B"), ("", ""), (None, ""), (["a", "ü"], '["a", "ü"]'), (3, "3"), (False, "false")],
)
def test_the_target_is_text(answer: Any, target: str) -> None:
    """Never None, which stops lmms-eval."""
    assert BOUND.doc_to_target(row(answer=answer)) == target


def test_the_target_of_an_old_row_lies_in_its_message() -> None:
    """Layouts v1 and v2."""
    assert BOUND.doc_to_target({"id": "1", "messages": '[{"question": "q", "answer": "C"}]'}) == "C"


def test_the_functions_can_be_pickled() -> None:
    """Also after first use, when prompt and pipeline are compiled."""
    BOUND.process_results(row(), ["B"])
    for name in ("process_docs", "doc_to_messages", "process_results", "accuracy", "breakdown"):
        assert callable(pickle.loads(pickle.dumps(getattr(BOUND, name))))
    copy = pickle.loads(pickle.dumps(BOUND.doc_to_text))
    assert copy(row("Q")) == "Q"


# looking at all rows first


def dataset(*rows: dict[str, Any]) -> Any:
    """A dataset whose images are broken: decoding one would fail."""
    datasets = pytest.importorskip("datasets")
    held = [{**each, "media": [{"bytes": b"broken", "path": None}] * each["media"]} for each in rows]
    features = {name: datasets.Value("string") for name in rows[0]}
    features["media"] = datasets.List(datasets.Image())
    return datasets.Dataset.from_list(held, features=datasets.Features(features))


def refused(data: Any, capsys: pytest.CaptureFixture[str], **changes: Any) -> str:
    """The message with which process_docs ends the run, with exit code 2."""
    with pytest.raises(SystemExit) as error:
        bound(**changes).process_docs(data)
    assert error.value.code == 2
    return capsys.readouterr().err


def test_good_rows_pass_unchanged_and_undecoded(capsys: pytest.CaptureFixture[str]) -> None:
    """The very dataset comes back, and nothing is said."""
    data = dataset(row("<image><image>", media=2, id="1"), row("text", media=0, id="2"))
    assert BOUND.process_docs(data) is data
    assert capsys.readouterr().err == ""


def test_every_bad_row_is_named_in_one_message(capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong counts with both numbers, ids and messages of no use, failing templates."""
    data = dataset(
        row("<image>", media=1, id="good"),
        row("<image>", media=2, id="few"),
        row("<image><image>", media=0, id="many"),
        {**row(media=0, id="torn"), "messages": "[{"},
        {**row(media=0, id="none"), "messages": "[]"},
        row("", media=0, id="blank"),
        row(media=0, id=None),
    )
    message = refused(data, capsys).splitlines()
    assert message[:3] == [
        "mmeval-pack: task toy_mmeval: 6 of 7 rows cannot be asked, so nothing is:",
        "  row 1, id 'few': 1 media tokens in the prompt, 2 media in the row",
        "  row 2, id 'many': 2 media tokens in the prompt, 0 media in the row",
    ]
    assert message[3].startswith("  row 3, id 'torn': messages is no JSON text: ")
    assert message[4:] == [
        "  row 4, id 'none': messages must be a list that begins with an object",
        "  row 5, id 'blank': the prompt is empty",
        "  row 6, id None: the id must be text",
    ]


def test_hundreds_of_bad_rows_are_all_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Over the size of a batch."""
    data = dataset(*[row("<image>", media=0, id=str(number)) for number in range(600)])
    assert len(refused(data, capsys).splitlines()) == 601


def test_a_template_that_fails_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """The row and the template's own fault on it; or the template, when no row could be rendered."""
    message = refused(dataset(row(media=0)), capsys, prompt_template="{{ question.x.y }}")
    assert message.startswith(
        "mmeval-pack: task toy_mmeval: 1 of 1 rows cannot be asked, so nothing is:\n  row 0, id 'r1': "
    )
    message = refused(dataset(row(media=0)), capsys, prompt_template="{{ question")
    assert message.startswith("mmeval-pack: task toy_mmeval: ")
    assert len(message.splitlines()) == 1


def test_ids_that_repeat_are_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """The rows can be asked, but logs and replays join on the id."""
    BOUND.process_docs(dataset(*[row("q", media=0, id=name) for name in ("a", "b", "a", "c")]))
    assert capsys.readouterr().err == (
        "mmeval-pack: warning: task toy_mmeval: 1 ids stand for several rows: 'a'\n"
    )


def test_rows_without_a_media_column_have_no_media(capsys: pytest.CaptureFixture[str]) -> None:
    """A column of nulls likewise; a column that holds no lists is refused."""
    datasets = pytest.importorskip("datasets")
    plain = {"id": ["1"], "messages": ['[{"question": "q"}]']}
    for columns in (plain, {**plain, "media": [None]}):
        BOUND.process_docs(datasets.Dataset.from_dict(columns))
    message = refused(datasets.Dataset.from_dict({**plain, "media": ["a.png"]}), capsys)
    assert message == "mmeval-pack: task toy_mmeval: the column media holds string, expected lists\n"


# scoring


def test_a_sample_gives_a_record_a_metric_and_its_detail() -> None:
    """The keys are those of the YAML's metrics and of the documented log."""
    result = BOUND.process_results(row(topic="cats", level=2), ["(B)"])
    assert list(result) == ["accuracy", "unscored", "published", "breakdown", "detail"]
    assert result["accuracy"] == {"score": 1.0}
    detail = result["detail"]
    assert {
        key: detail[key] for key in ("task", "id", "response", "reasoning", "score", "is_correct", "status")
    } == {
        "task": "toy_mmeval",
        "id": "r1",
        "response": "(B)",
        "reasoning": "none",
        "score": 1.0,
        "is_correct": 1,
        "status": "ok",
    }
    assert detail["groups"] == {"topic": "cats", "topic/level": "cats/2"}
    assert list(detail) == ["task", "id", "sample", "response", "reasoning", *VERDICT, "groups", "judge"]


def test_fractional_tasks_report_a_mean_score() -> None:
    """The headline metric follows the last stage."""
    assert "mean_score" in bound(pipeline=("anls",)).process_results(row(answer=["dog"]), ["dog"])


def test_the_logged_sample_is_the_row_without_its_media() -> None:
    """The messages stay as published."""
    doc = row(media=[png()], topic="cats")
    assert judged("B", doc)["sample"] == {key: value for key, value in doc.items() if key != "media"}


def test_what_json_does_not_know_is_turned_into_what_it_knows() -> None:
    """Rows of parquet files hold dates, bytes and numpy values."""
    odd = {
        "when": datetime(2024, 5, 1, 12),
        "day": date(2024, 5, 1),
        "raw": b"a\xff",
        "grid": np.array([[1, 2]]),
        "count": np.int64(3),
        "flag": np.bool_(True),
        "nested": {1: [{"x": np.float32(0.5)}, (1, 2)]},
        "other": 1j,
        "number": float("nan"),
        "numbers": np.array([float("inf"), 1.5]),
    }
    sample = json.loads(json.dumps(judged("B", row(**odd))))["sample"]
    assert {key: sample[key] for key in odd} == {
        "when": "2024-05-01T12:00:00",
        "day": "2024-05-01",
        "raw": "a\\xff",
        "grid": [[1, 2]],
        "count": 3,
        "flag": True,
        "nested": {"1": [{"x": 0.5}, [1, 2]]},
        "other": "1j",
        "number": None,
        "numbers": [None, 1.5],
    }


@pytest.mark.parametrize("results", [[], [None], [[]], [[None]]])
def test_no_response_is_invalid(results: list[Any]) -> None:
    """An empty list is how the filter hands on that there is none."""
    result = BOUND.process_results(row(), results)
    assert (result["detail"]["status"], result["detail"]["reason"]) == ("invalid", "missing_response")
    assert result["detail"]["response"] is None
    assert "score" not in result["accuracy"]


def test_an_empty_response_is_graded() -> None:
    """It is a response, and a wrong one."""
    detail = judged("")
    assert (detail["status"], detail["score"]) == ("ok", 0.0)


def test_a_failed_request_is_unscored() -> None:
    """Lmms-eval's own words are no answer, though the reader would find a letter in some of them."""
    result = BOUND.process_results(row(), ["[LMMS_EVAL_REQUEST_FAILED after 5 retries] B"])
    assert (result["detail"]["status"], result["detail"]["reason"]) == ("unscored", "generation_failed")
    assert result["unscored"] == {"score": 1.0}
    assert "score" not in result["accuracy"]


@pytest.mark.parametrize("place", ["answer", "options", "choices"])
def test_a_failure_text_that_was_offered_is_an_answer(place: str) -> None:
    """The word None is an option of some questions."""
    message = {"question": "Which?", place: {"A": "None"} if place == "options" else ["None"]}
    doc = {"id": "1", "messages": [message], "answer": "None" if place == "answer" else "A"}
    assert judged("None", doc)["status"] == "ok"
    assert judged("None")["status"] == "unscored"


def test_reasoning_is_separated_and_the_raw_response_logged() -> None:
    """White space at the ends included."""
    raw = " <think>A? No.</think>\nB \n"
    detail = judged(adapter.FirstResponse().apply([[raw]], None)[0])
    assert (detail["response"], detail["reasoning"], detail["score"]) == (raw, "stripped", 1.0)
    assert type(detail["response"]) is str


def test_reasoning_that_never_closes_is_a_wrong_answer() -> None:
    """The model ran out of tokens; a letter inside is not its answer."""
    detail = judged("<think>The answer is B")
    assert {key: detail[key] for key in VERDICT} == {
        "score": 0.0,
        "is_correct": 0,
        "decided_by": None,
        "status": "ok",
        "extraction": None,
        "reason": "reasoning_unclosed",
    }


def test_without_an_answer_the_row_is_invalid_whatever_the_response() -> None:
    """A withheld answer makes nobody wrong."""
    for response in ("B", "<think>B", ""):
        detail = judged(response, row(answer=""))
        assert (detail["status"], detail["reason"]) == ("invalid", "missing_answer")


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.text("ABCD<>/think \n()*."), st.none(), st.integers(), st.lists(st.text())))
def test_any_response_is_scored_and_can_be_scored_again_from_the_log(response: Any) -> None:
    """No exception, strict JSON, and the same verdict without the dataset."""
    result = BOUND.process_results(row(), [response])
    detail = json.loads(json.dumps(result["detail"], allow_nan=False))
    again = BOUND.process_results(detail["sample"], [detail["response"]])["detail"]
    assert again == detail
    for metric in ("accuracy", "unscored", "published", "breakdown"):
        assert isinstance(result[metric], dict)
        assert result[metric].get("score", 0.0) is not None


def test_many_threads_give_the_verdicts_of_one() -> None:
    """Lmms-eval scores in a pool, and the first use compiles the stages."""
    responses = [f"The answer is {letter}." for letter in "ABAB" * 50]
    fresh = bound()
    with ThreadPoolExecutor(8) as pool:
        scores = list(
            pool.map(lambda each: fresh.process_results(row(), [each])["detail"]["score"], responses)
        )
    assert scores == [float("B" in each[-3:]) for each in responses]


def test_the_aggregations_count_what_counts() -> None:
    """Accuracy over graded samples, the published figure over all."""
    results = [
        BOUND.process_results(row(topic="x"), [text]) for text in ("B", "A", "[LMMS_EVAL_REQUEST_FAILED]")
    ]
    column = {metric: [result[metric] for result in results] for metric in results[0]}
    assert BOUND.accuracy(column["accuracy"]) == 0.5
    assert BOUND.unscored(column["unscored"]) == pytest.approx(1 / 3)
    assert BOUND.published(column["published"]) == pytest.approx(1 / 3)
    assert BOUND.breakdown(column["breakdown"])["groups"]["topic"] == {"x": {"n": 2, "accuracy": 0.5}}
    assert BOUND.accuracy([]) is None


def test_the_stages_decide_as_they_do_outside() -> None:
    """The adapter adds nothing to a plain response."""
    pipeline = Pipeline.declared(["exact-match", "rule-match"], {})
    for response in ("B", "I say dog", "A", "neither"):
        score = pipeline.score(Doc.from_row(row()), response)
        assert {key: judged(response)[key] for key in VERDICT} == score._asdict()


# the filter


def test_the_filter_keeps_the_first_response_as_it_is() -> None:
    """One value a request in the order of the requests; docs are not looked at."""
    texts = [["  a \n", "b"], ["<think>x</think> c"], [""]]
    assert adapter.FirstResponse().apply(texts, None) == ["  a \n", "<think>x</think> c", ""]


def test_the_trimming_between_filter_and_scoring_changes_nothing() -> None:
    """Lmms-eval calls strip() on what a filter gives; None and text that is no string survive too."""
    (text,) = adapter.FirstResponse().apply([[" a "]], None)
    assert text.strip() == " a "
    assert pickle.loads(pickle.dumps(text)).strip() == " a "
    assert json.dumps(text) == '" a "'
    assert adapter.FirstResponse().apply([[None], []], None) == [[], []]
