"""Plans -> the files of each benchmark's folder, from every framework's emitter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mmeval_pack.translators.lmms_eval import emitter as lmms_eval
from mmeval_pack.translators.manifest import MANIFEST, with_manifest
from mmeval_pack.translators.plan import METADATA, Plan
from mmeval_pack.translators.vlmevalkit import emitter as vlmevalkit

_EMITTERS = (lmms_eval.emit, vlmevalkit.emit)


@dataclass(frozen=True, slots=True)
class Output:
    """All generated files of one benchmark.

    Attributes:
        folder: the benchmark's folder within the tasks folder.
        texts: path relative to ``folder`` -> text.
    """

    folder: str
    texts: Mapping[str, str]


def compiled(root: Path, plans: Iterable[Plan], *, everything: bool) -> list[Output]:
    """The outputs of the plans.

    Args:
        root: the tasks folder.
        plans: what to compile.
        everything: also give an empty output for each folder whose metadata is gone but not its manifest.
    """
    outputs = []
    for plan in plans:
        texts: dict[str, str] = {}
        for emit in _EMITTERS:
            texts |= emit(plan)
        outputs.append(Output(plan.folder, with_manifest(texts, METADATA, plan.digest, plan.rows)))
    if everything:
        gone = sorted(file.parent for file in root.glob(f"*/{MANIFEST}"))
        outputs += [Output(folder.name, {}) for folder in gone if not (folder / METADATA).exists()]
    return outputs
