"""Rows of every layout become Docs."""

import json
from typing import Any

import pytest

from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.records import Doc

MESSAGE = {"role": "user", "question": "Which?", "answer": "C", "question_type": "open"}


@pytest.mark.parametrize(
    ("row", "truth", "question_type"),
    [
        ({"answer": "B", "question_type": "mcq", "messages": [MESSAGE]}, "B", "mcq"),
        ({"answer": " ", "reference_response": "B", "messages": [MESSAGE]}, "B", None),
        ({"answer": None, "messages": [MESSAGE]}, None, None),
        ({"answer": [], "reference_response": "B", "messages": [MESSAGE]}, [], None),
        ({"messages": [MESSAGE]}, "C", "open"),
        ({"question_type": "mcq", "messages": [{"answer": 3}]}, 3, "mcq"),
        ({"answer": 0, "messages": []}, 0, None),
    ],
)
@pytest.mark.parametrize("as_text", [False, True])
def test_truth_and_type_by_layout(row: Any, truth: Any, question_type: Any, as_text: Any) -> None:
    """Top level first, then the older layouts; messages as a list or as JSON text."""
    row = {**row, "messages": json.dumps(row["messages"])} if as_text else row
    doc = Doc.from_row(row)
    assert (doc.truth, doc.question_type) == (truth, question_type)


@pytest.mark.parametrize(
    ("row", "invalid"),
    [
        ({"answer": "B", "messages": [MESSAGE]}, None),
        ({"answer": "B"}, "missing_response"),
        ({"answer": "B", "messages": [MESSAGE, "text"]}, "missing_response"),
        ({"answer": "\n"}, "missing_answer"),
    ],
)
def test_rows_that_cannot_be_graded(row: Any, invalid: Any) -> None:
    """No truth, or no message that a response could belong to."""
    assert Doc.from_row(row).invalid == invalid


def test_messages_that_are_no_list() -> None:
    """The row is named."""
    with pytest.raises(InputError) as error:
        Doc.from_row({"id": "r1", "messages": {"role": "user"}})
    assert str(error.value) == "row 'r1': messages is dict, expected a list"
