"""The Gemini twin, asked by the real client: it refuses what Google would, and tells what no script has."""

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
SCHEMA = {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]}


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


def test_a_plan_streams_in_pieces_with_its_missing_fields_as_null(model):
    model.plans({"action": "reply", "text": "Grüße"})

    chunks = stream(model)

    assert len([chunk for chunk in chunks if chunk.text]) == 3
    sent = {"action": "reply", "query": None, "address": None, "finish": False, "text": "Grüße"}
    assert json.loads("".join(chunk.text for chunk in chunks)) == sent
    assert "STOP" in [chunk.response_metadata.get("finish_reason") for chunk in chunks]


def test_a_schema_beyond_what_google_documents_is_refused(model):
    for feature in (
        {"const": "a"},
        {"type": "string", "default": "a"},
        {"anyOf": [{"type": "string", "minLength": 1}]},
        {"oneOf": [{"type": "string"}], "discriminator": {}},
        {"$ref": "#/$defs/A", "description": "a"},
    ):
        schema = {"type": "object", "properties": {"action": feature}}
        with pytest.raises(Exception, match=r"Unsupported in responseJsonSchema: .*action"):
            stream(model, schema=schema)


def test_what_no_script_has_and_a_mistake_in_one_are_noted(model):
    with pytest.raises(Exception, match="twin has no step"):
        stream(model)
    model.plans(lambda asked: {"action": asked.enum("address")[7]})
    with pytest.raises(httpx.RemoteProtocolError):
        stream(model)

    assert model.unexpected[0] == "call 1 of the model had no step in the script"
    assert "IndexError" in model.unexpected[1]
