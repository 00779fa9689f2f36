"""What `bench/judge.py` lays beside the pack's judging: the same rows judged by others."""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

LMMS_EVAL_THREADS: Final = 4
MODEL: Final = "bench-judge"
INSTALL: Final = {
    "VLMEvalKit": "pip install 'mmeval-pack[vlmevalkit]'",
    "lmms-eval": "pip install 'mmeval-pack[lmms-eval]'",
}


def question(number: int) -> str:
    """What a row asks."""
    return f"In triangle {number}, AB is parallel to CD. How long is side BC?"


def response(number: int) -> str:
    """What no rule accepts."""
    return f"Drawing a parallel through D, I find a length of roughly {number + 1}, or a bit less than that."


def bare_sdk(url: str, rows: int, concurrency: int) -> float:
    """Seconds of two calls for each row, one after the other, by the SDK alone."""
    openai: Any = importlib.import_module("openai")

    async def ask_all() -> None:
        slots = asyncio.Semaphore(concurrency)
        async with openai.AsyncOpenAI(base_url=url, api_key="sk-bench") as client:

            async def ask(number: int) -> None:
                async with slots:
                    for _ in range(2):
                        text = question(number) + response(number) * 14  # as long as our prompts
                        message = {"role": "user", "content": text}
                        await client.chat.completions.create(model=MODEL, messages=[message], temperature=0)

            await asyncio.gather(*map(ask, range(rows)))

    start = time.perf_counter()
    asyncio.run(ask_all())
    return time.perf_counter() - start


def vlmevalkit(url: str, rows: int, concurrency: int, folder: Path) -> float:
    """Seconds of VLMEvalKit's evaluation of MathVerse."""
    os.environ |= {"OPENAI_API_BASE": f"{url}/chat/completions", "OPENAI_API_KEY": "sk-bench"}
    dataset = importlib.import_module("vlmeval.dataset.image_vqa").MathVerse
    pandas: Any = importlib.import_module("pandas")
    metadata = str({"subject": "Plane Geometry", "subfield": "Length"})
    table = [
        {
            "index": number,
            "question": question(number),
            "question_for_eval": question(number),
            "answer": f"{number} cm",
            "prediction": response(number),
            "problem_version": "Text Lite",
            "metadata": metadata,
        }
        for number in range(rows)
    ]
    file = folder / "model_MathVerse_MINI.xlsx"
    pandas.DataFrame(table).to_excel(file, index=False)
    start = time.perf_counter()
    dataset.evaluate(str(file), model="gpt-4o-mini", nproc=concurrency)
    return time.perf_counter() - start


def lmms_eval(url: str, rows: int, _concurrency: int, _folder: Path) -> float:
    """Seconds of the metric of lmms-eval's own task, in the threads of its command line."""
    os.environ |= {"OPENAI_API_URL": url, "OPENAI_API_KEY": "sk-bench", "MODEL_VERSION": MODEL}
    process = importlib.import_module("lmms_eval.tasks.mathverse.utils").mathverse_process_results
    columns = (
        "sample_index",
        "problem_index",
        "problem_version",
        "question_type",
        "metadata",
        "query_wo",
        "query_cot",
    )

    def score(number: int) -> Any:
        texts = {
            "question": question(number),
            "question_for_eval": question(number),
            "answer": f"{number} cm",
        }
        return process({**dict.fromkeys(columns, ""), **texts}, [response(number)])

    with ThreadPoolExecutor(LMMS_EVAL_THREADS) as threads:
        start = time.perf_counter()
        list(threads.map(score, range(rows)))
        return time.perf_counter() - start


PEERS: Final = {"VLMEvalKit": vlmevalkit, "lmms-eval": lmms_eval}


def run_peer(pipe: Connection, name: str, arguments: tuple[Any, ...]) -> None:
    """A peer's process: sends its seconds, or why there are none; what it prints goes nowhere."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        try:
            pipe.send(PEERS[name](*arguments))
        except ImportError as error:
            pipe.send(f"{name} cannot be imported ({error}); get it with: {INSTALL[name]}")


def peer(name: str, *arguments: Any) -> float | str:
    """The seconds of a peer, or why there are none."""
    processes = get_context("spawn")
    here, there = processes.Pipe()
    process = processes.Process(target=run_peer, args=(there, name, arguments))
    process.start()
    there.close()
    try:
        result: float | str = here.recv()
    except EOFError:
        result = f"{name} broke off"
    process.join()
    return result
