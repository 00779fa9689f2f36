"""lmms-eval's own command with the templated prompts written down: ``record_prompts.py FILE LMMS_EVAL_ARGS``.

The prompt that a model class builds is nowhere in lmms-eval's logs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import transformers
from lmms_eval.__main__ import cli_evaluate


def record(path: Path) -> None:
    """Makes every call of the processor's chat template append its texts to the file, one a line."""
    original = transformers.Qwen2_5_VLProcessor.apply_chat_template

    def apply_chat_template(self: Any, *args: Any, **kwargs: Any) -> Any:
        texts = original(self, *args, **kwargs)
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
        return texts

    transformers.Qwen2_5_VLProcessor.apply_chat_template = apply_chat_template


if __name__ == "__main__":
    record(Path(sys.argv.pop(1)))
    cli_evaluate()
