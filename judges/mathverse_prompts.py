"""The two prompts of the MathVerse protocols: the pack's own, the authors', or VLMEvalKit's.

Prompts of others are for comparison with figures made with them. They are read from the user's own copy and
filled as their authors fill them: texts are not made harmless there.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.params import hint
from mmeval_pack.judges.prompt_file import Prompt, own

SOURCES: Final = ("pack", "official:PATH", "vlmevalkit")
_EXTRACT_SLOTS: Final = frozenset({"response"})
_SCORE_SLOTS: Final = frozenset({"question", "reference", "answer"})
_OFFICIAL_NAMES: Final = ("demo_prompt_extract", "demo_prompt_score")
_OFFICIAL_SLOTS: Final = {"question": "question", "reference": "gt", "answer": "extraction"}
_VLMEVALKIT_COLUMNS: Final = {"question": "question_for_eval", "reference": "answer", "answer": "extract"}


class MathVersePrompts(NamedTuple):
    """``extract`` has the slot response; ``score`` has question, reference and answer."""

    extract: Prompt
    score: Prompt


def mathverse_prompts(source: str | None = None) -> MathVersePrompts:
    """The prompts from a source, one of `SOURCES`; None is ``pack``.

    Raises:
        InputError: there is no such source, or the prompts are not to be had from it.
    """
    name, colon, path = (source or "pack").partition(":")
    if name == "official" and path:
        return _official(Path(path).expanduser())
    if name == "vlmevalkit" and not colon:
        return _vlmevalkit()
    if name == "pack" and not colon:
        return MathVersePrompts(own("mathverse_extract"), own("mathverse_score"))
    raise InputError(f"unknown prompts {source!r}{hint(name, SOURCES)}")


def _official(path: Path) -> MathVersePrompts:
    """From the authors' ``evaluation/prompts.py``, which is read and never run."""
    file = path if path.is_file() else path / "evaluation" / "prompts.py"
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        raise InputError(
            f"{file}: cannot be read as the prompts of MathVerse ({error}); expected official:PATH with the "
            "folder of a copy of its repository, or its evaluation/prompts.py"
        ) from None
    known = dict(_texts(tree))
    missing = [name for name in _OFFICIAL_NAMES if name not in known]
    if missing:
        raise InputError(f"{file}: holds no text named {' or '.join(missing)}; is it MathVerse's prompts.py?")
    extract, score = (known[name].strip() for name in _OFFICIAL_NAMES)
    filled = Prompt.parsed(score, f"{file}: {_OFFICIAL_NAMES[1]}", str)
    if filled.slots != set(_OFFICIAL_SLOTS.values()):
        found = ", ".join(sorted(filled.slots)) or "none"
        raise InputError(
            f"{file}: {_OFFICIAL_NAMES[1]} has the slots {found}; expected question, gt and extraction"
        )
    return MathVersePrompts(
        _built(
            lambda texts: f"{extract}\n\nModel response: '{texts['response']}'\nExtracted Answer: ",
            _EXTRACT_SLOTS,
        ),
        _built(
            lambda texts: filled.filled(**{_OFFICIAL_SLOTS[slot]: texts[slot] for slot in texts}),
            _SCORE_SLOTS,
        ),
    )


def _texts(tree: ast.Module) -> list[tuple[str, str]]:
    """The names at the top of a module that stand for a text, and the text."""
    return [
        (target.id, node.value.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _vlmevalkit() -> MathVersePrompts:
    """From the functions of an installed VLMEvalKit that write them."""
    try:
        # Pulls in torch, so not before it is asked for.
        mathverse = importlib.import_module("vlmeval.dataset.utils.mathverse")
    except ImportError as error:
        raise InputError(
            f"prompts vlmevalkit: VLMEvalKit cannot be imported ({error}); pip install ms-vlmeval==0.0.20"
        ) from None
    try:
        extract = mathverse.build_mathverse_gpt4_extract_prompt
        score = mathverse.build_mathverse_gpt4_score_prompt
    except AttributeError as error:
        raise InputError(f"prompts vlmevalkit: {error}; pip install ms-vlmeval==0.0.20") from None
    return MathVersePrompts(
        _built(lambda texts: extract({"prediction": texts["response"]}), _EXTRACT_SLOTS),
        _built(lambda texts: score({_VLMEVALKIT_COLUMNS[slot]: texts[slot] for slot in texts}), _SCORE_SLOTS),
    )


def _built(build: Callable[[Mapping[str, str]], Any], slots: frozenset[str]) -> Prompt:
    """The prompt that a function writes, found by having it written once around marks for the slots."""
    marks = {slot: f"\ue000{slot}\ue001" for slot in slots}
    written = str(build(marks)).replace("{", "{{").replace("}", "}}")
    for slot, mark in marks.items():
        written = written.replace(mark, f"{{{slot}}}")
    return Prompt.parsed(written, "prompts", str)
