"""Which judge the environment names: names, defaults, precedence and the rules for URLs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mmeval_pack.judges.client import JudgeSettings
from mmeval_pack.judges.errors import InputError
from mmeval_pack.judges.settings import Budget

URL = "http://localhost:8000/v1"
ENOUGH = {"MMEVAL_JUDGE_MODEL": "judge-1", "MMEVAL_JUDGE_BASE_URL": URL}


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No judge of whoever runs the tests."""
    for name in os.environ:
        if name.startswith(("MMEVAL_", "OPENAI_", "MODEL_VERSION", "XDG_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", "/home/someone")


def configured(monkeypatch: pytest.MonkeyPatch, **variables: str) -> JudgeSettings:
    """The judge of an environment that names one."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    judge = JudgeSettings.from_environ()
    assert judge is not None
    return judge


def refused(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    """The message about a malformed environment."""
    for name, value in {**ENOUGH, **variables}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(InputError) as error:
        JudgeSettings.from_environ()
    return str(error.value)


def test_the_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model and a base URL are enough."""
    judge = configured(monkeypatch, **ENOUGH)
    assert judge == JudgeSettings(
        model="judge-1",
        base_urls=(URL,),
        api_key="",
        concurrency=32,
        timeout=60.0,
        retries=5,
        cache=Path("/home/someone/.cache/mmeval-pack/judge.sqlite"),
        protocol=None,
        prompts=None,
        budget=Budget(None, None),
    )


def test_all_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each one is read; blanks around a value do not matter."""
    judge = configured(
        monkeypatch,
        MMEVAL_JUDGE="on",
        MMEVAL_JUDGE_MODEL=" judge-2 ",
        MMEVAL_JUDGE_BASE_URL=f"{URL}, http://other/v1,{URL}",
        MMEVAL_JUDGE_API_KEY="any text\n",
        MMEVAL_JUDGE_CONCURRENCY="64",
        MMEVAL_JUDGE_TIMEOUT="2.5",
        MMEVAL_JUDGE_RETRIES="0",
        MMEVAL_JUDGE_CACHE="~/verdicts.sqlite",
        MMEVAL_JUDGE_PROTOCOL="official",
        MMEVAL_JUDGE_PROMPTS="official:/somewhere",
        MMEVAL_JUDGE_BUDGET="calls:500, tokens:200000",
    )
    assert judge == JudgeSettings(
        model="judge-2",
        base_urls=(URL, "http://other/v1"),
        api_key="any text",
        concurrency=64,
        timeout=2.5,
        retries=0,
        cache=Path("/home/someone/verdicts.sqlite"),
        protocol="official",
        prompts="official:/somewhere",
        budget=Budget(500, 200000),
    )


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"MMEVAL_JUDGE_MODEL": "m"},
        {"MMEVAL_JUDGE_BASE_URL": URL, "MMEVAL_JUDGE_API_KEY": "k"},
        {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": URL},
        {"MMEVAL_JUDGE_MODEL": " ", "OPENAI_API_KEY": "k"},
        {"MMEVAL_JUDGE_MODEL": "m", "MMEVAL_JUDGE_BASE_URL": ""},
        {**ENOUGH, "MMEVAL_JUDGE": "off"},
        {**ENOUGH, "MMEVAL_JUDGE": "OFF", "MMEVAL_JUDGE_TIMEOUT": "soon"},
        {"OPENAI_BASE_URL": "not a url"},
    ],
)
def test_no_judge(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    """Without a model, without URL and key, or switched off, there is none, whatever else is said."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert JudgeSettings.from_environ() is None


def test_a_key_alone_means_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a model and a key but no URL."""
    judge = configured(monkeypatch, MODEL_VERSION="m", OPENAI_API_KEY="k")
    assert (judge.model, judge.base_urls, judge.api_key) == ("m", ("https://api.openai.com/v1",), "k")


def test_the_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name gives way to those before it; empty ones count as absent."""
    names = ["OPENAI_API_URL", "OPENAI_API_BASE", "OPENAI_BASE_URL", "MMEVAL_JUDGE_BASE_URL"]
    for number, name in enumerate(names):
        judge = configured(monkeypatch, MODEL_VERSION="m", **{name: f"http://host{number}/v1"})
        assert judge.base_urls == (f"http://host{number}/v1",)
    assert configured(monkeypatch, MMEVAL_JUDGE_BASE_URL="").base_urls == ("http://host2/v1",)
    assert configured(monkeypatch, OPENAI_API_KEY="theirs").api_key == "theirs"
    assert configured(monkeypatch, MMEVAL_JUDGE_API_KEY="ours").api_key == "ours"
    assert configured(monkeypatch, MMEVAL_JUDGE_MODEL="ours").model == "ours"


def test_overrides_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of the command line, under the variables' names; None is not given."""
    configured(monkeypatch, **ENOUGH, MMEVAL_JUDGE_BUDGET="calls:1", MMEVAL_JUDGE_RETRIES="1")
    judge = JudgeSettings.from_environ({"MMEVAL_JUDGE_BUDGET": "tokens:7", "MMEVAL_JUDGE_RETRIES": None})
    assert judge is not None
    assert (judge.budget, judge.retries) == (Budget(None, 7), 1)
    assert JudgeSettings.from_environ({"MMEVAL_JUDGE": "off"}) is None


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("https://h.example/v1/chat/completions", "https://h.example/v1"),
        ("https://h.example/v1", "https://h.example/v1"),
        ("https://h.example/v1/", "https://h.example/v1/"),
        ("https://my-proxy.example.com/openai", "https://my-proxy.example.com/openai"),
        ("https://host.example/api/chat/completions", "https://host.example/api"),
        ("https://host.example/chat/completions", "https://host.example"),
        ("https://host.example/api/chat/completions/", "https://host.example/api/chat/completions/"),
        ("https://host.example/completions", "https://host.example/completions"),
        ("http://host", "http://host/v1"),
        ("http://host:8000/", "http://host:8000/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
        ("http://user:pass@host:8000", "http://user:pass@host:8000/v1"),
        ("http://host/?api-version=1", "http://host/?api-version=1"),
    ],
)
def test_the_rules_for_urls(monkeypatch: pytest.MonkeyPatch, given: str, used: str) -> None:
    """That exact suffix comes off, a bare host gets /v1, anything else stays."""
    assert configured(monkeypatch, **ENOUGH | {"MMEVAL_JUDGE_BASE_URL": given}).base_urls == (used,)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("localhost:8000/v1", "localhost:8000/v1"),
        ("ftp://host/v1", "ftp://host/v1"),
        ("http://", "http://"),
        ("http://[::1", "http://[::1"),
        ("http://host:0/v1", "http://host:0/v1"),
        ("http://a b/", "http://a***"),
        ("http://host:port/v1", "http://host***"),
        ("host", "***"),
    ],
)
def test_a_malformed_url_is_refused(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    """The message names variable and value, as far as this can be no secret, and shows a good one."""
    message = refused(monkeypatch, MMEVAL_JUDGE_BASE_URL=f"{URL},{url}")
    assert message == (
        f"MMEVAL_JUDGE_BASE_URL={shown!r}: no http URL, expected one such as http://localhost:8000/v1"
    )


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("user:p@ss@host/v1", "***@host/v1"),
        ("user:pass@host:8000/v1?key=SECRET", "***@host:8000/v1***"),
        ("http://u:pass@host:8000x/v1", "***"),
        ("http://u:pa?ss@host x", "***"),
        ("http://u:pa#ss@host x", "***"),
        ("host:8000/v1?key=SECRET", "host:8000/v1***"),
        ("host:8000?key=SECRET", "host:8000***"),
        ("host:8000/v1#SECRET", "host:8000/v1***"),
        ("host:8000/v1?mail=a@b&key=SECRET", "***"),
        ("http://h/v1?key=SECRET x", "http://h/v1***"),
        ("http://h/v1 SECRET", "http://h/v1***"),
        ("http://u:pass", "http://u***"),
        ("u:pass h", "***"),
        ("u:12345 h", "***"),
        ("sk-SECRET", "***"),
        ("sk/SECRET+/w==", "***"),
        ("eyJSECRET.eyJSECRET.x", "***"),
    ],
)
def test_a_malformed_url_shows_no_secret(monkeypatch: pytest.MonkeyPatch, url: str, shown: str) -> None:
    """Neither credentials nor a query, nor what may be a key or a password in the wrong place."""
    assert refused(monkeypatch, MMEVAL_JUDGE_BASE_URL=url) == (
        f"MMEVAL_JUDGE_BASE_URL={shown!r}: no http URL, expected one such as http://localhost:8000/v1"
    )


def test_a_password_with_a_comma_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Although a comma separates URLs."""
    message = refused(monkeypatch, MMEVAL_JUDGE_BASE_URL="http://u:pass,word@host/v1")
    assert "pass" not in message
    assert "word" not in message


def test_a_list_without_urls_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commas alone are no list."""
    assert refused(monkeypatch, MMEVAL_JUDGE_BASE_URL=" , ") == (
        "MMEVAL_JUDGE_BASE_URL=',': holds no URL, expected one such as http://localhost:8000/v1"
    )


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("MMEVAL_JUDGE", "maybe", "expected off, on or nothing"),
        ("MMEVAL_JUDGE_CONCURRENCY", "0", "expected a whole number from 1"),
        ("MMEVAL_JUDGE_CONCURRENCY", "many", "expected a whole number from 1"),
        ("MMEVAL_JUDGE_CONCURRENCY", "４", "expected a whole number from 1"),
        ("MMEVAL_JUDGE_RETRIES", "-1", "expected a whole number from 0"),
        ("MMEVAL_JUDGE_RETRIES", "1.5", "expected a whole number from 0"),
        ("MMEVAL_JUDGE_TIMEOUT", "60s", "expected seconds, a number above 0"),
        ("MMEVAL_JUDGE_TIMEOUT", "0", "expected seconds, a number above 0"),
        ("MMEVAL_JUDGE_TIMEOUT", "nan", "expected seconds, a number above 0"),
        ("MMEVAL_JUDGE_TIMEOUT", "inf", "expected seconds, a number above 0"),
        ("MMEVAL_JUDGE_BUDGET", "500", "expected calls:500, tokens:200000, or both with a comma"),
        ("MMEVAL_JUDGE_BUDGET", "euros:5", "expected calls:500, tokens:200000, or both with a comma"),
        ("MMEVAL_JUDGE_BUDGET", "calls:x", "expected calls:500, tokens:200000, or both with a comma"),
        ("MMEVAL_JUDGE_BUDGET", "calls:1,calls:2", "expected calls:500, tokens:200000, or both with a comma"),
    ],
)
def test_a_malformed_value_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    """The message names variable, value and what would be right."""
    assert refused(monkeypatch, **{name: value}) == f"{name}={value!r}: {expected}"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CONCURRENCY", "{}", "expected a whole number from 1"),
        ("RETRIES", "{}", "expected a whole number from 0"),
        ("TIMEOUT", "{}", "expected seconds, a number above 0"),
        ("BUDGET", "calls:{}", "expected calls:500, tokens:200000, or both with a comma"),
        ("BUDGET", "calls:1,tokens:{}", "expected calls:500, tokens:200000, or both with a comma"),
    ],
)
def test_a_number_of_thousands_of_digits_is_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    """In one line that shows its beginning."""
    value = value.format("9" * 5000)
    message = refused(monkeypatch, **{f"MMEVAL_JUDGE_{name}": value})
    assert message == f"MMEVAL_JUDGE_{name}='{value[:80]}...': {expected}"


def test_a_key_that_no_header_carries_is_refused_unseen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message counts to the character and does not show it."""
    message = refused(monkeypatch, MMEVAL_JUDGE_API_KEY="sécret")
    assert message == ("MMEVAL_JUDGE_API_KEY: character 2 of the key is none that a header can carry (ASCII)")


def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The user's cache folder is where the XDG specification says."""
    judge = configured(monkeypatch, **ENOUGH, XDG_CACHE_HOME="/var/cache/me")
    assert judge.cache == Path("/var/cache/me/mmeval-pack/judge.sqlite")


def test_the_key_is_not_shown() -> None:
    """A repr is short and holds neither key nor credentials, query or fragment."""
    judge = JudgeSettings(
        "m", ("http://user:pass@host/v1", f"{URL}?key=SECRET", f"{URL}#SECRET"), "sk-secret"
    )
    assert repr(judge) == f"JudgeSettings('m' at [http://host/v1, {URL}, {URL}], concurrency 32)"
