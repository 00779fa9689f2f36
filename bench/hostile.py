"""Seconds that hostile responses of a million characters cost, and how they grow with the length.

Usage: python bench/hostile.py [WORD ...]. Kinds whose name holds one of the words are measured,
without a word all of them. Each is graded by every stage, question type and rule set, and
separated from its reasoning. Exit code 1 when some grading takes longer than `MOST_SECONDS`, or
than `MOST_GROWTH` times as long for twice the length.
"""

from __future__ import annotations

import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mmeval_pack.judges.params import STRING_MATCHES
from mmeval_pack.judges.pipeline import RULES, Pipeline
from mmeval_pack.judges.reasoning import separate
from mmeval_pack.judges.records import Doc

LENGTH = 1_000_000
MOST_SECONDS = 0.6
MOST_GROWTH = 2.3
ROUNDS = 5
NOISE = 0.05
"""Seconds below which a time says nothing about growth."""

_ALL = "".join(
    char
    for char in map(chr, range(0x80, sys.maxunicode + 1))
    if unicodedata.category(char) not in ("Cn", "Co", "Cs")
)
_MARKS = "".join(char for char in _ALL if unicodedata.combining(char))
_FORMS = "".join(char for char in _ALL if unicodedata.normalize("NFKC", char) != char)


def _shuffled(text: str) -> str:
    """The characters in an order without neighbours, the same in every run."""
    return "".join(sorted(text, key=lambda char: hash(ord(char) * 2654435761 % 2**32)))


# What comes once, what fills the length, what ends it.
RESPONSES: dict[str, tuple[str, str, str]] = {
    "answer tags, never closed": ("", "<answer>", ""),
    "an open answer tag and blanks": ("<answer>", " ", ""),
    "answer tags that lack their bracket": ("", "<answer ", ""),
    "closing answer tags": ("", "</answer>", ""),
    "empty answer tags": ("", "<answer></answer>", ""),
    "answer tags the wrong way round": ("</answer>" * 9, "</answer><answer>", ""),
    "one pair of answer tags around tags": ("<answer>", "<answer>", "</answer>"),
    "an open think tag and blanks": ("<think", " ", ""),
    "think tags, never closed": ("", "<think>", ""),
    "closing think tags": ("", "</think>", ""),
    "empty think tags": ("", "<think></think>", ""),
    "think tags that lack their bracket": ("", "<think ", ""),
    "one think tag and closing ones of other names": ("<think>", "</analysis>", ""),
    "angle brackets": ("", "<", ""),
    "brackets of special tokens": ("", "<|", ""),
    "special tokens": ("", "</s>", ""),
    "dots": ("x", ".", "x"),
    "dots alone": ("", ".", ""),
    "blanks": ("x", " ", "x"),
    "line breaks": ("x", "\r\n", "x"),
    "blank lines": ("A", " \n\t", "x"),
    "tabs": ("", "\t", "x"),
    "null characters": ("", "\0", ""),
    "no-break spaces": ("B", "\u00a0", "x"),
    "ideographic spaces": ("B", "\u3000", "x"),
    "zero-width spaces": ("B", "\u200b", ""),
    "direction marks": ("", "\u200f\u202eB", ""),
    "surrogates": ("", "\ud800", ""),
    "emoji of a family": ("", "👩\u200d👩\u200d👧\u200d👦", ""),
    "a box and blanks": ("\\boxed{", " ", "x"),
    "boxes, never closed": ("", "\\boxed{", ""),
    "boxes in boxes": ("", "\\boxed{", "}" * (LENGTH // 8)),
    "an open box of braces": ("\\boxed{", "{", ""),
    "an open box of empty boxes": ("\\boxed{", "{}", ""),
    "a box of empty boxes": ("\\boxed{", "{}", "}"),
    "boxes with a style": ("", "\\boxed{\\text{ ", ""),
    "boxed brackets": ("", "\\boxed{((((", ""),
    "commands": ("", "\\text", ""),
    "styles, never closed": ("", "\\text{", ""),
    "backslashes": ("", "\\", ""),
    "fractions": ("", "\\frac{1}{2}", ""),
    "fractions in fractions": ("", "\\frac{", ""),
    "dollars": ("", "$", ""),
    "stars": ("", "** ", ""),
    "stars alone": ("", "*", ""),
    "a bold letter and blanks": ("**A", " ", ""),
    "bold letters": ("", "**A", ""),
    "bold letters with their bracket": ("", "**(A) ", ""),
    "underscores": ("", "_a", ""),
    "backticks": ("", "`", ""),
    "quotes": ("", "\"'", ""),
    "quotes around a word": ('"' * 9, '"', "elm"),
    "bars": ("", " | ", ""),
    "headings": ("", "# ", ""),
    "a cue and blanks": ("the answer", " ", "is"),
    "a cue, a letter and blanks": ("answer is B", " ", "x"),
    "a cue and brackets": ("answer is ", "(", "B"),
    "cues": ("", "correct answer: ", ""),
    "cues with a letter": ("", "the answer is B. ", ""),
    "cues with their text": ("", "final answer is elm ", ""),
    "final answers that are none": ("", "final answer is not ", ""),
    "cues and blanks": ("", "answer   ", ""),
    "answers with a colon": ("", "answer:", ""),
    "cues in Chinese": ("", "答案选", ""),
    "cues of the careful rules": ("", "so it is ", ""),
    "retractions": ("", "wait, no: ", ""),
    "negations": ("", "not ", ""),
    "yes": ("", "yes ", ""),
    "no": ("", "no", ""),
    "yes and no": ("", "yes, no ", ""),
    "digits": ("", "1", ""),
    "digits with a sign": ("-", "9", "%"),
    "zeros behind a point": ("0.", "0", "1"),
    "a great exponent": ("1e", "9", ""),
    "exponents": ("", "1e999", ""),
    "grouped digits": ("1", "_000", ""),
    "thousands": ("1", ",000", ""),
    "commas": ("", "1,", ""),
    "commas alone": ("", ",", ""),
    "percent signs": ("1", "%", ""),
    "signs": ("", "-", "1"),
    "quotients": ("1", "/2", ""),
    "equations": ("", "x=", ""),
    "sums": ("1", "+1", ""),
    "numbers": ("", "42 ", ""),
    "Arabic digits": ("", "٤", ""),
    "letters": ("", "A and ", ""),
    "letters in brackets": ("", "(A)", ""),
    "letters with commas": ("", "A, B, ", ""),
    "one letter": ("", "A", ""),
    "letters with blanks": ("", "B ", ""),
    "letters, bracket by bracket": ("", "A) ", ""),
    "and": ("", "and", ""),
    "options restated": ("", "a red bus ", ""),
    "parts of options": ("", "a red ", ""),
    "the truth itself": ("", "elm ", ""),
    "the truth without end": ("", "elm", ""),
    "words": ("", "lorem ipsum ", ""),
    "one word": ("", "a", ""),
    "sharp s": ("", "ß", ""),
    "dotted I": ("", "İ", ""),
    "final sigma": ("", "Σ", ""),
    "sigmas and apostrophes": ("", "Σ'", ""),
    "one mark": ("a", "\u0301", ""),
    "marks alone": ("", "\u0301", ""),
    "alternating marks": ("a", "\u0301\u0316", ""),
    "alternating marks in runs": ("", "a" + "\u0301\u0316" * 31, ""),
    "letters with a mark": ("", "e\u0301", ""),
    "marks of a Tibetan vowel": ("", "\u0f73", ""),
    "marks in one character": ("", "\u0344\u0316", ""),
    "all marks": ("a", _shuffled(_MARKS), ""),
    "all marks upside down": ("a", _MARKS[::-1], ""),
    "decomposing marks": ("", "a\u0f73\u0301", ""),
    "joining marks": ("", "\uff9e\u0316", ""),
    "voiced kana": ("", "\uff76\uff9e", ""),
    "musical notes": ("", "\U0001d160", ""),
    "musical notes and marks": ("", "\U0001d160\U0001d16d\u0316", ""),
    "expanding characters": ("", "\ufdfa", ""),
    "expanding characters and letters": ("", "\ufdfax", ""),
    "expanding characters and marks": ("", "\ufdfa\u064b", ""),
    "both expanding characters": ("", "\ufdfa\ufdfb ", ""),
    "squared words": ("", "\u3316", ""),
    "squared words and marks": ("", "\u3316\u0301", ""),
    "squared words before a mark": ("", "\u3316", "e\u0301"),
    "squared words, marks here and there": ("", "\u3316" * 9 + "e\u0301", ""),
    "all squared words": ("", "".join(map(chr, range(0x3300, 0x3400))), ""),
    "fractions in one character": ("", "½", ""),
    "numbers in brackets": ("", "⑴", ""),
    "full-width letters": ("", "Ａ", ""),
    "full-width tags": ("", "＜answer＞", ""),
    "syllables": ("", "\u1100\u1161\u11a8", ""),
    "excluded compositions": ("", "\u0958", ""),
    "letters of mathematics": ("", "𝐀𝑏", ""),
    "all forms": ("", _FORMS, ""),
    "all characters": ("", _ALL, ""),
    "all characters in disorder": ("", _shuffled(_ALL), ""),
    "all characters, each with a mark": ("", "".join(f"{char}\u0323" for char in _ALL), ""),
    "ideographs, each with a mark": ("", "".join(f"{chr(code)}\u0323" for code in range(0x4E00, 0x9E00)), ""),
    "ideographs": ("", "".join(map(chr, range(0x4E00, 0x9E00))), ""),
    "a tag around all characters": ("answer: <answer>", _shuffled(_ALL), "</answer>"),
    "a tag around all marks": ("answer: <answer>", _shuffled(_MARKS), "</answer>"),
    "a tag around squared words": ("answer: <answer>", "\u3316\u0301", "</answer>"),
    "a tag around expanding characters": ("answer: <answer>", "\ufdfa\u064b", "</answer>"),
    "a cue and all marks": ("final answer: a", _shuffled(_MARKS), ""),
    "a box of all characters": ("\\boxed{", _shuffled(_ALL.replace("{", "").replace("}", "")), "}"),
}


def response(kind: str, length: int) -> str:
    """A response of this kind and of some `length` characters."""
    head, unit, tail = RESPONSES[kind]
    return f"{head}{(unit * (length // len(unit) + 1))[:length]}{tail[:length]}"


LETTERS = {"question": "Which?", "options": {"A": "a dog", "B": "a red bus", "C": "two birds", "D": "none"}}
ROWS: dict[str, Doc] = {
    "letter": Doc("B", LETTERS),
    "letters": Doc("A, C", LETTERS),
    "letter without options": Doc("B", {"question": "Which? A. owl B. elk C. emu"}),
    "yes or no": Doc("yes", {"question": "Is it?"}),
    "number": Doc("42", {}),
    "text": Doc(["elm", "the oak tree", "ash " * 250], {}),
}


def gradings() -> Iterator[tuple[str, Callable[[str], object]]]:
    """Every way to grade a response, by name: all rows, modes and rule sets, both graders, the separation."""
    for rules in RULES:
        for mode in STRING_MATCHES:
            pipeline = Pipeline.declared(None, {"string_match": mode}, rules)
            for name, doc in ROWS.items():
                if mode == "exact" or name in ("number", "text"):
                    yield f"{name}, {mode}, {rules}", _scoring(pipeline, doc)
    for grader in ("anls", "vqa-accuracy"):
        yield grader, _scoring(Pipeline.declared([grader]), ROWS["text"])
    yield "separate", separate


def _scoring(pipeline: Pipeline, doc: Doc) -> Callable[[str], object]:
    return lambda text: pipeline.score(doc, text)


def seconds(grade: Callable[[str], object], text: str) -> float:
    """Processor time of one grading."""
    start = time.process_time()
    grade(text)
    return time.process_time() - start


class Figures(NamedTuple):
    """What one grading of one kind costs.

    Attributes:
        seconds: of the whole length.
        growth: how many times those of half the length they are.
    """

    seconds: float
    growth: float


def measured(
    grade: Callable[[str], object],
    kind: str,
    length: int = LENGTH,
    most_seconds: float = MOST_SECONDS,
    most_growth: float = MOST_GROWTH,
) -> Figures:
    """The figures of one grading, measured again, up to `ROUNDS` times in all, while they are too high."""
    half, whole = response(kind, length // 2), response(kind, length)
    short = long = float("inf")
    for _ in range(ROUNDS):
        short, long = min(short, seconds(grade, half)), min(long, seconds(grade, whole))
        figures = Figures(long, long / max(short, NOISE))
        if figures.seconds <= most_seconds and figures.growth <= most_growth:
            break
    return figures


def main(words: Iterable[str]) -> int:
    """Print each kind's slowest grading and steepest growth; 1 when either is too much."""
    wanted = list(words)
    kinds = [kind for kind in RESPONSES if not wanted or any(word in kind for word in wanted)]
    ways = dict(gradings())
    for grade in ways.values():
        grade("é" * 2000)  # tables are built once
    slowest = steepest = 0.0
    for kind in kinds:
        figures = {name: measured(grade, kind) for name, grade in ways.items()}
        slow = max(figures, key=lambda name: figures[name].seconds)
        steep = max(figures, key=lambda name: figures[name].growth)
        most = Figures(figures[slow].seconds, figures[steep].growth)
        print(f"{kind:46} {most.seconds:5.2f} s {slow:36} x{most.growth:4.2f} {steep}", flush=True)
        slowest, steepest = max(slowest, most.seconds), max(steepest, most.growth)
    print(f"worst: {slowest:.2f} s (at most {MOST_SECONDS}), x{steepest:.2f} (at most {MOST_GROWTH})")
    return int(slowest > MOST_SECONDS or steepest > MOST_GROWTH)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
