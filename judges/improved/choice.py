"""Which options a response chooses, by letter or by text."""

from __future__ import annotations

import re

from mmeval_pack.judges.improved.cues import hints, statements
from mmeval_pack.judges.improved.options import MARK, Options, key_of, marked
from mmeval_pack.judges.improved.plain import SHOWN, SHOWN_END
from mmeval_pack.judges.improved.stance import conditional, last_word, negated_after, negated_before, refuses

Keys = tuple[str, ...]
"""The options chosen, in order; empty when the text names none."""

_LATIN = "A-Za-z0-9À-ɏ"
_LETTER = rf"[A-Za-zАВСЕНΑΒΕΗ](?!['’]?[{_LATIN}])(?!\.[A-Za-z])(?!-[A-Za-z])(?!\s?[=^+])"
_FILLER = re.compile(
    rf"(?:[\s\"'(\[{{<:=*,{SHOWN}]|-(?=\s)|\b(?:options?|choices?|letters?|answers?|both|is|are|was|definitely|clearly|probably|likely|most"
    rf"|certainly|actually|just|simply|only|image|picture|figure|point|letra|lettre|alternativa|opción|opção|buchstabe|it|be|will|to|indeed"
    rf"|correct|right|either(?=\s+of))\b"
    rf"|\b(?:a|la|o|el|the|an|l)\s+(?=letra|lettre|opción|opção|alternativa|option|choice|letter|correct|right|one\b|{MARK}|\(|[A-Z]\b)"
    rf"|选项|選項|是|为|為|第)*",
    re.IGNORECASE,
)
_ITEM = re.compile(rf"[\s\"'(\[{{<]*(?:(?:(?:[Tt]he|[Aa]n?)\s+)?({MARK})|({_LETTER}))[\"')\]}}>]*")
_LEAD = re.compile(r"(?:(?:both|options?|choices?|letters?|alternatives?|alternativa|opción|opção|letra|just|only|选项|選項)\s*)+", re.IGNORECASE)
_NAMED = re.compile(rf"(?:the\s+)?(\w+)\s+[\"'(\[]*({_LETTER})[\"')\].]*", re.IGNORECASE)
_NAMES = frozenset("image picture photo figure panel frame point graph map view scene object item".split())
_COMPACT = re.compile(rf"[\"'(\[]*([A-Z]{{2,10}})(?![{_LATIN}]|\s?[-+=^*/])")
_OWN_TEXT = re.compile(rf"\s*[.):,、-]*\s*[\"'(]*(?:(?:the|an?)\s+)?({MARK})[\"')]*", re.IGNORECASE)
_SEPARATOR = re.compile(
    r"\s*(?:[,;、/&+，]\s*(?:and\b|or\b)?|[.)]\s|\band\b|\bor\b|\by\b|\be\b|\bet\b|\bund\b|\boder\b|\bou\b|和|及|與|与|或)\s*(?:options?|choices?)?|\s+",
    re.IGNORECASE,
)
_OR = re.compile(r"\bor\b|\boder\b|\bou\b|或|/", re.IGNORECASE)
_JOINS = re.compile(r"[&/+]|[^\W\d]")
_WORD_BEHIND = re.compile(r"[ ]+([a-zà-ɏ]+|[A-Z][a-z]+)")
_GOES_ON = frozenset(
    "and or is are was because since as so for but which while y e et und oder ou due given with shows matches fits looks seems best would"
    " must should option based instead from".split()
)
_CORRECT = re.compile(
    rf"(?<![{_LATIN}'.])(?:({_LETTER})|({MARK}))[\"')\]]*\s*(?:is|are|fits|matches|seems|looks|would be|must be|应该是?|是|最)\s*(?:the\s+|clearly\s+|definitely\s+)*"
    r"(?:only\s+)?(?:correct|right|best|answers?|true|closer|taller|better|one|正确|对|正確)",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"(?:^|[.!?。:\n]\s*)[\"'(\[]*({_LETTER})[\"')\]]*\s*[.!?。]*$")
_VERDICT = re.compile(
    rf"\(?({_LETTER})[.):]*\s*(?:(?:the|an?)\s+)?(?:{MARK})?\s*[:(,-]*\s*(yes|no|correct|incorrect|wrong|right|true|false|✓|✗|✔|✘|✅|❌)\)?[.]?",
    re.IGNORECASE,
)
_SHARE = re.compile(rf"(?<![{_LATIN}])[A-Z]\s?[:=(]?\s?\d+(?:\.\d+)?\s?%")
_QUALIFIED = re.compile(rf"(?!(?:the|an?|it's|is|only|just|yes|no|so|option|likely|probably|about|around|approximately)\s)[a-z]+\s+{MARK}[.!]?", re.IGNORECASE)
_AFFIRMED = frozenset(("yes", "correct", "right", "true", "✓", "✔", "✅"))
_LOOKALIKE = str.maketrans("АВСЕНΑΒΕΗ", "ABCEHABEH")


class _Unclear(Exception):  # noqa: N818 (it ends a reading, no error leaves this module)
    """The response names alternatives, or says two things."""


def chosen(text: str, options: Options) -> Keys:
    """The options that a plain response finally chooses; empty when it chooses none or leaves it open."""
    text = marked(text, options)
    text, _ = last_word(text)
    try:
        return _stated(text, options) or _whole(text, options)
    except _Unclear:
        return ()


def _stated(text: str, options: Options) -> Keys:
    """What the last outright statement chooses."""
    for statement in statements(text):
        if statement.negated:
            continue
        sentence = _sentence(statement.content)
        if conditional(sentence) or conditional(_before(text, statement.place)):
            raise _Unclear
        keys = _listed(statement.content, options) or _only_text(sentence, options)
        if keys:
            return keys
    return ()


def _whole(text: str, options: Options) -> Keys:
    """What a response without an outright statement chooses, if only one reading is there."""
    text = text.replace(SHOWN, " ").replace(SHOWN_END, " ").strip()
    if keys := _verdicts(text, options):
        return keys
    if refuses(text) or len(_SHARE.findall(text)) > 1:
        return ()
    if (named := _NAMED.fullmatch(text)) and named[2].upper() in options.letters:
        if named[1].lower() in _NAMES or named[1].lower() in options.asked:
            return (named[2].upper(),)
    lead = _listed(text, options, lead=True, strict=True)
    found = _hinted(text, options)
    if lead and found and not set(found) <= set(lead):
        raise _Unclear
    return lead or found or _only_text(text, options)


def _listed(text: str, options: Options, *, lead: bool = False, strict: bool = False) -> Keys:
    """The options that the text begins with, by letter or text, one or several.

    Args:
        text: marked text.
        options: what can be chosen.
        lead: the text is the whole response, and nothing announces the letters.
        strict: a word behind a letter makes it a word too, even where it is no article.

    Raises:
        _Unclear: they are alternatives (``A or B``), or a letter stands with another option's text.
    """
    filler = (_LEAD if lead else _FILLER).match(text)
    place = filler.end() if filler else 0
    if negated_after(text, place) and not lead:
        return ()
    compact = _COMPACT.match(text, place)
    if compact and len(set(compact[1])) == len(compact[1]) and options.letters.issuperset(compact[1]):
        return tuple(compact[1])
    keys: list[str] = []
    alternatives = joined = False
    while item := _ITEM.match(text, place):
        key = _key(item, text, options, strict=strict and not keys)
        if key is None:
            break
        place = item.end()
        own = _OWN_TEXT.match(text, place) if item[2] else None
        if own and key_of(own[1], options) != key:
            raise _Unclear
        place = own.end() if own else place
        keys.append(key)
        separator = _SEPARATOR.match(text, place)
        if separator is None:
            break
        alternatives = alternatives or (len(keys) > 0 and _OR.search(separator[0]) is not None)
        following = _ITEM.match(text, separator.end())
        if following is None:
            break
        if _key(following, text, options, strict=separator[0].isspace()) is None:
            if _is_foreign(following, separator, text, options):
                raise _Unclear
            break
        joined = _JOINS.search(separator[0]) is not None
        place = separator.end()
    if keys and negated_after(text, place):
        if joined:
            return ()
        keys.pop()
    if len(set(keys)) > 1 and alternatives and not _is_slashed(text):
        raise _Unclear
    return tuple(dict.fromkeys(keys))


def _is_foreign(item: re.Match[str], separator: re.Match[str], text: str, options: Options) -> bool:
    """Whether a list of letters goes on with one that is no option's."""
    letter = item[2] or ""
    return letter.isupper() and letter not in options.letters and not separator[0].isspace() and not text[item.end() :].strip(" .")


def _is_slashed(text: str) -> bool:
    """``A/B/C`` lists letters, where ``A or B`` leaves them open."""
    return not re.search(r"\bor\b|\boder\b|\bou\b|或", text, re.IGNORECASE)


def _filled(text: str) -> int:
    filler = _FILLER.match(text)
    return filler.end() if filler else 0


def _key(item: re.Match[str], text: str, options: Options, *, strict: bool) -> str | None:
    """The option of an item, None where the letter is a word (an article, a pronoun) or no option's."""
    if item[1]:
        return key_of(item[1], options)
    letter = item[2].translate(_LOOKALIKE)
    if letter.upper() not in options.letters:
        return None
    behind = _WORD_BEHIND.match(text, item.end())
    if behind and behind[1].lower() not in _GOES_ON and (strict or letter in "AaIiEeOoYy" or letter.islower()):
        return None
    return letter.upper()


def _verdicts(text: str, options: Options) -> Keys:
    """The options affirmed by a list that judges each on a line of its own."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    judged = [_VERDICT.fullmatch(line) for line in lines]
    found = [match for match in judged if match]
    if len(found) < 2 or len(found) < len(lines):
        return ()
    return tuple(match[1].upper() for match in found if match[2].lower() in _AFFIRMED and match[1].upper() in options.letters)


def _hinted(text: str, options: Options) -> Keys:
    """The letters behind hints, or called correct, or alone in the last sentence."""
    found: list[Keys] = []
    for statement in hints(text):
        item = _ITEM.match(statement.content, _filled(statement.content))
        if item and item[2] and not statement.negated and not negated_before(text, statement.place):
            found.append(_listed(statement.content, options, strict=True))
    for match in _CORRECT.finditer(text):
        if not negated_before(text, match.start()) and not negated_after(text, match.end(match.lastindex or 0)):
            key = match[1].upper() if match[1] else key_of(match[2], options)
            if match[2] or key in options.letters:
                found.append((key,))
    alone = _ALONE.search(text)
    if alone and alone[1].isupper() and (letter := alone[1].translate(_LOOKALIKE)) in options.letters:
        found.append((letter,))
    widest = max(found, key=len, default=())
    if any(not set(keys) <= set(widest) for keys in found):
        raise _Unclear
    return widest


def _only_text(text: str, options: Options) -> Keys:
    """The one option whose text the text mentions and does not take back."""
    if refuses(text):
        return ()
    if _QUALIFIED.fullmatch(text):
        return ()
    found, denied = set(), set()
    for match in re.finditer(MARK, text):
        taken_back = negated_before(text, match.start()) or negated_after(text, match.end())
        (denied if taken_back else found).add(match[0])
    if len(found) != 1 or found & denied:
        return ()
    return (key_of(found.pop(), options),)


def _before(text: str, place: int) -> str:
    """What the sentence that reaches to the place says before it."""
    return re.split(r"[.!?\n。]", text[max(0, place - 200) : place])[-1]


def _sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s|[。;]", text, maxsplit=1)[0]
