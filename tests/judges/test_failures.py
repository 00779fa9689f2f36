"""The texts that lmms-eval puts in a response's place."""

import importlib.util
import operator
from pathlib import Path

import pytest

from mmeval_pack.judges.failures import NO_CONTENT, PREFIXES, is_generation_failure


@pytest.mark.parametrize(
    "response",
    [
        "[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error.",
        " [LMMS_EVAL_REQUEST_FAILED after 1 retries] A",
        "[LMMS_EVAL_BUDGET_EXCEEDED]",
        "[GENERATION_FAILED] out of memory",
        'Error: can only concatenate str (not "NoneType") to str',
        "None",
        " None\n",
    ],
)
def test_failure_texts(response: str) -> None:
    """Each is found whatever else the row offers."""
    assert is_generation_failure(response, ["A", "red", "None of the above"])


@pytest.mark.parametrize(
    "response",
    [
        "",
        "none",
        "None.",
        "None of the above",
        "Error: division by zero",
        "B [LMMS_EVAL_BUDGET_EXCEEDED]",
        'Error: can only concatenate str (not "NoneType") to str<tool_call>f {}</tool_call></tool_response>B',
        'TypeError: can only concatenate str (not "NoneType") to str',
    ],
)
def test_responses(response: str) -> None:
    """What a model may well have written is no failure."""
    assert not is_generation_failure(response, [])


@pytest.mark.parametrize("word", ["None", "none", " NONE "])
def test_none_is_an_answer_where_it_is_offered(word: str) -> None:
    """A truth or option of that word makes it one."""
    assert not is_generation_failure("None", ["A", word])


def test_an_offer_excuses_no_other_failure() -> None:
    """Only the word None can be meant."""
    assert is_generation_failure("[LMMS_EVAL_BUDGET_EXCEEDED]", ["None"])


def test_the_concatenation_error_is_pythons_own() -> None:
    """The text is what Python says when None is added to text."""
    with pytest.raises(TypeError) as error:
        operator.add("", None)
    assert f"Error: {error.value}" == NO_CONTENT


def test_lmms_eval_still_writes_these_texts() -> None:
    """Its model classes hold each prefix literally."""
    lmms_eval = importlib.util.find_spec("lmms_eval")
    if lmms_eval is None or lmms_eval.origin is None:
        pytest.skip("lmms-eval is not installed")
    models = Path(lmms_eval.origin).parent / "models"
    sources = "".join(path.read_text(encoding="utf-8") for path in models.glob("*/*.py"))
    assert [prefix for prefix in PREFIXES if prefix not in sources] == []
    assert 'all_response += f"Error: {str(e)}"' in sources


@pytest.mark.parametrize(
    "text", ["Failed to obtain answer via API.", "Failed to obtain answer: <class 'OSError'> x"]
)
def test_vlmevalkits_failure_texts(text: str) -> None:
    """In place of a response; a response that only mentions one stays a response."""
    assert is_generation_failure(text, ())
    assert not is_generation_failure(f"They said: {text}", ())
