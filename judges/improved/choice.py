"""Which options a response chooses, by letter or by text."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import hints, statements
from mmeval_pack.judges.improved.listing import (
    LATIN,
    LETTER,
    Keys,
    Unclear,
    announced_from,
    letter_at,
    letter_of,
    listed,
)
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
_CORRECT = re.compile(
    rf"(?<![{LATIN}'.])(?:({LETTER})|({MARK}))[\"')\]]*\s*(?:is|are|fits|matches|seems|looks"
    rf"|would be|must be|应该是?|是|最)\s*(?:the\s+|clearly\s+|definitely\s+)*"
    r"(?:only\s+)?(?:correct|right|best|answers?|true|closer|taller|better|one|正确|对|正確)",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"(?:^|[.!?。:\n]\s*)[\"'(\[]*({LETTER})[\"')\]]*\s*[.!?。]*$")
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
    found = _hinted(text, options)
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


def _hinted(text: str, options: Options) -> Keys:
    """The letters behind hints, or called correct, or alone in the last sentence."""
    found: list[Keys] = [(key,) for key in (*_called_correct(text, options), *_alone(text, options))]
    for statement in hints(text):
        taken_back = statement.negated or negated_before(text, statement.place)
        if not taken_back and letter_at(statement.content, announced_from(statement.content)):
            found.append(listed(statement.content, options, strict=True))
    widest: Keys = max(found, key=len, default=())
    if any(not set(keys) <= set(widest) for keys in found):
        raise Unclear
    return widest


def _called_correct(text: str, options: Options) -> Keys:
    keys = []
    for match in _CORRECT.finditer(text):
        if not negated_before(text, match.start()) and not negated_after(
            text, match.end(match.lastindex or 0)
        ):
            key = letter_of(match[1]) if match[1] else key_of(match[2], options)
            keys += [key] if match[2] or key in options.letters else []
    return tuple(keys)


def _alone(text: str, options: Options) -> Keys:
    alone = _ALONE.search(text)
    if alone and alone[1].isupper() and letter_of(alone[1]) in options.letters:
        return (letter_of(alone[1]),)
    return ()


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
