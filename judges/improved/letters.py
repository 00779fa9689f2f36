"""Letters that may stand for an option."""

from __future__ import annotations

LATIN = "A-Za-z0-9À-ɏ"
LETTER = rf"[A-Za-zАВСЕНΑΒΕΗ](?!['’]?[{LATIN}])(?!\.[A-Za-z])(?!-[A-Za-z])(?!\s?[=^+])"
"""A letter with no word behind it, Cyrillic and Greek look-alikes included; what is before is not seen."""

_LOOKALIKE = str.maketrans("АВСЕНΑΒΕΗ", "ABCEHABEH")


def letter_of(char: str) -> str:
    """The Latin capital that a letter is, or looks like."""
    return char.translate(_LOOKALIKE).upper()
