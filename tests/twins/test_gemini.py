"""The Gemini twin, asked by the real client: what a test scripts is what the client meets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl

import httpx
import pytest
from langchain_google_genai import ChatGoogleGenerativeAI

from .gemini import GeminiTwin

pytestmark = pytest.mark.slow

# Loading the real ones is most of what a client costs, and nothing here is encrypted.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

SCHEMA = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["open_website", "reply"]},
        "address": {"anyOf": [{"type": "string", "enum": ["u1", "r2"]}, {"type": "null"}]},
        "text": {"type": "string"},
    },
    "required": ["action"],
    "propertyOrdering": ["action", "address", "text"],
}


@pytest.fixture
def model():
    with GeminiTwin() as twin:
        yield twin


@contextlib.asynccontextmanager
async def client(twin, **settings):
    settings = {"model": "gemini-3.5-flash-lite", "api_key": "x", "timeout": 60} | settings
    settings["client_args"] = {"verify": NO_CERTIFICATES}
    llm = ChatGoogleGenerativeAI(base_url=twin.url, max_retries=1, vertexai=False, **settings)
    try:
        yield llm
    finally:
        await llm.aclose()


def stream(twin, words="open it", schema=SCHEMA, **settings):
    """The chunks that the real client gets."""

    async def collect():
        async with client(twin, **settings) as llm:
            bound = llm.bind(response_mime_type="application/json", response_json_schema=schema)
            return [chunk async for chunk in bound.astream([("system", "You plan."), ("human", words)])]

    return asyncio.run(collect())


def whole(chunks):
    return "".join(chunk.text for chunk in chunks)


def reasons(chunks):
    return [chunk.response_metadata.get("finish_reason") for chunk in chunks]


def test_a_plan_streams_in_pieces_with_its_missing_fields_as_null(model):
    model.plans({"action": "reply", "text": "Grüße"})

    chunks = stream(model)

    assert len([chunk for chunk in chunks if chunk.text]) == 3
    assert list(json.loads(whole(chunks)).items()) == [
        ("action", "reply"), ("query", None), ("address", None),
        ("finish", False), ("text", "Grüße"),
    ]  # fmt: skip
    assert "STOP" in reasons(chunks)


def test_the_log_tells_what_was_asked(model):
    model.plans({"action": "reply"})

    stream(model, "open two")

    [asked] = model.requests
    assert asked.path == "/v1beta/models/gemini-3.5-flash-lite:streamGenerateContent"
    assert (asked.model, asked.streams, asked.key) == ("gemini-3.5-flash-lite", True, "x")
    assert (asked.system, asked.prompt, asked.schema) == ("You plan.", "open two", SCHEMA)
    assert asked.enum("action") == ("open_website", "reply")
    assert asked.enum("text") == ()
    assert asked.headers["x-server-timeout"] == "60"
    assert not asked.gone


def test_a_deadline_under_ten_seconds_is_refused(model):
    with pytest.raises(Exception, match="Manually set deadline 5s is too short"):
        stream(model, timeout=5)


@pytest.mark.parametrize(
    "feature",
    [
        {"const": "a"},
        {"type": "string", "default": "a"},
        {"type": "string", "maxLength": 5},
        {"type": "string", "pattern": "a+"},
        {"anyOf": [{"type": "string", "minLength": 1}]},
        {"oneOf": [{"type": "string"}], "discriminator": {}},
        {"oneOf": [{"type": "string"}], "title": "A"},
        {"$ref": "#/$defs/A", "description": "a"},
    ],
)
def test_a_schema_beyond_what_google_documents_is_refused(model, feature):
    schema = {"type": "object", "properties": {"action": feature}}

    with pytest.raises(Exception, match=r"Unsupported in responseJsonSchema: .*action"):
        stream(model, schema=schema)


def test_an_unknown_model_is_refused_and_the_known_ones_are_listed():
    with GeminiTwin(models=("gemini-x",)) as model:
        with pytest.raises(Exception, match="NOT_FOUND"):
            stream(model)

        listed = httpx.get(f"{model.url}/v1beta/models", headers={"x-goog-api-key": "x"}).json()

    assert [one["name"] for one in listed["models"]] == ["models/gemini-x"]


def test_an_empty_script_is_an_error_and_is_noted(model):
    with pytest.raises(Exception, match="script is empty"):
        stream(model)

    assert model.unexpected == ["call 1 of the model had no step in the script"]


def test_a_mistake_in_a_callable_step_is_noted(model):
    model.plans(lambda asked: {"action": asked.enum("address")[7]})

    with pytest.raises(httpx.RemoteProtocolError):
        stream(model)

    assert "IndexError" in model.unexpected[0]
