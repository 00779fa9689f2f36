"""What a row asks for: the type of answer, the option letters, the truth as rules compare it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mmeval_pack.judges.letters import Letters, bare, letter_set, truth_letters
from mmeval_pack.judges.normal_form import spelled_out
from mmeval_pack.judges.numbers import number
from mmeval_pack.judges.options import LETTER_RUNS, option_letters, option_texts
from mmeval_pack.judges.params import Params
from mmeval_pack.judges.records import AnyReading, Doc
from mmeval_pack.judges.text import Response, open_form

TYPES = frozenset({"mcq", "yes_no", "numeric", "open"})
_UNNAMED_OPTIONS = LETTER_RUNS[6]
_LARGEST_RUN = LETTER_RUNS[26]
_RUNS = frozenset(LETTER_RUNS)


class Question:
    """What the rule stages derive from a doc, whatever the response; most of it only when it is asked for.

    Attributes:
        doc: what it is derived from.
        type: one of `TYPES`: declared by the row, else by the shape of the truth.
        truth_letters: the letters that are right, empty where the truth is no list of letters by its shape.
    """

    __slots__ = ("_letters", "_number", "_opened", "_references", "doc", "truth_letters", "type")

    def __init__(self, doc: Doc) -> None:
        self.doc = doc
        self._letters: frozenset[str] | None = None
        self._opened: str | None = None
        self._number: float | None = None
        self._references: tuple[str, ...] | None = None
        declared = None if doc.question_type is None else _known(doc.question_type)
        letters: Letters = ()
        if declared is None or declared == "mcq":
            truth = doc.truth  # a list is read as Python prints it, which never looks like letters
            letters = truth_letters(truth if truth.__class__ is str else str(truth))
        self.truth_letters = letters
        self.type: str = declared or ("mcq" if letters else self._type_by_shape())

    def _type_by_shape(self) -> str:
        """The type of a truth that is no list of letters."""
        opened = self._opened = open_form(self.doc.truth)
        if opened in ("yes", "no"):
            return "yes_no"
        self._number = number(opened)
        if self._number is not None:
            return "numeric"
        printed = str(self.doc.truth)
        return "open" if printed[:1].isalnum() or bare(printed) else "mcq"

    def letters(self) -> frozenset[str]:
        """The candidate letters, upper case: the row's, or A to F; they always hold the truth's."""
        if self._letters is None:
            letters = option_letters(self.doc.message) or _UNNAMED_OPTIONS
            if not letters.issuperset(self.truth_letters):
                last = max(_LARGEST_RUN.intersection(letters.union(self.truth_letters)))
                letters = LETTER_RUNS[ord(last) - ord("A") + 1]
            self._letters = letters
        return self._letters

    def lists(self, letters: Letters) -> bool:
        """Whether the candidates surely are letters of the alphabet and nothing else, these among them."""
        if letters == self.truth_letters and not self.doc.message.get("options"):
            return True  # only an object of options can name them otherwise
        candidates = self.letters()
        return candidates in _RUNS and letters[0] in candidates

    @property
    def has_options(self) -> bool:
        """Whether the row names its options, so that the letters are no guess."""
        return bool(option_letters(self.doc.message))

    @property
    def truth(self) -> Response:
        """The truth, to be read as a response is."""
        return Response(self.doc.truth)

    def right_letters(self, reader: Callable[[Response, Question], str | None]) -> Letters:
        """The letters that are right; where the truth lists none, the one that the stage's own reader finds.

        A truth that nobody can read stands for itself, in upper case.
        """
        if self.truth_letters:
            return self.truth_letters
        truth = self.truth
        if self.has_options and (listed := letter_set(truth, self.letters())):
            return listed
        letter = reader(truth, self) or truth.normal().lower().upper()
        return (letter,) if letter else ()

    @property
    def texts(self) -> Mapping[str, str]:
        """Letter to option text, empty where the row holds no texts apart from its question."""
        return option_texts(self.doc.message, self.letters())

    @property
    def opened(self) -> str:
        """The open form of the truth (of a list: of its first item)."""
        if self._opened is None:
            self._opened = open_form(self.doc.truth)
        return self._opened

    @property
    def number(self) -> float | None:
        """The number that the truth is (of a list: its first item), None when it is none."""
        if self._number is None:
            self._number = number(self.opened)
        return self._number

    @property
    def numbers(self) -> list[float]:
        """The numbers among the references."""
        if not isinstance(self.doc.truth, list):
            return [] if self.number is None else [self.number]
        return [value for reference in self.references if (value := number(reference)) is not None]

    @property
    def references(self) -> tuple[str, ...]:
        """The open forms of the truth (of a list: of its items), without null and blank ones."""
        if self._references is None:
            truth = self.doc.truth
            if isinstance(truth, list):
                self._references = tuple([spelled_out(form) for form in map(open_form, truth) if form])
            else:
                self._references = (spelled_out(self.opened),) if self.opened else ()
        return self._references

    @property
    def printed_references(self) -> list[str]:
        """The truth as text, unchanged (of a list: its items that are not null)."""
        truth = self.doc.truth
        return [str(item) for item in truth if item is not None] if isinstance(truth, list) else [str(truth)]


def _known(declared: object) -> str | None:
    """The type that a row declares, None where it is none of ours."""
    name = str(declared).strip().lower()
    return name if name in TYPES else None


Stage = Callable[[Question, Response, Params], AnyReading]
ByType = Mapping[str, Stage]
"""A stage that has a function for each of the `TYPES`."""
