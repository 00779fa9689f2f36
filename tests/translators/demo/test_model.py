"""The model of the demo: rows are told apart by what they ask, and what nobody asks is refused aloud."""

import base64
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mmeval_pack.judges.errors import InputError
from mmeval_pack.translators.demo.endpoint import Request, completion, failure
from mmeval_pack.translators.demo.model import RecordedModel, asked, digest, received
from mmeval_pack.translators.prompt import Prompt

RED, BLUE = (Image.new("RGB", (2, 1), colour) for colour in ("red", "blue"))
PROMPT = Prompt("{{ question }}")


def png(image: Image.Image) -> bytes:
    """The image as a PNG file."""
    buffer = BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def row(name: str, question: str, *images: Image.Image) -> dict[str, Any]:
    """A row as the sample holds it."""
    media = [{"bytes": png(image), "path": None} for image in images]
    return {"id": name, "messages": [{"role": "user", "question": question}], "media": media}


def request(*parts: str | Image.Image) -> Request:
    """A chat request with the parts in this order."""
    content: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, str):
            content.append({"type": "text", "text": part})
        else:
            url = "data:image/png;base64," + base64.b64encode(png(part)).decode()
            content.append({"type": "image_url", "image_url": {"url": url}})
    return Request({}, {"messages": [{"role": "user", "content": content}]})


def test_a_row_gets_its_response_whatever_the_mode_of_its_image() -> None:
    """What counts is the RGB pixels: a palette in the row and RGB in the request are the same image."""
    model = RecordedModel()
    model.learn(row("1", "See <image>?", RED.convert("P")), PROMPT, "yes")
    assert model(request("See ", RED, "?")) == completion("yes")
    assert model.unknown == []


@pytest.mark.parametrize(
    "parts",
    [
        ("See ", BLUE, " and ", RED, "?"),
        (RED, BLUE, "See  and ?"),
        ("See ", RED, " and ", RED, "?"),
        ("See <image> and <image>?", RED, BLUE),
        ("See ", RED, " and ", BLUE, "? "),
        ("See ", RED, " and ", BLUE.resize((1, 2)), "?"),
    ],
)
def test_what_no_row_asks_is_a_loud_500(parts: tuple[str | Image.Image, ...]) -> None:
    """Swapped, moved, repeated or reshaped images and changed text match nothing; nobody retries."""
    model = RecordedModel()
    model.learn(row("1", "See <image> and <image>?", RED, BLUE), PROMPT, "yes")
    assert model(request("See ", RED, " and ", BLUE, "?")) == completion("yes")
    text = "".join(part if isinstance(part, str) else "<image>" for part in parts)
    message = f"no row of the sample asks this: {text}"
    assert model(request(*parts)) == failure(500, message, x_should_retry="false")
    assert model.unknown == [text]


def test_two_rows_that_ask_the_same_are_refused() -> None:
    """Their responses could only be told apart by the order of arrival."""
    model = RecordedModel()
    model.learn(row("1", "See <image>?", RED), PROMPT, "yes")
    with pytest.raises(InputError) as error:
        model.learn(row("2", "See <image>?", RED), PROMPT, "no")
    assert str(error.value) == "row '2': another row of the sample has the same text and images"


@given(st.lists(st.text(min_size=1) | st.sampled_from([RED, BLUE]), max_size=5))
def test_what_is_sent_is_what_is_received(parts: list[str | Image.Image]) -> None:
    """Base64 and PNG change nothing that the digest sees."""
    assert digest(received(request(*parts).body)) == digest(parts)


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_have_different_digests(one: list[str], other: list[str]) -> None:
    """Where one part ends and the next begins counts too."""
    assert (digest(one) == digest(other)) == (one == other)


def test_asked_follows_the_tokens() -> None:
    """Texts and images of a row in the order of its prompt."""
    parts = list(asked(row("1", "<image> or <image>?", RED, BLUE), PROMPT))
    assert digest(parts) == digest([RED, " or ", BLUE, "?"])


def test_plain_text_content_is_one_part() -> None:
    """The short form of the API; a remote image is none that pixels could be read of."""
    assert list(received({"messages": [{"role": "user", "content": "Hi"}]})) == ["Hi"]
    remote = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    with pytest.raises(ValueError, match="a part of type image_url that is no image in a data: URL"):
        list(received({"messages": [{"role": "user", "content": [remote]}]}))
