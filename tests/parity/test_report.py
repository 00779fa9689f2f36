"""The page of a report."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from mmeval_pack.parity.evaluate import Side, least_agreement, skipped, written
from mmeval_pack.parity.references.verdict import Verdict
from mmeval_pack.parity.report import html
from mmeval_pack.parity.sample import Response
from mmeval_pack.translators.plan import TASKS_DIR, find_task

QUESTION = "Which picture?\nA. a red bus\nB. a blue car"


def side(*responses: str | None) -> Side:
    """Responses of one model to rows of MuirBench."""
    found = Side(lambda name: find_task(TASKS_DIR, name), ["mmeval", "official"])
    raw = {"messages": [{"role": "user", "question": QUESTION}], "answer": "B", "task": "Counting"}
    found.add(
        Response("m", "muirbench_mmeval", str(number), {"id": str(number), **raw}, text)
        for number, text in enumerate(responses)
    )
    return found


def page(found: Side, media: Sequence[Any] = ()) -> str:
    """The page of these samples, each row with the same media."""
    return html(found.report(), found.samples, found.tasks, lambda _: media)


def data_of(text: str) -> Any:
    """The data within the page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_a_report_is_json_with_one_entry_a_sample() -> None:
    """The format is named, and verdicts hold score, prediction, status, reason and detail."""
    found = side("B", "**B**")
    report = json.loads(b"".join(written(found.report(), found.samples)))
    assert report["format"] == "mmeval-pack parity 1"
    bold = report["samples"][1]
    assert bold["reasons"] == ["bold-letter", "random-fallback"]
    assert bold["groups"] == {"task": "Counting"}
    assert bold["verdicts"]["official"] == {
        "score": 0.5,
        "prediction": "A",
        "status": "random",
        "reason": "random_fallback",
        "detail": {},
    }
    assert [one["reference"] for one in report["comparisons"][0]["accuracy"]] == ["mmeval", "official"]


def test_the_least_agreement_names_the_pair() -> None:
    """What --fail-under compares with."""
    report = side("B", "**B**").report()
    assert least_agreement(report) == (0.5, "mmeval and official on muirbench_mmeval, m")
    assert least_agreement(side(None).report()) is None


def test_a_reason_to_skip_stands_once() -> None:
    """With all that it is the reason for, and with the tasks where it is not that of all."""
    missing = {"name": "x", "skipped": "not installed"}
    used = {"name": "mmeval", "version": "1"}
    references = {
        "a": [used, missing, {**missing, "name": "y"}, {"name": "z", "skipped": "no algorithm"}],
        "b": [used, missing, {**missing, "name": "y"}, {**used, "name": "z"}],
    }
    assert [*skipped({"references": references})] == [
        "x, y skipped: not installed",
        "z skipped on a: no algorithm",
    ]
    assert [*skipped({"references": {"a": [used]}})] == []


def test_a_scorer_without_a_verdict_has_no_interval() -> None:
    """Its accuracy is none, and of no sample; the same in each group."""
    found = side(None)
    made = " ".join(page(found).split())
    empty = '<td class="n">–</td><td class="n">0</td> <td class="n">–</td>'
    assert f"<tr><td>official</td>{empty}" in made
    assert "– to –" not in made
    assert made.count('– <small class="soft">of 0</small>') == 2
    assert "Note: " not in made


def test_accuracies_over_different_samples_are_noted() -> None:
    """In words, and each with the number of its samples."""
    found = side("B", "**B**")
    found.samples[1] = replace(
        found.samples[1], verdicts={**found.samples[1].verdicts, "official": Verdict(None, None, "crash")}
    )
    made = page(found)
    assert '100.00 <small class="soft">of 2</small>' in made
    assert '100.00 <small class="soft">of 1</small>' in made
    assert "Note: the accuracies are over different samples, see n" in made


def test_the_page_holds_every_sample() -> None:
    """With prompt, response, what each scorer made of it, and the reasons."""
    data = data_of(page(side("B", "**B**", None)))
    assert data["rows"]["muirbench_mmeval/0"] == QUESTION
    assert data["answers"]["muirbench_mmeval/0"] == "B"
    task, model, name, text, verdicts, reasons, disputed = data["samples"][1]
    assert (task, model, name, text, disputed) == ("muirbench_mmeval", "m", "1", "**B**", 1)
    assert verdicts["official"] == ["random", "A", "random_fallback"]
    assert reasons == ["bold-letter", "random-fallback"]
    assert data["samples"][2][3:5] == [None, {name: ["none", None, "missing_response"] for name in verdicts}]


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!--", "\u2028", "\ud800", "B & <i>"]
)
def test_no_response_can_leave_its_place(text: str) -> None:
    """A response is data: it neither ends the script element nor adds another."""
    made = page(side(text))
    assert made.count("<script") == 2
    assert data_of(made)["samples"][0][3] == text.encode("utf-8", "replace").decode()


def test_the_page_asks_nobody() -> None:
    """No address in it, and a policy that lets no request out."""
    made = page(side("B"))
    assert not re.search(r"https?://|src=[\"'](?!data:)|@import|url\(", made)
    assert "default-src 'none'" in made


def png(colour: str) -> bytes:
    """A picture."""
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGBA", (400, 200), colour).save(buffer, "PNG")
    return buffer.getvalue()


def test_images_become_thumbnails() -> None:
    """Small JPEG images, each once; what is none is left out."""
    red, blue = ({"bytes": png(colour), "path": None} for colour in ("red", "blue"))
    data = data_of(page(side("B", "C"), [red, {"bytes": b"no image"}, blue, red, "video.mp4", None]))
    assert data["images"] == {"muirbench_mmeval/0": [0, 1, 0], "muirbench_mmeval/1": [0, 1, 0]}
    assert [image[:4] for image in data["pictures"]] == ["/9j/", "/9j/"]
    assert max(map(len, data["pictures"])) < 3000


def test_images_stop_where_there_is_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disputed samples come first."""
    monkeypatch.setattr("mmeval_pack.parity.thumbnails.LIMIT", 1500)
    found = side("B", "**B**", "**A**")
    rows = {"0": "red", "1": "blue", "2": "green"}
    made = html(
        found.report(), found.samples, found.tasks, lambda response: [{"bytes": png(rows[response.id])}]
    )
    data = data_of(made)
    assert list(data["images"]) == ["muirbench_mmeval/1"]
    assert len(data["pictures"]) == 1


def test_long_texts_are_cut_where_there_are_many() -> None:
    """And say how much is missing."""
    data = data_of(page(side(*["x" * 50_000] * 200)))
    text = data["samples"][0][3]
    assert text == "x" * 20_000 + " … (30000 characters more)"
