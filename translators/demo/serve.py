"""The recorded judge as an endpoint that stays: something to try scoring and judging with."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.endpoint import Endpoint
from mmeval_pack.translators.demo.judge import MODEL, RecordedJudge
from mmeval_pack.translators.demo.sample import bundled

OTHERWISE = "1"  # extraction and verdict alike where nothing is recorded


@contextmanager
def served(tasks_dir: Path) -> Iterator[Mapping[str, str]]:
    """Serve the judge of the bundled sample on a free port of this machine until the block ends.

    What is asked about other rows gets `OTHERWISE` as the reply.

    Yields:
        The environment variables that name the judge.

    Raises:
        InputError: the sample cannot be read.
    """
    if importlib.util.find_spec("pyarrow") is None:
        raise InputError("the sample needs the package pyarrow: pip install pyarrow")
    judge = RecordedJudge(OTHERWISE)
    for sample in bundled(tasks_dir):
        for row in sample.rows:
            if replies := sample.judged.get(row["id"]):
                judge.learn(row, sample.responses[row["id"]], replies)
    with Endpoint(judge) as endpoint:
        yield {
            "MMEVAL_JUDGE_BASE_URL": endpoint.base_url,
            "MMEVAL_JUDGE_MODEL": MODEL,
            "MMEVAL_JUDGE_RETRIES": "1",  # a failure that is recorded stays one
        }
