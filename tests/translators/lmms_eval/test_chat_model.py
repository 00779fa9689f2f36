"""The tasks through a real model class of lmms-eval, not only through API models."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("lmms_eval")
pytestmark = pytest.mark.harness

HERE = Path(__file__).parent
TASKS = HERE.parents[2] / "tasks"
IMAGE_SLOT = "<|vision_start|><|image_pad|><|vision_end|>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the prompts of one run of all five tasks and lmms-eval's own logs of it."""
    folder = tmp_path_factory.mktemp("chat_model")
    rows = folder / "rows"
    rows.mkdir()
    for parquet in TASKS.glob("*/sample/*.parquet"):
        (rows / parquet.name).symlink_to(parquet)
    subprocess.run([sys.executable, HERE / "tiny_vlm.py", folder / "model"], check=True)
    model_args = f"pretrained={folder / 'model'},device=cpu,device_map=cpu,min_pixels=784,max_pixels=12544"
    command = [
        *[sys.executable, HERE / "record_prompts.py", folder / "prompts.jsonl"],
        *["--model", "qwen2_5_vl", "--model_args", model_args, "--gen_kwargs", "max_new_tokens=2"],
        *["--tasks", "muirbench_mmeval,mathverse_mmeval,sat_mmeval", "--batch_size", "1"],
        *["--log_samples", "--output_path", folder / "logs"],
    ]
    env = {**os.environ, "MMEVAL_ROWS": str(rows), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, timeout=400)
    assert list(folder.glob("logs/**/*_results.json")), done.stderr[-3000:]
    return folder


def test_a_real_model_class_gets_each_image_in_the_place_of_its_token(run: Path) -> None:
    """Each templated prompt is the rendered prompt with an image slot for each token, and nothing else."""
    prompts = [json.loads(line) for line in (run / "prompts.jsonl").read_text().splitlines()]
    samples = [
        json.loads(line)
        for log in run.glob("logs/**/*_samples_*.jsonl")
        for line in log.read_text().splitlines()
    ]
    expected = [
        f"<|im_start|>user\n{sample['input'].replace('<image>', IMAGE_SLOT)}<|im_end|>\n"
        "<|im_start|>assistant\n"
        for sample in samples
    ]
    assert len({sample["detail"]["task"] for sample in samples}) == 5
    assert sorted(prompts) == sorted(expected)
    assert sum(prompt.count(IMAGE_SLOT) for prompt in prompts) > len(prompts)
