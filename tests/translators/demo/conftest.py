"""One real run of the demo for all tests that look at what it did."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

COMMAND = "import sys; from mmeval_pack.translators.cli import main; sys.exit(main())"
# Each of these would stop the run, or send it elsewhere, if it reached lmms-eval.
POISON = {
    "OPENAI_API_KEY": "sk-poison",
    "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
    "OPENAI_API_BASE": "http://127.0.0.1:9/v1",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "HF_TOKEN": "hf_poison",
    "HF_HOME": "/no/such/folder",
    "LMMS_EVAL_PLUGINS": "no_such_package",
    "MMEVAL_AUTOLOAD": "0",
    "MMEVAL_ROWS": "/no/such/folder",
    "MMEVAL_JUDGE_MODEL": "poison",
    "MMEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/v1",
}


class Demo(NamedTuple):
    """What the command printed, and the folder that it wrote."""

    code: int
    stdout: str
    stderr: str
    out: Path


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The command in a folder and an environment full of settings that are not meant for it."""
    pytest.importorskip("lmms_eval")
    folder = tmp_path_factory.mktemp("demo")
    dotenv = "".join(f"{name}={value}\n" for name, value in POISON.items())
    (folder / ".env").write_text(dotenv, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "demo", "--out", "out"],
        cwd=folder,
        env=os.environ | POISON,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    return Demo(done.returncode, done.stdout, done.stderr, folder / "out")
