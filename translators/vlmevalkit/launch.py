"""Runs VLMEvalKit's own command line with the pack's datasets and the replay model, without an edit of it."""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.vlmevalkit import predictions
from mmeval_pack.translators.vlmevalkit.emitter import MODULE
from mmeval_pack.translators.vlmevalkit.replay import Replay

FORMAT_VARIABLE = "PRED_FORMAT"


def use_checkout(folder: Path) -> None:
    """Let ``import vlmeval`` find a checkout of the public repository.

    Raises:
        InputError: the folder is none.
    """
    if not (folder / "vlmeval" / "__init__.py").is_file():
        raise InputError(f"{folder}: is no checkout of VLMEvalKit; expected {folder / 'vlmeval'} in it")
    sys.path.insert(0, str(folder.resolve()))


def modules(tasks_dir: Path) -> list[dict[str, Any]]:
    """What the generated modules of a tasks folder define.

    Raises:
        InputError: there is none.
    """
    found = sorted(tasks_dir.rglob(MODULE))
    if not found:
        raise InputError(f"{tasks_dir}: holds no {MODULE}; write it with mmeval-pack compile")
    return [runpy.run_path(str(file)) for file in found]


def run(tasks_dir: Path, arguments: Sequence[str], responses: str) -> None:
    """Run VLMEvalKit.

    Args:
        tasks_dir: the tasks folder whose datasets it shall know.
        arguments: for VLMEvalKit.
        responses: of the model ``replay``: a file, or a folder that holds some.

    Raises:
        InputError: VLMEvalKit is not installed, or the tasks folder has no generated modules.
        SystemExit: VLMEvalKit's own, or the run cannot go on.
    """
    if importlib.util.find_spec("vlmeval") is None:
        raise InputError(
            "VLMEvalKit is not installed: pip install 'mmeval-pack[vlmevalkit]', or name a checkout of it "
            "with --checkout DIR"
        )
    found = modules(tasks_dir)
    # The default, xlsx, cuts responses and makes formulas of some.
    os.environ.setdefault(FORMAT_VARIABLE, "tsv")
    sys.argv = ["vlmevalkit", *arguments]
    from vlmeval import config

    config.supported_VLM["replay"] = partial(Replay, responses=responses)
    for module in found:
        module["register"]()
    _read_faithfully([module["name"] for module in found])
    _keep_prompts()
    if importlib.util.find_spec("vlmeval.run") is not None:
        from vlmeval.run import main

        main()
    else:
        # In a checkout the command line stands beside the package.
        script = Path(str(importlib.util.find_spec("vlmeval").origin)).parents[1] / "run.py"  # type: ignore[union-attr] # found above
        runpy.run_path(str(script), run_name="__main__")


def _keep_prompts() -> None:
    """Let --api-mode ask what a dataset insists on, as VLMEvalKit does without that option.

    There a model's own prompt would take its place, which some models and every --custom-prompt bring.
    """
    if importlib.util.find_spec("vlmeval.inference_api") is None:
        return
    pipeline: Any = getattr(importlib.import_module("vlmeval.inference_api"), "APIEvalPipeline", None)
    if hasattr(pipeline, "_produce_image_tasks"):
        pipeline._produce_image_tasks = _without_prompts_of_models(pipeline._produce_image_tasks)


def _without_prompts_of_models(produce: Callable[..., Any]) -> Callable[..., Any]:
    def produced(pipeline: Any, config: Any, *others: Any) -> Any:
        if getattr(config.dataset_obj, "force_use_dataset_prompt", False):
            config.model_obj.use_custom_prompt = lambda _: False  # the object serves this dataset alone
        return produce(pipeline, config, *others)

    return produced


def _read_faithfully(names: Sequence[str]) -> None:
    """Let VLMEvalKit go on with predictions on the pack's datasets as they were written.

    It reads those of an earlier run, writes them anew and evaluates them; pandas, with its defaults, would
    have made the text nan of each that is empty or says None, and numbers of others.
    """
    for name in ("vlmeval.inference", "vlmeval.inference_api"):
        if importlib.util.find_spec(name) is None:
            continue
        module: Any = importlib.import_module(name)
        if hasattr(module, "load"):
            module.load = _faithful(module.load, tuple(f"_{each}" for each in names))


def _faithful(load: Callable[..., Any], endings: tuple[str, ...]) -> Callable[..., Any]:
    def loaded(file: str, *others: Any) -> Any:
        path = Path(file)
        if path.suffix not in predictions.SUFFIXES or not path.stem.endswith(endings):
            return load(file, *others)
        from pandas import DataFrame

        frame = DataFrame(predictions.read(path))
        texts = [str(index) for index in frame["index"]]
        # As the dataset has it: numbers where all ids are whole numbers.
        frame["index"] = [int(text) for text in texts] if all(map(str.isdecimal, texts)) else texts
        return frame

    return loaded
