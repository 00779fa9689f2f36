"""Checks of single values of a metadata file: each gives the value, or raises with what would be right."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from datetime import date
from typing import Any

from pydantic_core import PydanticCustomError

from mmeval_pack.judges.pipeline import Pipeline, PipelineError
from mmeval_pack.translators.sandbox import PromptError, compile_template

MAX_NAME = 200  # characters


def fault(message: str) -> PydanticCustomError:
    """An error whose text reaches the user as it is."""
    return PydanticCustomError("fault", "{message}", {"message": message})


def faults(messages: Mapping[str, str]) -> PydanticCustomError:
    """Errors of several keys of one object, by key."""
    return PydanticCustomError("faults", "several", {"messages": messages})


def name(text: str) -> str:
    """A name that can stand in a file name, a log and a table."""
    if not text.strip():
        raise fault("is blank, expected a name")
    if len(text) > MAX_NAME:
        raise fault(f"is a name of {len(text)} characters, expected {MAX_NAME} at most")
    if any(unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp") for character in text):
        raise fault("holds a control or invisible character, expected a plain name")
    if text != text.strip():
        raise fault("begins or ends with a space, expected a plain name")
    if "/" in text or "\\" in text or ".." in text or text.startswith("."):
        raise fault("looks like a path, expected a plain name")
    return text


def day(value: Any) -> Any:
    """A calendar date, written YYYY-MM-DD."""
    if value is None:
        return None
    try:
        if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return date.fromisoformat(value)
    except ValueError as error:
        raise fault(f"is {value!r}, no date: {error}") from None
    raise fault(f"is {shown(value)}, expected a date YYYY-MM-DD or null")


def template(text: str) -> str:
    """A prompt template that compiles."""
    try:
        compile_template(text)
    except PromptError as error:
        raise fault(str(error)) from None
    return text


def declared(value: Any) -> Any:
    """What ``score_pipeline`` may be beside an object that says ``unsupported``."""
    if not isinstance(value, list):
        expected = (
            'a list of stages, [] where no official protocol exists, or {"unsupported": name, "reason": text}'
        )
        raise fault(f"is {shown(value)}, expected {expected}")
    return value


def pipeline(stages: tuple[str, ...]) -> tuple[str, ...]:
    """Stages that scoring accepts, as it reads them; none says that no official protocol exists."""
    try:
        return Pipeline.declared(stages).stages if stages else stages
    except PipelineError as error:
        raise fault(str(error)) from None


def params(values: dict[str, Any]) -> dict[str, Any]:
    """Parameters that scoring accepts, each tried alone so that all faults are found."""
    messages = {}
    for key, value in values.items():
        try:
            Pipeline.declared((), {key: value})
        except PipelineError as error:
            messages[key] = str(error).removeprefix(f"{key} ")
    if messages:
        raise faults(messages)
    return values


def some_subset(subsets: dict[str, Any]) -> dict[str, Any]:
    """At least one subset."""
    if not subsets:
        raise fault("is empty, expected at least one subset")
    return subsets


def some_split(url: dict[str, str]) -> dict[str, str]:
    """At least one split: nothing else in the file names them."""
    if not url:
        raise fault("is empty, expected {split: address}: its keys name the published splits")
    return url


def inside(path: str) -> str:
    """A path that stays within the repository."""
    if path.startswith(("/", "~")) or "\\" in path or ".." in path.split("/"):
        raise fault(f"is {shown(path)}, expected a path within the repository")
    return path


def listed(value: Any) -> Any:
    """A single text stands for a list of one."""
    return (value,) if isinstance(value, str) else value


def shown(value: Any) -> str:
    """A value in an error message: plain words for what is long or nested."""
    if isinstance(value, str):
        return ascii(value if len(value) <= 60 else value[:60] + "...")
    if isinstance(value, (list, tuple)):
        return "a list"
    return "an object" if isinstance(value, dict) else json.dumps(value)
