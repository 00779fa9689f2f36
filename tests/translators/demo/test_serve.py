"""The judge of the demo, served until a signal comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.serve import served

pytest.importorskip("pyarrow")

TASKS = Path(__file__).resolve().parents[3] / "tasks"
COMMAND = [sys.executable, "-c", "from mmeval_pack.translators.cli import main; raise SystemExit(main())"]
TASK = "mathverse_testmini_mmeval"
SERVING = "serving the recorded judge until ^C; paste the lines above into another shell\n"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_judge_to_score_with(stop: signal.Signals, tmp_path: Path) -> None:
    """Its lines name it, it has recorded replies and says 1 to all else, and a signal is its clean end."""
    with subprocess.Popen(
        [*COMMAND, "demo", "--serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(3)]
        named = dict(line.removeprefix("export ").strip().split("=", 1) for line in lines)
        assert [*named] == ["MMEVAL_JUDGE_BASE_URL", "MMEVAL_JUDGE_MODEL", "MMEVAL_JUDGE_RETRIES"]
        rows = [
            {"task": TASK, "response": "I see none.", "sample": {"id": "x", "answer": "14", **asking("L?")}},
            {
                "pipeline": ["llm-judge"],
                "response": "a dog",
                "sample": {"id": "y", "answer": "cat", **asking("?")},
            },
        ]
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        scored = subprocess.run(
            [*COMMAND, "score", "in.jsonl", "--out", "-", "--judge-cache", "replies.sqlite"],
            cwd=tmp_path, env={**os.environ, **named}, capture_output=True, encoding="utf-8", check=False,
            timeout=120,
        )  # fmt: skip
        server.send_signal(stop)
        out, err = server.communicate(timeout=60)
    assert (server.returncode, out, err) == (0, "", SERVING)
    found = [json.loads(line) for line in scored.stdout.splitlines()]
    assert [(line["status"], line["score"]) for line in found] == [("ok", 1), ("ok", 1)], scored.stderr
    assert found[0]["judge"]["model"] == named["MMEVAL_JUDGE_MODEL"]


def asking(question: str) -> dict[str, object]:
    """The messages of a row."""
    return {"messages": [{"role": "user", "question": question}]}


def test_without_a_sample(tmp_path: Path) -> None:
    """As the demo itself says it."""
    with pytest.raises(InputError) as caught, served(tmp_path):
        pass
    assert str(caught.value) == f"{tmp_path}: holds no sample, expected <benchmark>/sample/<task>.parquet"
