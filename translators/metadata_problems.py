"""What is wrong or odd in a metadata file, in plain words with JSON paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from mmeval_pack.translators.metadata_checks import shown
from mmeval_pack.translators.metadata_json import Path, misfit, walk
from mmeval_pack.translators.metadata_records import (
    FORMS,
    Entry,
    File,
    ScoreProtocol,
    Source,
    SourceMapping,
    Subset,
    TemplateSource,
    Unsupported,
    VideoStorage,
)

PARAMS = frozenset(
    "numeric_rel_tol numeric_abs_tol string_match threshold anls_threshold rubric scale official_judge_model "
    "judge_inputs reference_syntax metrics metric metric_field compare".split()
)
TASK_TYPES = ("multiple_choice_qa", "multiple_choice_vqa", "vqa", "captioning", "judge_scored")
EXPECTED = {
    "string_type": "text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "mapping_type": "an object",
}


def where(path: Path) -> str:
    """A JSON path as people write it: ``subsets.main.language[0]``, odd keys quoted."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif re.fullmatch(r"[\w-]{1,60}", part):
            text += f".{part}"
        else:
            text += f"[{shown(part)}]"
    return text.removeprefix(".")


def of_values(data: dict[str, Any]) -> Iterator[str]:
    """Values that cannot stand anywhere, misspelt keys, and the retired key ``score_type``."""
    for path, value in walk(data):
        if fault := misfit(path, value):
            yield f"{where(path)}: {fault}"
        if not isinstance(value, dict):
            continue
        if "score_type" in value and path[3:] != ("extra",):
            yield f"{where((*path, 'score_type'))}: is retired; publish score_pipeline instead"
        for key, near in misspelt(path, value, strict=True):
            yield f"{where((*path, key))}: is no known key; did you mean {near}?"


def of_records(error: ValidationError, data: dict[str, Any]) -> Iterator[str]:
    """The problems that pydantic found; a missing key is left out where a misspelt one stands for it."""
    for detail in error.errors(include_url=False):
        path = _path(detail)
        if detail["type"] == "missing":
            parent = _at(data, path[:-1])
            if any(near == path[-1] for _, near in misspelt(path[:-1], parent, strict=True)):
                continue
        yield f"{where(path)}: {_message(detail)}"


def oddities(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """What is odd in a file without problems, each with its path."""
    if "release_date" not in data:
        yield (), "release_date: is missing, expected YYYY-MM-DD or null"
    for path, value in walk(data):
        if isinstance(value, dict):
            for key, near in misspelt(path, value, strict=False):
                yield path, f"{where((*path, key))}: is no known key; did you mean {near}?"
    for name, subset in data["subsets"].items():
        path = ("subsets", name)
        for key, text in _subset_oddities(subset):
            yield path, f"{where((*path, key))}: {text}"


def _subset_oddities(subset: dict[str, Any]) -> Iterator[tuple[str, str]]:
    kind = subset["task_type"]
    if kind not in TASK_TYPES:
        near = get_close_matches(kind, TASK_TYPES, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(TASK_TYPES)}"
        yield "task_type", f"{shown(kind)} is no known name; {hint} It does not steer scoring"
    if not subset["prompt_template"].strip():
        yield "prompt_template", "is empty, so every row must bring its own prompt"
    if any("video" in modality for modality in subset["modalities"]) and not subset.get("video_storage"):
        yield "video_storage", "is missing, though the subset has videos"


def misspelt(path: Path, value: Any, *, strict: bool) -> Iterator[tuple[str, str]]:
    """Unknown keys of an object that are close to a known one which is not there, each with that one.

    Args:
        path: where the object stands.
        value: the object; any other value has no keys.
        strict: look where a misspelt key changes what is evaluated, or else where it changes only prose.
    """
    known, matters = _keys(path)
    if matters is not strict or not isinstance(value, dict):
        return
    absent = {re.sub("[^a-z]", "", key): key for key in known - value.keys()}
    for key in value.keys() - known if isinstance(value, dict) else ():
        plain = re.sub("[^a-z]", "", key[:60].lower())
        for near in get_close_matches(plain, absent, 1, 0.84):
            if abs(len(near) - len(plain)) <= 2:
                yield key, absent[near]


def _keys(path: Path) -> tuple[frozenset[str], bool]:
    """The keys that the format defines at a place, and whether they change what is evaluated."""
    match path:
        case ():
            return File.keys(), True
        case ("subsets", _):
            return Subset.keys(), True
        case ("subsets", _, "score_params"):
            return PARAMS, True
        case ("subsets", _, "score_pipeline"):
            return Unsupported.keys(), True
        case ("subsets", _, "video_storage"):
            return VideoStorage.keys(), True
        case ("subsets", _, "mapping_from_source"):
            return SourceMapping.keys(), True
        case ("subsets", _, "mapping_from_source", "source"):
            return Source.keys(), True
        case ("subsets", _, "score_protocol"):
            return ScoreProtocol.keys(), False
        case ("subsets", _, "prompt_template_source"):
            return TemplateSource.keys(), False
        case ("subsets", _, "mapping_from_source", "extra", _) | ("subsets", _, "mapping_from_source", _):
            return Entry.keys(), False
    return frozenset(), False


def _path(detail: ErrorDetails) -> Path:
    """The place of an error in the file, without what pydantic and the records add to it."""
    path = tuple(part for part in detail["loc"] if part not in (*FORMS, "[key]"))
    if path[2:3] == ("unsupported",):
        return (*path[:2], "score_pipeline", *path[3:])
    return path


def _at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


def _message(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "fault":
        return detail["msg"]
    if kind == "missing":
        return "is missing"
    if kind == "literal_error":
        allowed = [text.strip("'") for text in re.split(", | or ", detail["ctx"]["expected"])]
        near = get_close_matches(value, allowed, 1) if isinstance(value, str) else []
        hint = f"; did you mean {near[0]}?" if near else ""
        return (
            f"is {shown(value)}, expected {'one of ' if len(allowed) > 1 else ''}{', '.join(allowed)}{hint}"
        )
    if detail["loc"][-1] == "score_pipeline":
        return f'is {shown(value)}, expected a list of stages, or {{"unsupported": name, "reason": text}}'
    return f"is {shown(value)}, expected {EXPECTED[kind]}"
