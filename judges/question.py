"""What a row asks for: the type of answer, the option letters, the truth as rules compare it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mmeval_pack.judges.letters import Letters, bare, letter_set, truth_letters
from mmeval_pack.judges.normal_form import spelled_out
from mmeval_pack.judges.numbers import number
from mmeval_pack.judges.options import ALPHABET, option_letters, option_texts
from mmeval_pack.judges.records import Doc
from mmeval_pack.judges.text import Response, open_form

TYPES = ("mcq", "yes_no", "numeric", "open")
_UNNAMED_OPTIONS = frozenset("ABCDEF")


class Question:
    """What the rule stages derive from a doc, whatever the response.

    Attributes:
        type: one of `TYPES`: declared by the row, else by the shape of the truth.
        letters: the candidate letters, upper case; empty unless the type is mcq.
        has_options: whether the row names its options, so that the letters are no guess.
        truth: the truth, to be read as a response is.
        truth_letters: the letters that are right, empty where the truth does not list letters.
    """

    __slots__ = ("_doc", "_references", "_texts", "has_options", "letters", "truth", "truth_letters", "type")

    def __init__(self, doc: Doc) -> None:
        self._doc = doc
        self._texts: Mapping[str, str] | None = None
        self._references: tuple[str, ...] | None = None
        self.truth = Response(doc.truth)
        self.truth_letters: Letters = ()
        self.letters: frozenset[str] = frozenset()
        self.has_options = False
        self.type = self._type()
        if self.type == "mcq":
            self._read_options()

    def _type(self) -> str:
        """The declared type, else the type by the shape of the truth (also sets `truth_letters`)."""
        declared = self._doc.question_type
        if declared is not None and (name := str(declared).strip().lower()) in TYPES:
            if name == "mcq":
                self.truth_letters = truth_letters(self._printed)
            return name
        printed = self._printed
        self.truth_letters = truth_letters(printed)
        if self.truth_letters:
            return "mcq"
        opened = self.truth.opened
        if opened in ("yes", "no"):
            return "yes_no"
        if number(opened) is not None:
            return "numeric"
        return "open" if bare(printed) else "mcq"

    @property
    def _printed(self) -> str:
        """The truth as Python prints it: a list never looks like letters."""
        truth = self._doc.truth
        return truth if type(truth) is str else str(truth)

    def _read_options(self) -> None:
        letters = frozenset(option_letters(self._doc.message))
        self.has_options = bool(letters)
        letters = letters or _UNNAMED_OPTIONS
        if not letters.issuperset(self.truth_letters):
            last = max(letter for letter in (*letters, *self.truth_letters) if letter in _LETTERS)
            letters = frozenset(ALPHABET[: ALPHABET.index(last) + 1])
        self.letters = letters
        if not self.truth_letters and self.has_options:
            self.truth_letters = letter_set(self.truth, letters)

    def right_letters(self, reader: Callable[[Response, Question], str | None]) -> Letters:
        """The letters that are right; where the truth lists none, the one that the stage's own reader finds.

        A truth that nobody can read stands for itself, in upper case.
        """
        if self.truth_letters:
            return self.truth_letters
        letter = reader(self.truth, self) or self.truth.normal.lower().upper()
        return (letter,) if letter else ()

    @property
    def texts(self) -> Mapping[str, str]:
        """Letter to option text, empty where the row holds no texts apart from its question."""
        if self._texts is None:
            self._texts = option_texts(self._doc.message, self.letters)
        return self._texts

    @property
    def references(self) -> tuple[str, ...]:
        """The open forms of the truth (of a list: of its items), without null and blank ones."""
        if self._references is None:
            forms = (spelled_out(open_form(item)) for item in reference_values(self._doc.truth))
            self._references = tuple(form for form in forms if form)
        return self._references


_LETTERS = frozenset(ALPHABET)


def reference_values(truth: object) -> list[object]:
    """The references of a truth: the items of a list that are not null, or the one value."""
    return [item for item in truth if item is not None] if isinstance(truth, list) else [truth]


def question_of(doc: Doc) -> Question:
    """The doc's question, derived once and kept on the doc."""
    question: Question | None = doc.question
    if question is None:
        question = doc.question = Question(doc)
    return question
