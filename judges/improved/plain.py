"""A response without its dress: one plain text, with the places marked where an answer is put on display."""

from __future__ import annotations

import re
import unicodedata

SHOWN, SHOWN_END = "\ue000", "\ue001"
"""Stand around what a box or an answer tag holds."""

HEAD, TAIL = 500, 1500
"""Characters of a longer text that are read: where answers stand, at its beginning and at its end."""

_BEFORE_NFKC = {
    **{ord(char): f"^{digit}" for digit, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},
    **{
        ord(char): f" {form}"
        for char, form in {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}.items()
    },
    **dict.fromkeys(range(0xE000, 0xE200), " "),  # the marks of this package
}
_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´", "'"),
        **dict.fromkeys("“”„‟«»「」『』《》", '"'),
        **dict.fromkeys("−–—‐‑", "-"),
        **dict.fromkeys("×·⋅", "*"),
        "÷": "/",
        "⁄": "/",
        "【": "[",
        "】": "]",
        "٪": "%",
        "$": "",
    }
)
_SHOWING = re.compile(r"<(answer|conclusion|final_answer|boxed)\s*>", re.IGNORECASE)
_SHOWING_END = re.compile(r"</(?:answer|conclusion|final_answer|boxed)\s*>", re.IGNORECASE)
_BOX = re.compile(r"\\f?box(?:ed)?\s*\{|\{|\}")
_STYLE = r"\\(?:text|mathrm|mathbf|mathit|textbf|textit|textrm|operatorname|mbox|emph)\s*\{([^{}]*)\}"
_SPACING = (("", r"[^\S\n]+", " ", 0), ("\n", r" ?\n[ \n]*", "\n", 0))
_TAGS = r"</?(?-i:think(?:ing)?|analysis|strong|em|[spbiu])\s*>|<\|[^|<>]{1,40}\|>|<\uff5c[^<>]{1,40}>"
# What a text must hold for the rewrite to apply (the patterns are the slower test), pattern, form, flags.
_REWRITES = tuple(
    (needed, re.compile(pattern, flags), form)
    for needed, pattern, form, flags in (
        *_SPACING,
        ("<", _TAGS, " ", re.I),
        ("<", r"<br\s*/?>", "\n", re.I),
        ("<", r"<([A-Za-z])>", r" \1 ", 0),
        ("```", r" ?```(?:[a-z]+(?=\n))?", " ", 0),
        *_SPACING,
        ("\\", _STYLE, r" \1", 0),
        ("\\", _STYLE, r" \1", 0),
        ("\\", r"\\(?:left|right|displaystyle|quad|qquad|bf|rm|it)\b|\\[()\[\]]", " ", 0),
        ("\\", r"\\[,;:! ]", " ", 0),
        ("\\", r"\\([%$&#_])", r"\1", 0),
        ("{,}", r"\{,\}", ",", 0),
        ("\\", r"\^? ?\{? ?\\circ(?: ?\})?|\\degrees?\b", "°", 0),
        ("\\", r"\\[dt]frac\b", r"\\frac", 0),
        ("\\", r"\\pi\b", "π", 0),
        ("\\", r"\\(?:times|cdot)\b", "*", 0),
        ("**", r"\*\*+", "", 0),
        ("__", r"__+", "", 0),
        ("*", r"(?<![\w*)\]}])\*(?=[^\s*])([^*\n]{1,200})(?<=[^\s*])\*(?![\w*])", r"\1", 0),
        ("_", r"(?<![\w_)\]}])_(?=[^\s_])([^_\n]{1,200})(?<=[^\s_])_(?![\w_])", r"\1", 0),
        ("", r"^[ \t]*(?:#{1,6}[ \t]*|>[ \t]*|[-+*•][ \t]+(?!\d))", "", re.M),
        ("|", r"^ ?\| | \| ?$| \| ", " ", re.M),
        *_SPACING,
    )
)


def plain(text: str) -> str:
    """The text in NFKC without invisible characters, LaTeX style, markdown and fancy quotes, lines kept.

    Of a text longer than `HEAD` + `TAIL` characters only its two ends are kept, so that all that follows
    takes bounded time.
    """
    text = _ends(text.strip())
    if not text.isascii():
        text = _ends(_visible(unicodedata.normalize("NFKC", text.translate(_BEFORE_NFKC))))
    text = _shown(text)
    text = text.replace("`", "'") if "```" not in text else text
    for needed, pattern, form in _REWRITES:
        if needed in text:
            text = pattern.sub(form, text)
    return text.translate(_PLAIN).strip()


def _ends(text: str) -> str:
    return text if len(text) <= HEAD + TAIL else f"{text[:HEAD]}\n{text[-TAIL:]}"


def _visible(text: str) -> str:
    """Without format characters (zero-width space, byte order mark), digits of every script as ASCII."""
    table = {}
    for char in set(text):
        category = unicodedata.category(char)
        if category == "Cf":
            table[ord(char)] = ""
        elif category == "Nd":
            table[ord(char)] = str(unicodedata.decimal(char))
    return text.translate(table) if table else text


def _shown(text: str) -> str:
    """Boxes and answer tags replaced by the marks; one that never closes reaches to the end."""
    if "<" in text:
        text = _SHOWING_END.sub(SHOWN_END, _SHOWING.sub(SHOWN, text))
    if "box" not in text:
        return text
    pieces: list[str] = []
    stack: list[bool] = []
    end = 0
    for brace in _BOX.finditer(text):
        boxed = brace[0].startswith("\\") if brace[0] != "}" else bool(stack) and stack.pop()
        if brace[0] != "}":
            stack.append(boxed)
        if boxed:
            pieces += [text[end : brace.start()], SHOWN_END if brace[0] == "}" else SHOWN]
            end = brace.end()
    return "".join([*pieces, text[end:]])
