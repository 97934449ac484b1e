"""The Gemini twin, asked by the real client: it refuses what Google would, and tells what no script has."""

from __future__ import annotations

import asyncio
import ssl

import httpx
import pytest
from langchain_google_genai import ChatGoogleGenerativeAI

from .gemini import GeminiTwin, undocumented

pytestmark = pytest.mark.slow

# Loading the real ones is most of what a client costs, and nothing here is encrypted.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
def model():
    with GeminiTwin() as twin:
        yield twin


def stream(twin, schema):
    """Have the real client ask for a plan."""

    async def collect():
        how = {"api_key": "x", "timeout": 60, "client_args": {"verify": NO_CERTIFICATES}}
        how |= {"base_url": twin.url, "max_retries": 1, "vertexai": False}
        llm = ChatGoogleGenerativeAI(model="gemini-3.5-flash-lite", **how)
        try:
            bound = llm.bind(response_mime_type="application/json", response_json_schema=schema)
            return [chunk async for chunk in bound.astream("open it")]
        finally:
            await llm.aclose()

    return asyncio.run(collect())


def of(feature):
    return {"type": "object", "properties": {"action": feature}, "required": ["action"]}


@pytest.mark.parametrize(
    "feature",
    [
        {"const": "a"},
        {"type": "string", "default": "a"},
        {"anyOf": [{"type": "string", "minLength": 1}]},
        {"oneOf": [{"type": "string"}], "discriminator": {}},
        {"$ref": "#/$defs/A", "description": "a"},
    ],
    ids=lambda feature: next(iter(feature)),
)
def test_a_schema_beyond_what_google_documents_is_found_out(feature):
    assert undocumented(of(feature))


def test_what_no_script_has_and_a_mistake_in_one_are_noted(model):
    with pytest.raises(Exception, match="twin has no step"):
        stream(model, of({"type": "string"}))
    model.plans(lambda asked: {"action": asked.enum("address")[7]})
    with pytest.raises(httpx.RemoteProtocolError):
        stream(model, of({"type": "string"}))

    assert model.unexpected[0] == "call 1 of the model had no step in the script"
    assert "IndexError" in model.unexpected[1]
