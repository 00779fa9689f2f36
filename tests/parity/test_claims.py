"""Claims of the metadata, asked of the scorers they speak of."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from mmeval_pack.parity.claims import CLAIMS, examined
from mmeval_pack.parity.references import Loaded, load
from mmeval_pack.translators.plan import TASKS_DIR, find_task

TASKS = {"MuirBench": "muirbench_mmeval", "SAT": "sat_real_mmeval", "MathVerse": "mathverse_testmini_mmeval"}
BARE = "VLMEvalKit's MUIRDataset.build_prompt is the bare question, which holds options and trailer"


def verdicts(benchmark: str, *references: str) -> dict[str, tuple[str, str]]:
    """Verdict and what shows it, by claim."""
    loaded = load(find_task(TASKS_DIR, TASKS[benchmark]), references)
    assert not loaded.skipped
    return {line["claim"]: (line["verdict"], line["shown"]) for line in examined(benchmark, loaded)}


def test_what_the_authors_code_shows() -> None:
    """Three of the five, without any framework."""
    muirbench, mathverse, sat = (verdicts(name, "official") for name in ("MuirBench", "MathVerse", "SAT"))
    assert muirbench[BARE][0] == "false"
    assert muirbench["the official parser draws by lot when nothing matches"] == (
        "true",
        "'b', answer 'B': status random",
    )
    assert mathverse["source, subject and subfield are columns of the source data"][0] == "false"
    assert sat["the authors have published no scorer"] == (
        "false",
        "QAAccuracy in models/eval_funcs.py gives 'Left', answer 'left': 1",
    )


def test_a_claim_about_an_absent_scorer_is_not_tested() -> None:
    """Rather than taken for true or false."""
    lines = list(examined("SAT", Loaded((), ())))
    assert {line["verdict"] for line in lines} == {"not tested"}
    assert lines[1]["shown"] == "lmms-eval is not among the references"
    assert len(lines) == sum(claim.benchmark == "SAT" for claim in CLAIMS)


@pytest.mark.harness
@pytest.mark.skipif(find_spec("lmms_eval") is None, reason="lmms-eval is not installed")
def test_what_lmms_eval_shows() -> None:
    """It agrees with nobody, maps no text, and asks a judge about everything."""
    claim = "lmms-eval agrees with the official parser"
    assert verdicts("MuirBench", "official", "lmms-eval")[claim] == (
        "false",
        "'(B)', answer 'B': official 1, lmms-eval 0",
    )
    assert verdicts("SAT", "lmms-eval")["lmms-eval maps the text of a choice to its letter"] == (
        "false",
        "'left', answer 'left': read as 'left', compared with letter 'A'",
    )
    assert verdicts("MathVerse", "lmms-eval")["lmms-eval asks an LLM about every sample"][0] == "true"


@pytest.mark.harness
@pytest.mark.skipif(find_spec("vlmeval") is None, reason="VLMEvalKit is not installed")
def test_what_vlmevalkit_shows() -> None:
    """Extraction comes first, always; the two stages are the authors'."""
    found = verdicts("MathVerse", "official", "vlmevalkit")
    assert found["VLMEvalKit matches the response before it asks an LLM"] == (
        "false",
        "'14', answer '14': extracted first (1 call), then the extraction '15' is matched",
    )
    assert found["VLMEvalKit has the two stages of the official scorer"][0] == "true"
