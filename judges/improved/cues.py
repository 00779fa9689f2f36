"""The places where a response says that its answer comes now."""

from __future__ import annotations

import re
from collections import deque
from typing import NamedTuple

from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import negated_before

_LINK = (
    r"[\"'\s]*(?::|=|->|→|\n|-+(?=\s)"
    r"|\b(?:is|are|was|would\s+be|should\s+be|must\s+be|has\s+to\s+be)\b(?!\s*n't))[\s:]*(?:-\s+)?"
)
_NOUN = (
    r"(?:(?:final|correct|right|best|true|proper|my|the)\s+)*(?:answers?|ans\b\.?|conclusion"
    r"|result|total|value|solution|verdict)"
    r"|(?:(?:final|correct|right|best|my|selected|chosen)\s+)+(?:options?|choices?|selection|pick"
    r"|letter|one|statement|image|picture)"
    r"|selected|chosen|prediction|correct"
)
_KIND = r"(?:\s+(?:option|choice|letter|value|options|choices))?"
_VERB = (
    r"(?:i(?:'d|'ll|\s+would|\s+will)?\s+)?(?:choose|chose|pick|picked|select|go(?:ing)?\s+(?:with"
    r"|for)|went\s+with|opt\s+for|vote\s+for"
    r"|answer\s+with|would\s+say|'d\s+say)\b(?:\s+that)?(?:\s+it(?:\s+i|')s)?\s*:?\s*"
)
_LATIN = (
    r"(?:resposta|respuesta|r[ée]ponse|risposta|antwort|l[öo]sung|odpowied[źz]|cevap|svar(?:et)?"
    r"|antwoord|ответ|jawaban|đáp\s+án"
    r"|alternativa|opci[óo]n|op[çc][ãa]o|soluci[óo]n|solução)"
    r"(?:\s+(?:correta|correcta|correcte|corretta|final|finale|certa|exata|juste|richtige|правильный))?"
    r"\s*(?::|-(?=\s)|\n|=|é|es\b|est\b|è|ist\b|lautet\b|jest\b|är\b|er\b|adalah\b|là\b|is\b)\s*"
    r"|(?:alternativa|letra|opción|opção)\s+(?=[A-Z]\b)"
)
_OTHER = (
    r"(?:最终|最後|正确|正確)?(?:答案|选项|選項)\s*(?:应该|應該)?(?:是|为|為)?\s*:?\s*|(?:应该|應該|应|應)?(?:选择|選擇|选|選)(?:项"
    r"|項|的是|:)?\s*"
    r"|(?:应该|應該|应当)(?:是|为|為)\s*|(?:结果|結果)(?:是|为|為)\s*:?\s*|共有\s*"
    r"|(?:答え|正解|回答|解答)(?:は|:)\s*|(?:정답|답변|답)(?:은|는|:)\s*"
    r"|(?:ال)?(?:إجابة|اجابة|جواب)(?:\s+(?:الصحيحة|الصحيح|النهائية))?\s*(?:هي|هو|:)\s*"
    r"|(?:सही\s+)?उत्तर\s*(?:है|:|-)?\s*|คำตอบ\s*(?:คือ|:)\s*"
)
_STRONG = re.compile(
    rf"\b(?:{_NOUN}){_KIND}{_LINK}|\banswer\s+(?=[\"'(\[]?[A-Z]\b[\"')\]]?\s*(?:[.,;:!]|$)|-?\d)"
    rf"|\b(?:{_VERB})|\b(?:{_LATIN})|(?:{_OTHER})",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:it|that|this|they|he|she|there)(?:'s|\s+(?:is|are|was|were|must\s+be|should\s+be"
    r"|would\s+be|has\s+to\s+be|says|reads))\b\s*"
    r"|\b(?:must|should|would|has\s+to)\s+be\b\s*|\b(?:so|therefore|thus|hence|ergo|leaving|leaves)\b,?\s*"
    r"|\bi\s+(?:think|believe|guess|say|see)\b\s*|\b(?:options?|choices?|letter|opción|opção"
    r"|letra)\b\s*|(?:->|=>|→|⇒)\s*"
    r"|\b(?:c'est|das\s+ist|es\s+ist|é|è|es)\s+|(?:只有|是|所以|因此|故)\s*",
    re.IGNORECASE,
)


_MOST = 12
"""Statements of one text that are looked at, the last ones."""

_LONGEST = 400
"""Characters of a statement that are looked at."""


class Statement(NamedTuple):
    """One place where an answer is stated.

    Attributes:
        content: from there to the end of the line, or of the box.
        place: where it begins.
        negated: the words before it take it back.
    """

    content: str
    place: int
    negated: bool


def statements(text: str) -> list[Statement]:
    """The places where the plain text states an answer outright: boxes, tags, cues; the last one first."""
    found = [*_displayed(text), *_behind(_STRONG, text)]
    return sorted(found, key=lambda statement: -statement.place)[:_MOST]


def hints(text: str) -> list[Statement]:
    """The places that may lead to an answer (``it is``, ``so``), in order."""
    return _behind(_WEAK, text)


def _displayed(text: str) -> list[Statement]:
    if SHOWN not in text:
        return []
    found, opened = [], []
    for place, char in enumerate(text):
        if char == SHOWN:
            opened.append(place)
        elif char == SHOWN_END and opened:
            found.append(opened.pop())
    places = sorted((*found, *opened))[-_MOST:]
    return [Statement(text[place + 1 :].split(SHOWN_END, 1)[0].strip(), place + 1, False) for place in places]


def _behind(cues: re.Pattern[str], text: str) -> list[Statement]:
    return [
        Statement(_line(text, cue.end()), cue.end(), negated_before(text, cue.start()))
        for cue in deque(cues.finditer(text), maxlen=_MOST)
    ]


def _line(text: str, place: int) -> str:
    while place < len(text) and text[place].isspace():
        place += 1
    return text[place : place + _LONGEST].split("\n", 1)[0].strip()
