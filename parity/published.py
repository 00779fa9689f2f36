"""Published figures: which a score of the pack may be laid beside, and whether its mean reproduces them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.metrics import breakdown

# Rows of each task of MuirBench, in the order of the paper's table: Counting, Action, Grounding, Matching,
# Ordering, Scene, Difference, Cartoon, Diagram, Geographic, Attribute, Retrieval.
MUIRBENCH_ROWS: Final = (234, 164, 84, 464, 64, 186, 340, 78, 398, 100, 196, 292)
# The published overall accuracy in percent, and the right answers by task behind it.
MUIRBENCH: Final = {
    "GPT-4o": (68.00, (115, 73, 31, 403, 15, 133, 205, 40, 353, 56, 110, 234)),
    "GPT-4-Turbo": (62.31, (99, 65, 45, 373, 23, 110, 206, 41, 315, 57, 99, 187)),
    "Gemini Pro": (49.35, (67, 59, 24, 309, 8, 110, 154, 37, 258, 48, 81, 128)),
    "Human": (93.15, (222, 160, 72, 440, 56, 176, 316, 64, 394, 98, 172, 252)),
}


class Setting(NamedTuple):
    """What a figure depends on besides the model."""

    protocol: str
    prompt: str
    judge: str
    rows: str


class Published(NamedTuple):
    """A set of published figures and how they came about."""

    benchmark: str
    figures: str
    setting: Setting


_MUIR_ROWS: Final = "test, 2,600, mean over rows"
_FIVE: Final = "testmini, five versions of 788"
_TWO_STAGES: Final = "extraction, then judgement"

OURS: Final = {
    "MuirBench": Setting("exact-match > rule-match", "question with options in it", "none", _MUIR_ROWS),
    "MathVerse": Setting("exact-match > rule-match > llm-judge", "query_wo", "as configured", _FIVE),
    "SAT": Setting(
        "exact-match > rule-match", "un-lettered choices", "none", "real, each once, mean over rows"
    ),
}

PUBLISHED: Final = (
    Published(
        "MuirBench",
        "paper and project page",
        Setting("official parser with a draw by lot", "choices in brackets, with a hint", "none", _MUIR_ROWS),
    ),
    Published(
        "MuirBench",
        "lmms-eval muirbench",
        Setting("letter and dot, else the whole text", "letters with a dot, 16 tokens", "none", _MUIR_ROWS),
    ),
    Published(
        "MuirBench",
        "VLMEvalKit MUIRBench",
        Setting("heuristics, then a judge", "letters with a dot", "gpt-4o-mini", _MUIR_ROWS),
    ),
    Published(
        "MathVerse", "leaderboard, columns w/o", Setting(_TWO_STAGES, "query_wo", "gpt-3.5-turbo", _FIVE)
    ),
    Published(
        "MathVerse",
        "leaderboard, columns CoT-E",
        Setting("steps of the reasoning judged", "query_cot", "GPT-4", _FIVE),
    ),
    Published(
        "MathVerse", "VLMEvalKit MathVerse_MINI", Setting(_TWO_STAGES, "query_wo", "gpt-4o-mini", _FIVE)
    ),
    Published(
        "MathVerse",
        "lmms-eval mathverse_testmini",
        Setting("one judgement of the response", "query_wo", "gpt-4o-2024-11-20", _FIVE),
    ),
    Published(
        "SAT",
        "paper, real",
        Setting(
            "QAAccuracy",
            "choices in double quotes, shuffled",
            "none",
            "real, each twice, mean of categories",
        ),
    ),
    Published(
        "SAT",
        "lmms-eval sat",
        Setting(
            "first word as a letter",
            "lettered choices, 16 tokens",
            "none",
            "real, each once, mean over rows",
        ),
    ),
)


def comparability(benchmark: str) -> Iterator[dict[str, Any]]:
    """A line for each set of published figures of a benchmark.

    ``comparable`` is ``no`` where prompt or rows differ: the models were asked something else. It is ``with
    care`` where only protocol or judge differ, and ``yes`` where nothing does; it names what differs.
    """
    for entry in PUBLISHED:
        if entry.benchmark == benchmark:
            theirs, ours = entry.setting._asdict(), OURS[benchmark]._asdict()
            differ = [name for name in theirs if theirs[name] != ours[name]]
            level = "no" if {"prompt", "rows"}.intersection(differ) else "with care" if differ else "yes"
            said = f"{level}: other {', '.join(differ)}" if differ else level
            yield {"benchmark": benchmark, "figures": entry.figures, "comparable": said, **theirs}


def reproduced() -> Iterator[dict[str, Any]]:
    """The pack's own means of MuirBench's published counts beside the published figures, in percent."""
    for model, (overall, counts) in MUIRBENCH.items():
        records = [
            {"value": float(place < right), "groups": {"task": str(task)}, "reason": None}
            for task, (right, rows) in enumerate(zip(counts, MUIRBENCH_ROWS, strict=True))
            for place in range(rows)
        ]
        figures = breakdown(records)
        micro, macro = round(100 * figures["micro"], 2), round(100 * figures["macro"]["task"], 2)
        yield {"model": model, "published": overall, "micro": micro, "macro": macro, "same": micro == overall}
