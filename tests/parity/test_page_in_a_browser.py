"""The page in a real browser: it is driven by a script that is added to a copy of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from mmeval_pack.parity.evaluate import Side
from mmeval_pack.parity.report import html
from mmeval_pack.parity.sample import Response
from mmeval_pack.translators.plan import TASKS_DIR, find_task

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = ("--headless", "--no-sandbox", "--disable-background-networking", "--disable-gpu")
RESPONSES = ["B", "**B**", "**A**", "(B)", *["B"] * 116, "<img src=x onerror=alert(1)>"]
WATCH = """<script>const faults = [];
addEventListener("error", event => faults.push(String(event.message)));
addEventListener("securitypolicyviolation", event => faults.push(event.blockedURI));</script>"""
DRIVE = """<script>
const count = () => by("page").textContent, rows = () => document.querySelectorAll("#samples tr.one");
const choose = (id, value) => { by(id).value = value; by(id).dispatchEvent(new Event("change")); };
const did = { disputed: count() };
by("disputed").click();
did.all = count();
by("on").click(); by("on").click(); by("on").click();
did.last = [count(), rows().length];
choose("reason", "bold-letter");
did.bold = [count(), [...rows()].map(row => row.cells[0].textContent)];
choose("outcome", "mmeval: wrong");
did.wrong = [...rows()].map(row => row.cells[0].textContent);
did.sides = [...rows()[0].cells[4].children].map(side => side.textContent);
rows()[0].click();
did.opened = document.querySelector("tr.open").textContent;
rows()[0].click();
did.closed = document.querySelector("tr.open") === null;
choose("reason", ""); choose("outcome", "");
by("search").value = "onerror"; by("search").dispatchEvent(new Event("input"));
did.found = count();
rows()[0].click();
did.images = document.querySelectorAll("#samples img").length;
const asked = performance.getEntriesByType("resource").map(entry => entry.name);
did.requests = asked.filter(name => !name.startsWith("data:"));
did.faults = faults;
document.title = JSON.stringify(did);
</script></body>"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the page did in the browser, and what the browser logged."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    side = Side(lambda name: find_task(TASKS_DIR, name), ["mmeval", "official", "improved"])
    raw = {"messages": [{"question": "Which?\nA. a bus\nB. a car"}], "answer": "B", "task": "Counting"}
    side.add(
        Response("m", "muirbench_mmeval", str(number), {"id": str(number), **raw}, text)
        for number, text in enumerate(RESPONSES)
    )
    page = html(side.report(), side.samples, side.tasks, lambda _: [])
    folder: Path = tmp_path_factory.mktemp("page")
    (folder / "p.html").write_text(
        page.replace("<head>", f"<head>{WATCH}").replace("</body>", DRIVE), "utf-8"
    )
    command = [
        CHROMIUM,
        *OPTIONS,
        f"--user-data-dir={folder}/profile",
        "--enable-logging=stderr",
        "--dump-dom",
    ]
    done = subprocess.run(
        [*command, (folder / "p.html").as_uri()], capture_output=True, text=True, timeout=120, check=True
    )
    title = re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)
    assert title is not None
    return {**json.loads(unescape(title[1])), "console": re.findall(r"CONSOLE.*", done.stderr)}


def test_the_filters_work(said: Any) -> None:
    """Disputed ones first, then pages of all, a reason, a verdict, a text."""
    assert said["disputed"] == "3 samples, page 1 of 1"
    assert said["all"] == "121 samples, page 1 of 3"
    assert said["last"] == ["121 samples, page 3 of 3", 21]
    assert said["bold"] == ["2 samples, page 1 of 1", ["1", "2"]]
    assert said["wrong"] == ["2"]
    assert said["found"] == "1 samples, page 1 of 1"


def test_a_sample_opens_and_closes(said: Any) -> None:
    """With prompt, response, each verdict and what was read."""
    for part in ("Which?", "**A**", "official", "random", "random_fallback", "bold-letter"):
        assert part in said["opened"]
    assert said["closed"] is True


def test_scorers_of_one_verdict_stand_together(said: Any) -> None:
    """So that it is plain who differs."""
    assert said["sides"] == ["wrong: mmeval, improved", "random: official"]


def test_a_response_stays_text(said: Any) -> None:
    """Its tags make no element."""
    assert said["images"] == 0


def test_nothing_fails_and_nothing_is_asked_for(said: Any) -> None:
    """No error on the console, no request, nothing that the page's policy had to stop."""
    assert (said["faults"], said["requests"], said["console"]) == ([], [], [])
