"""Options chosen by letter or by text."""

from __future__ import annotations

import pytest

from mmeval_pack.judges.improved.choice import chosen
from mmeval_pack.judges.improved.options import Options, marked
from mmeval_pack.judges.improved.plain import plain

LAMPS = Options(
    {"A": "a green lamp", "B": "a tall mirror", "C": "dark green", "D": "None of the choices provided"},
    frozenset("ABCD"),
    frozenset(("which", "shelf", "holds", "it")),
)
WAYS = Options({"0": "up", "1": "up and down"}, frozenset())


def read(response: str, options: Options = LAMPS) -> str:
    """The keys chosen, in one text."""
    return " ".join(chosen(plain(response), options))


@pytest.mark.parametrize(
    ("response", "keys"),
    [
        ("C", "C"),
        ("c", "C"),
        ("`C`", "C"),
        ('"C"', "C"),
        ("$C$", "C"),
        ("\\(C\\)", "C"),
        ("<C>", "C"),
        ("[[C]]", "C"),
        ("**C**", "C"),
        ("# C", "C"),
        ("C?", "C"),
        ("\u200bC\ufeff", "C"),
        ("С", "C"),  # Cyrillic
        ("option c", "C"),
        ("b. a tall mirror", "B"),
        ("Answer:C", "C"),
        ("**Answer:** C", "C"),
        ("### Final answer\nC", "C"),
        ('{"answer": "C", "why": "A is too small"}', "C"),
        ("The answer is A because it is green.", "A"),
        ("The answer is a tall mirror, as the frame shows.", "B"),
        ("A tall mirror", "B"),
        ("It is dark green, not plain green.", "C"),
        ("\\boxed{C}", "C"),
        ("\\boxed{A} does not fit. \\boxed{\\text{C}}", "C"),
        ("<answer>C</answer>", "C"),
        ("<answer>C", "C"),
        ("The answer is A. Wait, the answer is C.", "C"),
        ("A. Sorry, I meant C.", "C"),
        ("The answer is (C). (A) would be wrong because it is too bright.", "C"),
        ("A is wrong, B is wrong, so C.", "C"),
        ("Options A and B are wrong, so C.", "C"),
        ("It is not A, so it must be B.", "B"),
        ("A. lamp - no\nB. mirror - yes\nC. green - no", "B"),
        ("C\n\nThe shelf is empty otherwise.", "C"),
        ("C is correct since the wall is green.", "C"),
        ("Step 1: look. Step 2: decide. C", "C"),
        ("答案是C", "C"),
        ("我认为应该选择C。", "C"),
        ("正解はCです", "C"),
        ("정답은 C입니다", "C"),
        ("A resposta correta é a letra C.", "C"),
        ("La respuesta es C", "C"),
        ("Die Antwort ist C.", "C"),
        ("Ответ: C", "C"),
        ("الإجابة هي C", "C"),
        ("Shelf C", "C"),
        ("None of the above", "D"),
        ("none of the choices provided", "D"),
        ("A, C", "A C"),
        ("(A) and (C)", "A C"),
        ("**A** and **C**", "A C"),
        ("AC", "A C"),
        ("答案：A、C", "A C"),
        ("The correct options are A and C, since both are green.", "A C"),
        ("A. a green lamp; C. dark green", "A C"),
        ("A: yes\nC: yes", "A C"),
    ],
)
def test_choice_reads(response: str, keys: str) -> None:
    """What a careful reader takes the response to choose."""
    assert read(response) == keys


@pytest.mark.parametrize(
    "response",
    [
        "",
        "Z",
        "A or C",
        "either B or C",
        "\\boxed{A or C}",
        "It is not C",
        "The answer is not C.",
        "I doubt that it is C.",
        "The incorrect answer is C.",
        "The only wrong option is C.",
        "Anything but C.",
        "I would rule out C.",
        "C can be ruled out.",
        "B is not correct.",
        "不选C",
        "C是错误的",
        "Maybe C.",
        "Both A and C could be right, I cannot decide.",
        "If the wall is green, the answer is C; otherwise B.",
        "See figure C",
        "I would need vitamin C to answer this.",
        "C-section",
        "A.I. made this",
        "A human should check it",
        "I do not know",
        "I cannot tell from the picture.",
        "The letter C hangs on the wall.",
        "C. a tall mirror",
        "C: 20%, A: 80%",
        "A, C, G",
        "a tall mirror or dark green",
        "not dark green",
        "There is a tall mirror on the left and no tall mirror on the right.",
        "hot dark green",
    ],
)
def test_choice_noop(response: str) -> None:
    """Nothing is chosen, or more than one reading is left."""
    assert read(response) == ""


@pytest.mark.parametrize(
    ("response", "keys"),
    [
        ("up", "0"),
        ("Up and down.", "1"),
        ("It moved up and down", "1"),
        ("B. up and down", "1"),
        ("The answer is up, because it rose.", "0"),
        ("A", ""),
        ("upwards", ""),
        ("not up", ""),
        ("up or up and down", ""),
    ],
)
def test_choices_without_letters_are_read_by_their_text(response: str, keys: str) -> None:
    """A lone letter names none of them, and a text inside a longer one does not count."""
    assert read(response, WAYS) == keys


def test_number_options_are_not_found_inside_numbers() -> None:
    """``3`` is not in ``13``, nor in ``3.5``."""
    options = Options({"A": "3", "B": "13"}, frozenset("AB"))
    assert chosen("There are 13 of them", options) == ("B",)
    assert marked("3.5 of 35", options) == "3.5 of 35"
