"""MathVerse's prompts from the pack, from the authors' repository and from VLMEvalKit."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.mathverse_prompts import MathVersePrompts, mathverse_prompts
from mmeval_pack.judges.prompt_file import own

# Of the shape of the authors' file, in words of our own; running it would leave a trace.
OFFICIAL = '''
import pathlib
pathlib.Path(__file__).with_name("ran").touch()
demo_prompt_extract = """
Take out the answer. 1.
Model response: '{{1, 2}}'
Extracted Answer: {{1, 2}}
"""

demo_prompt_score = """
Compare √{{3}} and so on.
[Question]: {question}
[Standard Answer]: {gt}
[Model_answer] : {extraction}
Judgement: """
'''


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder laid out as the authors' repository."""
    folder = tmp_path / "evaluation"
    folder.mkdir()
    (folder / "prompts.py").write_text(OFFICIAL, "utf-8")
    return tmp_path


def filled(prompts: MathVersePrompts) -> tuple[str, str]:
    """Both prompts with texts of which each character counts."""
    return (
        prompts.extract.filled(response="⟦so {it} is 5 "),
        prompts.score.filled(question="Q {?}", reference=" 5", answer="<|5|>"),
    )


@pytest.mark.parametrize("source", [None, "", "pack"])
def test_the_pack_has_its_own(source: str | None) -> None:
    """They are the default."""
    assert mathverse_prompts(source) == (own("mathverse_extract"), own("mathverse_score"))


@pytest.mark.parametrize("path", ["", "evaluation/prompts.py"])
def test_the_authors_prompts_are_filled_as_they_fill_them(repository: Path, path: str) -> None:
    """The repository or the file itself may be named; the file is not run, and texts stay as they are."""
    prompts = mathverse_prompts(f"official:{repository / path}")
    assert filled(prompts) == (
        "Take out the answer. 1.\nModel response: '{{1, 2}}'\nExtracted Answer: {{1, 2}}\n\n"
        "Model response: '⟦so {it} is 5 '\nExtracted Answer: ",
        "Compare √{3} and so on.\n[Question]: Q {?}\n[Standard Answer]:  5\n"
        "[Model_answer] : <|5|>\nJudgement:",
    )
    assert not (repository / "evaluation" / "ran").exists()


def test_prompts_of_others_have_digests_of_their_own(repository: Path) -> None:
    """Verdicts of different prompts are told apart."""
    ours, theirs = mathverse_prompts(), mathverse_prompts(f"official:{repository}")
    assert len({prompt.digest for prompt in (*ours, *theirs)}) == 4
    assert mathverse_prompts(f"official:{repository}").extract.digest == theirs.extract.digest


def test_a_missing_copy_is_named(tmp_path: Path) -> None:
    """The message says what to give."""
    file = tmp_path / "evaluation" / "prompts.py"
    missing = f"[Errno 2] No such file or directory: '{file}'"
    with pytest.raises(InputError) as caught:
        mathverse_prompts(f"official:{tmp_path}")
    assert str(caught.value) == (
        f"{file}: cannot be read as the prompts of MathVerse ({missing}); "
        "expected official:PATH with the folder of a copy of its repository, or its evaluation/prompts.py"
    )


@pytest.mark.parametrize("source", ["def (", "demo_prompt_extract = 'a\0b'"])
def test_a_file_that_is_no_python_is_refused(repository: Path, source: str) -> None:
    """Without a traceback."""
    (repository / "evaluation" / "prompts.py").write_text(source, "utf-8")
    with pytest.raises(InputError, match=r"cannot be read as the prompts of MathVerse \("):
        mathverse_prompts(f"official:{repository}")


def test_missing_names_are_named(repository: Path) -> None:
    """A file that holds other things is no file of prompts; a computed text is not run to be known."""
    file = repository / "evaluation" / "prompts.py"
    file.write_text("demo_prompt_score = 'a'.strip()\nother = 1\n", "utf-8")
    with pytest.raises(InputError) as caught:
        mathverse_prompts(f"official:{repository}")
    assert str(caught.value) == (
        f"{file}: holds no text named demo_prompt_extract or demo_prompt_score; is it MathVerse's prompts.py?"
    )


def test_other_slots_are_refused(repository: Path) -> None:
    """A prompt that does not show the question, both answers and nothing else cannot be filled."""
    file = repository / "evaluation" / "prompts.py"
    file.write_text("demo_prompt_extract = 'a'\ndemo_prompt_score = '{question} {answer}'\n", "utf-8")
    with pytest.raises(InputError) as caught:
        mathverse_prompts(f"official:{file}")
    assert str(caught.value) == (
        f"{file}: demo_prompt_score has the slots answer, question; expected question, gt and extraction"
    )


def installed(monkeypatch: pytest.MonkeyPatch, **functions: object) -> None:
    """Has VLMEvalKit's module with these functions importable."""
    for name in ("vlmeval", "vlmeval.dataset", "vlmeval.dataset.utils", "vlmeval.dataset.utils.mathverse"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    vars(sys.modules["vlmeval.dataset.utils.mathverse"]).update(functions)


def test_vlmevalkits_prompts_are_those_that_it_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Braces and blanks included."""
    installed(
        monkeypatch,
        build_mathverse_gpt4_extract_prompt=lambda line: f"Copy {{{{it}}}}.\n7.\n'{line['prediction']}'\n: ",
        build_mathverse_gpt4_score_prompt=lambda line: (
            f"{{x}}\n    [Q]: {line['question_for_eval']}\n [S]: {line['answer']}\n [M] : {line['extract']}\n"
        ),
    )
    assert filled(mathverse_prompts("vlmevalkit")) == (
        "Copy {{it}}.\n7.\n'⟦so {it} is 5 '\n: ",
        "{x}\n    [Q]: Q {?}\n [S]:  5\n [M] : <|5|>\n",
    )


def test_vlmevalkit_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message holds the command that installs it."""

    def missing(name: str) -> ModuleType:
        assert name == "vlmeval.dataset.utils.mathverse"
        raise ModuleNotFoundError("no such module")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(InputError) as caught:
        mathverse_prompts("vlmevalkit")
    assert str(caught.value) == (
        "prompts vlmevalkit: VLMEvalKit cannot be imported (no such module); pip install ms-vlmeval==0.0.20"
    )


def test_vlmevalkit_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that has other functions is told from none."""
    installed(monkeypatch)
    with pytest.raises(InputError) as caught:
        mathverse_prompts("vlmevalkit")
    assert str(caught.value) == (
        "prompts vlmevalkit: module 'vlmeval.dataset.utils.mathverse' has no attribute "
        "'build_mathverse_gpt4_extract_prompt'; pip install ms-vlmeval==0.0.20"
    )


@pytest.mark.parametrize("source", ["vlmevalkits", "official", "official:", "pack:x", "vlmevalkit:x"])
def test_unknown_prompts_are_refused(source: str) -> None:
    """The known ones are named."""
    with pytest.raises(InputError, match=r"known are pack, official:PATH, vlmevalkit$"):
        mathverse_prompts(source)
