"""The Gemini twin refuses what Google would, and tells what no script has."""

import json

import httpx
import pytest

from .gemini import GeminiTwin, undocumented


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


def test_what_no_script_has_and_a_mistake_in_one_are_noted():
    with GeminiTwin() as twin, httpx.Client(trust_env=False) as client:
        asked = json.dumps({"generationConfig": {"responseJsonSchema": of({"type": "string"})}})
        where = f"{twin.url}/v1beta/models/{twin.models[0]}:generateContent?key=x"
        assert "twin has no step" in client.post(where, content=asked).text
        twin.plans(lambda asked: {"action": asked.enum("address")[7]})
        with pytest.raises(httpx.RemoteProtocolError):
            client.post(where, content=asked)

    assert twin.unexpected[0] == "call 1 of the model had no step in the script"
    assert "IndexError" in twin.unexpected[1]
