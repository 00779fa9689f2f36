"""Which options a response chooses, by letter or by text."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import statements
from mmeval_pack.judges.improved.hinted import hinted
from mmeval_pack.judges.improved.letters import LATIN, LETTER, letter_of
from mmeval_pack.judges.improved.listing import Keys, Unclear, announced_from, letter_at, listed
from mmeval_pack.judges.improved.numbers import is_label
from mmeval_pack.judges.improved.options import MARK, Options, key_of, marked
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import conditional, last_word, negated_after, negated_before, refuses

_NAMED = re.compile(rf"(?:the\s+)?(\w+)\s+[\"'(\[]*({LETTER})[\"')\].]*", re.IGNORECASE)
_NAMES = frozenset(
    (
        "image",
        "picture",
        "photo",
        "figure",
        "panel",
        "frame",
        "point",
        "graph",
        "map",
        "view",
        "scene",
        "object",
    )
)
_VERDICT = re.compile(
    rf"\(?({LETTER})[.):]*\s*(?:[^\n]{{0,80}}?[:(,-]\s*|(?:(?:the|an?)\s+)?(?:{MARK})?\s*)"
    r"(yes|no|correct|incorrect|wrong|right|true|false|✓|✗|✔|✘|✅|❌)\)?[.]?",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"(?<![{LATIN}])[A-Z]\s?[:=(]?\s?\d+(?:\.\d+)?\s?%")
_QUALIFIED = re.compile(
    r"(?!(?:the|an?|it's|is|it|he|she|they|this|that|these|i|we|you|see|say|says|pick|choose|to|on|in|at|of|my|your"
    r"|its|his|her|their|turn|go|only|just|yes|no|so|option|likely|probably|about|around|approximately)\s)"
    rf"[a-z]+\s+{MARK}[.!]?",
    re.IGNORECASE,
)
_AFFIRMED = frozenset(("yes", "correct", "right", "true", "✓", "✔", "✅"))


def chosen(text: str, options: Options) -> Keys:
    """The options that a plain response finally chooses; empty when it chooses none or leaves it open."""
    text = marked(last_word(text), options)
    try:
        return _stated(text, options) or _whole(text, options)
    except Unclear:
        return ()


def _stated(text: str, options: Options) -> Keys:
    """What the last outright statement chooses."""
    for statement in statements(text):
        if statement.negated:
            continue
        sentence = _first_sentence(statement.content)
        if conditional(sentence) or conditional(_sentence_before(text, statement.place)):
            raise Unclear
        if keys := listed(statement.content, options) or _only_text(sentence, options):
            return keys
    return ()


def _whole(text: str, options: Options) -> Keys:
    """What a response without an outright statement chooses, if only one reading is there."""
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip()
    if keys := _judged(text, options):
        return keys
    if refuses(text) or len(_SHARE.findall(text)) > 1:
        return ()
    if keys := _named(text, options):
        return keys
    lead = listed(text, options, lead=True, strict=True)
    found = hinted(text, options)
    if lead and found and not set(found) <= set(lead):
        if letter_at(text, announced_from(text, lead=True)):
            raise Unclear
        lead = ()
    return lead or found or _only_text(text, options)


def _judged(text: str, options: Options) -> Keys:
    """The options affirmed by a list that judges each on a line of its own."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    verdicts = [verdict for line in lines if (verdict := _VERDICT.fullmatch(line))]
    if len(verdicts) < 2 or len(verdicts) < len(lines):
        return ()
    affirmed = [letter_of(verdict[1]) for verdict in verdicts if verdict[2].lower() in _AFFIRMED]
    return tuple(letter for letter in affirmed if letter in options.letters)


def _named(text: str, options: Options) -> Keys:
    """The letter of a text that is only a thing with its letter (``Image B``), if such were asked for."""
    named = _NAMED.fullmatch(text)
    if not named or letter_of(named[2]) not in options.letters:
        return ()
    asked_for = named[1].lower() in _NAMES or named[1].lower() in options.asked
    return (letter_of(named[2]),) if asked_for else ()


def _only_text(text: str, options: Options) -> Keys:
    """The one option whose text the marked text mentions and does not take back."""
    if refuses(text) or _QUALIFIED.fullmatch(text):
        return ()
    found: set[str] = set()
    denied: set[str] = set()
    for match in re.finditer(MARK, text):
        if is_label(text[max(0, match.start() - 24) : match.start()]):
            continue
        taken_back = negated_before(text, match.start()) or negated_after(text, match.end())
        (denied if taken_back else found).add(match[0])
    if len(found) != 1 or found & denied:
        return ()
    return (key_of(found.pop(), options),)


def _sentence_before(text: str, place: int) -> str:
    """What the sentence that reaches to the place says before it."""
    return re.split(r"[.!?\n。]", text[max(0, place - 200) : place])[-1]


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|[。;]", text, maxsplit=1)[0]
