"""What is wrong or odd in a metadata file, in plain words with JSON paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
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
from mmeval_pack.translators.naming import is_split
from mmeval_pack.translators.template_names import HIDDEN, nearest, read_by

TOLERANCES = {"numeric_rel_tol", "numeric_abs_tol", "string_match", "threshold", "anls_threshold"}
RUBRIC = {"rubric", "scale", "official_judge_model", "judge_inputs"}
PARAMS = TOLERANCES | RUBRIC | {"reference_syntax", "metrics", "metric", "metric_field", "compare"}
# place within a subset -> the keys it may have, and whether they change what is evaluated
PLACES: Mapping[Path, tuple[frozenset[str], bool]] = {
    (): (Subset.keys(), True),
    ("score_params",): (frozenset(PARAMS), True),
    ("score_pipeline",): (Unsupported.keys(), True),
    ("video_storage",): (VideoStorage.keys(), True),
    ("mapping_from_source",): (SourceMapping.keys(), False),
    ("mapping_from_source", "source"): (Source.keys(), True),
    ("mapping_from_source", "extra"): (frozenset(), False),
    ("score_protocol",): (ScoreProtocol.keys(), False),
    ("prompt_template_source",): (TemplateSource.keys(), False),
}
MAX_KEYS = 100  # unknown keys of one object that are compared with the known ones
RUBRICS = ("binary", "scale", "partial_credit", "three_way")
FIELDS = {"id", "question", "question_type", "options", "choices", "hint"}  # of rows, mapped or not
TASK_TYPES = ("multiple_choice_qa", "multiple_choice_vqa", "vqa", "captioning", "judge_scored")
MISSING = {
    "name": "the benchmark's name",
    "subsets": "{name: subset}",
    "language": "a list of language codes",
    "modalities": "a list of modalities",
    "task_type": "text",
    "prompt_template": "a Jinja template",
    "mapping_from_source": "an object with source.url",
    "source": '{"format": text, "url": {split: address}}',
    "url": "{split: address}: its keys name the published splits",
    "reason": "text that says why",
    "format": "files or archives",
}
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
    return text.removeprefix(".") or "top level"


def of_values(data: dict[str, Any]) -> Iterator[str]:
    """Values that cannot stand anywhere, misspelt keys, and the retired key ``score_type``."""
    for path, value in walk(data):
        if fault := misfit(path, value):
            yield f"{where(path)}: {fault}"
        if not isinstance(value, dict):
            continue
        if "score_type" in value and path[2:] != ("mapping_from_source", "extra"):
            yield f"{where((*path, 'score_type'))}: is retired; publish score_pipeline instead"
        if _keys(path)[1]:
            yield from misspelt(path, value)


def of_records(error: ValidationError) -> Iterator[str]:
    """The problems that pydantic found."""
    for detail in error.errors(include_url=False):
        path = _path(detail)
        if detail["type"] == "string_unicode":
            continue  # half a surrogate pair, which of_values has
        if detail["type"] == "faults":
            yield from (f"{where((*path, key))}: {text}" for key, text in detail["ctx"]["messages"].items())
        else:
            yield f"{where(path)}: {_message(detail)}"


def oddities(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """What is odd in a file without problems, each with its path."""
    if "release_date" not in data:
        yield (), "release_date: is missing, expected YYYY-MM-DD or null"
    for path, value in walk(data):
        if isinstance(value, dict):
            yield from ((path, text) for text in misspelt(path, value))
    for name, subset in data["subsets"].items():
        path = ("subsets", name)
        for key, text in _subset_oddities(subset):
            yield path, f"{where(path)}.{key}: {text}"


def _subset_oddities(subset: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value, known in (
        ("task_type", subset["task_type"], TASK_TYPES),
        ("score_params.rubric", subset.get("score_params", {}).get("rubric"), RUBRICS),
    ):
        if value is not None and value not in known:
            near = _near(value, known) or f"; known are {', '.join(known)}"
            yield key, f"{shown(value)} is no known name{near}"
    if not subset["prompt_template"].strip():
        yield "prompt_template", "is empty, so every row must bring its own prompt"
    yield from (("prompt_template", text) for text in _unsupplied(subset))
    if any("video" in modality for modality in subset["modalities"]) and not subset.get("video_storage"):
        yield "video_storage", "is missing, though the subset has videos"
    for split in subset["mapping_from_source"]["source"]["url"]:
        if not is_split(split):
            text = f"{shown(split)} is no name of a split on the hub; pack.json can say the hub's name"
            yield "mapping_from_source.source.url", text


def _unsupplied(subset: dict[str, Any]) -> Iterator[str]:
    """The names in a prompt template that are hidden from it, or are close to a field and are none.

    Rows may have fields that the mapping does not name, so that any other name can be a field as well.
    """
    mapping = subset["mapping_from_source"]
    fields = (FIELDS | (mapping.keys() - {"source", "extra"}) | mapping.get("extra", {}).keys()) - HIDDEN
    for name in sorted(read_by(subset["prompt_template"]) - fields):
        if name in HIDDEN:
            yield f"reads {shown(name)}, which no template gets to see"
        elif near := nearest(name, fields):
            yield f"reads {shown(name)}, which is no known field of the rows; did you mean {near}?"


def misspelt(path: Path, value: dict[str, Any]) -> Iterator[str]:
    """Unknown keys of an object that are close to a known one which is not there."""
    known, _ = _keys(path)
    absent = {_plain(key): key for key in known - value.keys()}
    for key in islice((key for key in value if key not in known), MAX_KEYS):
        for near in get_close_matches(_plain(key), absent, 1, 0.84):
            if abs(len(near) - len(_plain(key))) <= 2:
                yield f"{where((*path, key))}: is no known key; did you mean {absent[near]}?"


def _plain(key: str) -> str:
    return re.sub("[^a-z]", "", key[:60].lower())


def _keys(path: Path) -> tuple[frozenset[str], bool]:
    """The keys that the format defines at a place, and whether they change what is evaluated."""
    if not path:
        return File.keys(), True
    if len(path) == 1 or path[0] != "subsets":
        return frozenset(), False
    place = path[2:]
    if place in PLACES:
        return PLACES[place]
    if place[0] == "mapping_from_source" and len(place) == 2 + (place[1:2] == ("extra",)):
        return Entry.keys(), False
    return frozenset(), False


def _path(detail: ErrorDetails) -> Path:
    """The place of an error in the file, without what pydantic and the records add to it."""
    path = detail["loc"][:-1] if detail["loc"][-1] == "[key]" else detail["loc"]
    if path[3:4] == ("choices",) and path[4] in FORMS:
        path = (*path[:4], *path[5:])
    if path[2:3] == ("unsupported",):
        return (*path[:2], "score_pipeline", *path[3:])
    return path


def _message(detail: ErrorDetails) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "fault":
        return detail["msg"]
    if kind == "missing":
        return f"is missing, expected {MISSING[str(detail['loc'][-1])]}"
    if kind == "literal_error":
        allowed = [text.strip("'") for text in re.split(", | or ", detail["ctx"]["expected"])]
        return f"is {shown(value)}, expected {' or '.join(allowed)}{_near(value, allowed)}"
    return f"is {shown(value)}, expected {EXPECTED.get(kind, detail['msg'])}"


def _near(value: Any, known: Sequence[str]) -> str:
    near = get_close_matches(value.lower(), known, 1) if isinstance(value, str) else []
    return f"; did you mean {near[0]}?" if near else ""
