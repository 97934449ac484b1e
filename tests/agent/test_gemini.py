"""What is sent to Gemini, and what of its failures is told apart."""

from __future__ import annotations

import asyncio
import re
import warnings
from pathlib import Path

import google.genai
import langchain_google_genai
import pytest

from jarvis.agent.gemini import Gemini
from jarvis.agent.retry import ModelPrompt
from jarvis.config.settings import Secret, Settings, read_settings
from jarvis.core.errors import JarvisError, ModelFailed
from tests.twins.gemini import GeminiTwin, Status

KEY = "AIzaSyKeyOfTheTestsThatNobodyMaySee0123"
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
SCHEMA = {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]}
MODELS = [
    *("gemini-3.5-flash-lite", "gemini-4-flash", "gemma-3-27b-it"),  # nobody knows the second one yet
    *("gemini-2.5-pro", "gemini-2.5-flash", "gemini-3.8-flash"),  # that end, and what is then asked
]
# Of thinking, by the level that was said.
SAMPLING = {"": {}, "low": {"thinkingConfig": {"thinking_level": "LOW"}}}
# What every request says besides.
ALWAYS = {"candidateCount": 1, "maxOutputTokens": 8192, "responseMimeType": "application/json"}


def settings(url="https://h.example", **more) -> Settings:
    more = {"api_keys": {"google": Secret(KEY)}, **more}
    return read_settings({})._replace(model_urls={"gemini": url}, **more)


def ask(twin, schema=SCHEMA, name="gemini-3.5-flash-lite", on_text=lambda _: None, **more):
    """One call by the client alone."""

    async def call():
        model = Gemini(name, settings(twin.url, **more))
        try:
            return await model.ask("You plan.", ModelPrompt("hi"), schema, on_text)
        finally:
            await model.aclose()

    return asyncio.run(call())


@pytest.mark.parametrize("level", SAMPLING)
@pytest.mark.parametrize("name", MODELS)
def test_temperature_and_thinking_are_left_to_the_model(name, level, caplog):
    with GeminiTwin(models=(name,)) as twin, warnings.catch_warnings():
        warnings.simplefilter("error")
        twin.plans(HELLO)
        ask(twin, name=name, thinking=level)

    (asked,) = twin.requests
    config = dict(asked.body["generationConfig"])
    assert config.pop("responseJsonSchema") == SCHEMA
    assert config == ALWAYS | SAMPLING[level]
    assert caplog.records == []


def variables() -> set[str]:
    """All that the installed clients look up in the environment."""
    packages = (Path(each.__file__).parent for each in (google.genai, langchain_google_genai))
    texts = (file.read_text(encoding="utf-8") for each in packages for file in each.rglob("*.py"))
    return {name for text in texts for name in re.findall(r"""['"](G(?:OOGLE|EMINI)_[A-Z_]+)['"]""", text)}


@pytest.mark.parametrize("mode", ["live", "replay", "record"])
def test_no_variable_of_another_project_changes_what_is_asked(mode, tmp_path, monkeypatch):
    wished = dict.fromkeys(variables(), "true") | {
        "GOOGLE_GENAI_API_VERSION": "v1",
        "GOOGLE_GENAI_CLIENT_MODE": mode,
        "GOOGLE_GENAI_HTTP_CLIENT": "httpx2",
        "GOOGLE_GENAI_REPLAYS_DIRECTORY": str(tmp_path),
    }
    sent = []
    for environment in ({}, wished):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with GeminiTwin() as twin:
            twin.plans(HELLO)
            ask(twin)
            assert {*names(twin)} == {*twin.models}
        assert twin.unexpected == []
        sent.append([(asked.path, asked.key, asked.body, {*asked.headers}) for asked in twin.requests])

    assert len(wished) > 10
    assert sent[0] == sent[1]
    assert [*tmp_path.iterdir()] == []


TEXT = ("generateContent", "countTokens")
LISTED = {
    "gemini-2.0-flash": TEXT,
    "gemini-embedding-001": ("embedContent",),
    "text-embedding-009": TEXT,
    "gemini-3.7-pro-preview": TEXT,
    "gemini-3.7-flash": TEXT,
    "gemini-3.7-flash-preview-tts": TEXT,
    "gemini-3.7-flash-image": TEXT,
    "gemini-2.5-flash-native-audio-latest": TEXT,
    "gemini-3.7-flash-live": TEXT,
    "imagen-4.0-generate-001": ("predict",),
    "aqa": ("generateAnswer", "generateContent"),
    "gemini-3.7-pro": TEXT,
    "gemini-3.7-flash-lite": TEXT,
    "gemini-flash-latest": TEXT,
    "gemma-4-27b-it": TEXT,
    "gemini-4-flash": (),
}


def names(twin):
    """The models that a key can plan with."""

    async def listed():
        model = Gemini("gemini-x", settings(twin.url))
        try:
            return await model.names()
        finally:
            await model.aclose()

    return asyncio.run(listed())


def test_what_writes_text_is_listed_newest_first(gemini):
    gemini.lists = LISTED

    assert names(gemini) == [
        *("gemini-flash-latest", "gemini-3.7-pro-preview", "gemini-3.7-pro", "gemini-3.7-flash-lite"),
        *("gemini-3.7-flash", "gemini-3.5-flash-lite", "gemini-3.5-flash", "gemini-2.5-flash"),
        *("gemini-2.0-flash", "gemma-4-27b-it"),
    ]


class Moved(GeminiTwin):
    """Redirects whatever it is asked to another server, its list of models too."""

    def __init__(self, status, there):
        super().__init__()
        self.status, self.there = status, there

    def answer(self, exchange, request):
        exchange.send_response(self.status)
        exchange.send_header("Location", f"{self.there}{request.path}")
        exchange.send_header("Content-Length", "0")
        exchange.end_headers()


@pytest.mark.parametrize(
    ("client", "status"), [("httpx", 308), *(("httpx2", status) for status in (301, 302, 303, 307, 308))]
)
def test_a_key_follows_no_redirect(gemini, status, client, monkeypatch):
    monkeypatch.setenv("GOOGLE_GENAI_HTTP_CLIENT", client)
    gemini.plans(HELLO)

    with Moved(status, gemini.url) as moved, pytest.raises(JarvisError) as failure:
        ask(moved)

    gemini._script.clear()
    assert [request.key for request in moved.requests] == [KEY]  # so it did redirect
    assert gemini.requests == []
    assert failure.value.message.startswith(f"The answer is not Gemini's ({status} from 127.0.0.1:")
    assert "GOOGLE_GEMINI_BASE_URL" in failure.value.hint
    with Moved(status, gemini.url) as moved, pytest.raises(JarvisError):
        names(moved)
    assert ([request.method for request in moved.requests], gemini.requests) == (["GET"], [])


def test_no_part_of_a_key_is_in_an_error_however_it_is_cut(gemini):
    for before in range(0, 230, 23):
        gemini.plans(Status(400, "OTHER", f"{'x' * before} {KEY} {KEY[:20]}\x1b[0m{KEY[20:]}"))
        with pytest.raises(ModelFailed) as failure:
            ask(gemini)

        assert KEY[:6] not in failure.value.message


def test_no_secret_is_in_an_error_whatever_the_service_says(gemini):
    others = ("serpapi-key-of-the-tests", "postgresql://me:hunter22@h/db")
    keys = {"google": Secret(KEY), "serpapi": Secret(others[0])}
    kept = {"api_keys": keys, "database_url": Secret(others[1])}
    secrets = (KEY, *others, "hunter22")
    gemini.plans(Status(400, message=f"You sent {' and '.join(secrets)}."))

    with pytest.raises(ModelFailed) as failure:
        ask(gemini, **kept)

    assert "You sent [key] and [key]" in failure.value.message
    assert not [secret for secret in secrets if secret in f"{failure.value.message} {failure.value.hint}"]
