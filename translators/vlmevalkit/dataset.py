"""Dataset classes on VLMEvalKit's base class; made inside functions, since importing it takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmeval_pack.judges.records import UNJUDGED
from mmeval_pack.translators.vlmevalkit.evaluation import evaluate

if TYPE_CHECKING:
    from mmeval_pack.translators.vlmevalkit.adapter import Bound
    from mmeval_pack.translators.vlmevalkit.message import Message


def dataset_class(bound: Bound) -> type:
    """The class of a task's dataset.

    It holds no image column: VLMEvalKit drops rows that have none, and text-only rows would be lost. Images
    are written to its usual folder when a prompt needs them.
    """
    from pandas import DataFrame
    from vlmeval.dataset.image_base import ImageBaseDataset

    class Dataset(ImageBaseDataset):  # type: ignore[misc] # VLMEvalKit has no types
        """A task of mmeval-pack."""

        MODALITY = "IMAGE"
        # With MCQ some models add words of their own to the prompt, or shorten what they may say.
        TYPE = "VQA"
        # No model's own prompt takes the published one's place.
        force_use_dataset_prompt = True
        JUDGE_FAIL_MARKERS = UNJUDGED  # what stands in the column `log`

        def __init__(self, dataset: str = bound.name) -> None:
            super().__init__(dataset, skip_noimg=False)
            self.data["index"] = bound.indices

        @classmethod
        def supported_datasets(cls) -> list[str]:
            return [bound.name]

        def load_data(self, dataset: str) -> Any:  # noqa: ARG002 - the signature of the base class
            bound.check()
            return DataFrame(bound.columns())

        def build_prompt(self, line: Any) -> Message:
            index = self.data.iloc[line]["index"] if isinstance(line, int) else line["index"]
            return bound.message(index, Path(self.img_root))

        def dump_image(self, line: Mapping[str, Any]) -> list[str]:
            return [part["value"] for part in self.build_prompt(line) if part["type"] == "image"]

        def evaluate(self, eval_file: str, **judge_kwargs: Any) -> Any:
            return DataFrame([evaluate(bound, Path(eval_file), judge_kwargs)])

        def __reduce__(self) -> tuple[Callable[[Bound], Any], tuple[Bound]]:
            # --api-mode evaluates in another process, where a class made here is not to be found by name.
            return made, (bound,)

    Dataset.__name__ = Dataset.__qualname__ = f"MMEval_{bound.name}"
    return Dataset


def made(bound: Bound) -> Any:
    """A task's dataset."""
    return dataset_class(bound)()


def register(bound: Bound) -> type:
    """Make a task's dataset known to VLMEvalKit, which has no way to plug one in, in this process."""
    from vlmeval import dataset

    kind = dataset_class(bound)
    dataset.DATASET_CLASSES.insert(0, kind)
    dataset.SUPPORTED_DATASETS.append(bound.name)
    setattr(dataset, kind.__name__, kind)
    return kind
