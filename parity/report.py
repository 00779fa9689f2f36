"""The report as one HTML file that needs nothing else: no network, no other file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment

from mmeval_pack.parity.compare import UNEVEN, Figures, uneven
from mmeval_pack.parity.evaluate import skipped
from mmeval_pack.parity.references.verdict import Verdict
from mmeval_pack.parity.sample import Response, Sample
from mmeval_pack.parity.thumbnails import Thumbnails
from mmeval_pack.translators.prompt import Prompt, PromptError
from mmeval_pack.translators.task import Task

TEXTS: Final = 8_000_000  # characters of all prompts and responses together
_LIMITS: Final = (20_000, 5_000, 2_000, 1_000, 500, 250, 100)  # characters of one text
_TEMPLATE: Final = Path(__file__).with_name("report.html.jinja")

Media = Callable[[Response], Sequence[Any]]


def html(report: Figures, samples: Sequence[Sample], tasks: Mapping[str, Task], media: Media) -> str:
    """The page.

    Args:
        report: what `evaluate.Side.report` gives.
        samples: the samples behind it.
        tasks: the task of each name, for its prompt.
        media: gives the images of a response's row; none where no rows are at hand.
    """
    prompts = _prompts(samples, tasks)
    limit = _limit([*prompts.values(), *(sample.text for sample in samples)])
    images, pictures = _pictured(samples, media)
    data = {
        "rows": {key: _cut(prompt, limit) for key, prompt in prompts.items()},
        "answers": {_key(sample.response): sample.row.answer for sample in samples},
        "images": images,
        "pictures": pictures,
        "samples": [_packed(sample, limit) for sample in samples],
    }
    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        _TEMPLATE.read_text(encoding="utf-8")
    )
    return page.render(
        report=report,
        skipped=[*skipped(report)],
        data=_embedded(data),
        limit=limit,
        percent=_percent,
        note=lambda part: UNEVEN if uneven(part) else None,
    )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.2f}"


def _embedded(data: Any) -> str:
    """JSON that no text within can end: it stands in a script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode("utf-8", "replace").decode()


def _key(response: Response) -> str:
    return f"{response.task}/{response.id}"


def _prompts(samples: Iterable[Sample], tasks: Mapping[str, Task]) -> dict[str, str]:
    """The prompt of each row; the question alone where it cannot be rendered."""
    templates = {name: Prompt(task.prompt_template) for name, task in tasks.items()}
    prompts: dict[str, str] = {}
    for sample in samples:
        key = _key(sample.response)
        if key not in prompts:
            try:
                prompts[key] = templates[sample.response.task].text(sample.response.raw)
            except PromptError:
                prompts[key] = sample.row.asked
    return prompts


def _limit(texts: Sequence[str]) -> int:
    """How many characters of a text are shown, so that all together stay within bounds."""
    for limit in _LIMITS:
        if sum(min(len(text), limit) for text in texts) <= TEXTS:
            return limit
    return _LIMITS[-1]


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} … ({len(text) - limit} characters more)"


def _packed(sample: Sample, limit: int) -> list[Any]:
    """A sample as a list: with 10,000 of them, names of keys would be most of the page."""
    response = sample.response
    text = None if response.text is None else _cut(response.text, limit)
    verdicts = {name: _said(sample, name, verdict) for name, verdict in sample.verdicts.items()}
    return [response.task, response.model, response.id, text, verdicts, sample.reasons, int(sample.disputed)]


def _said(sample: Sample, name: str, verdict: Verdict) -> list[Any]:
    read_as = None if verdict.prediction is None else _cut(verdict.prediction, 200)
    return [sample.outcomes.get(name, "none"), read_as, verdict.reason]


def _pictured(samples: Iterable[Sample], media: Media) -> tuple[dict[str, list[int]], list[str]]:
    """The places of each row's thumbnails, and the thumbnails; disputed samples first while there is room."""
    found: dict[str, list[int]] = {}
    thumbnails = Thumbnails()
    for sample in sorted(samples, key=lambda sample: not sample.disputed):
        key = _key(sample.response)
        if key not in found:
            found[key] = thumbnails.places(media(sample.response))
        if thumbnails.full:
            break
    return {key: places for key, places in found.items() if places}, thumbnails.images
