"""The Gemini twin, asked by the real client: what a test scripts is what the client meets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from langchain_google_genai import ChatGoogleGenerativeAI

from tests.twins import gemini

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


def invoke(twin):
    async def call():
        async with client(twin) as llm:
            return await llm.ainvoke("hello")

    return asyncio.run(call())


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


def test_tokens_are_counted_once_although_every_chunk_names_the_running_total(model):
    model.plans("x" * 400)

    chunks = stream(model)

    total = sum(chunk.usage_metadata["output_tokens"] for chunk in chunks if chunk.usage_metadata)
    assert total == 100


def test_a_call_that_does_not_stream_gets_the_same_answer(model):
    model.plans({"action": "reply", "text": "Hi"})

    assert json.loads(invoke(model).text)["text"] == "Hi"


def test_a_string_is_sent_raw(model):
    model.plans('Sure! {"action": "reply"} {"action":')

    assert whole(stream(model)) == 'Sure! {"action": "reply"} {"action":'


def test_a_callable_step_sees_the_request(model):
    model.plans(lambda asked: {"action": "open_website", "address": asked.enum("address")[-1]})

    assert json.loads(whole(stream(model)))["address"] == "r2"


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


@pytest.mark.parametrize(
    ("step", "kind", "told"),
    [
        (gemini.bad_key(), "GoogleInvalidRequestError", "API_KEY_INVALID"),
        (gemini.unauthenticated(), "GoogleAuthenticationError", "UNAUTHENTICATED"),
        (gemini.forbidden(), "GooglePermissionDeniedError", "PERMISSION_DENIED"),
        (gemini.unknown_model(), "GoogleModelNotFoundError", "NOT_FOUND"),
        (gemini.per_minute("12s"), "GoogleRateLimitError", "GenerateRequestsPerMinute"),
        (gemini.per_day("22s"), "GoogleRateLimitError", "GenerateRequestsPerDay"),
        (gemini.internal(), "GoogleAPIError", "INTERNAL"),
        (gemini.overloaded(), "GoogleAPIError", "UNAVAILABLE"),
        (gemini.too_many_choices(), "GoogleInvalidRequestError", "too many states"),
        (gemini.Html(502), "GoogleAPIError", "502"),
    ],
)
def test_an_error_reaches_the_client_with_its_details(model, step, kind, told):
    model.plans(step)

    with pytest.raises(Exception, match=told) as raised:
        stream(model)

    assert type(raised.value).__name__ == kind


def test_the_delay_to_wait_is_among_the_details(model):
    model.plans(gemini.per_minute("12s"))

    with pytest.raises(Exception, match="quota") as raised:
        stream(model)

    details = raised.value.__cause__.details["error"]["details"]
    assert details[-1]["retryDelay"] == "12s"


def test_a_blocked_prompt_comes_without_text(model):
    model.plans(gemini.Blocked("SAFETY"))

    chunks = stream(model)

    assert whole(chunks) == ""
    assert "SAFETY" in str([chunk.response_metadata for chunk in chunks])


def test_an_answer_can_end_for_another_reason(model):
    model.plans(gemini.Finish('{"action": "reply", "te', "MAX_TOKENS"))

    chunks = stream(model)

    assert "MAX_TOKENS" in reasons(chunks)


@pytest.mark.parametrize("step", [gemini.CutStream('{"action": "rep'), gemini.Reset()])
def test_a_broken_connection_reaches_the_client(model, step):
    model.plans(step)

    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        stream(model)


def test_a_slow_answer_arrives_piece_by_piece(model):
    model.plans(gemini.Slow({"action": "reply"}, chunks=4, delay=0.02))

    start = time.perf_counter()
    chunks = stream(model)

    assert len([chunk for chunk in chunks if chunk.text]) == 4
    assert time.perf_counter() - start >= 0.06


def test_a_stalled_call_is_noted_as_gone_once_the_client_gives_up(model):
    model.plans(gemini.Stall())

    async def give_up():
        async with client(model) as llm, asyncio.timeout(2):
            await llm.ainvoke("hello")

    with pytest.raises(TimeoutError):
        asyncio.run(give_up())

    deadline = time.monotonic() + 30
    while not model.requests[0].gone:
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_a_key_can_be_refused():
    with GeminiTwin(refuse_key="bad") as model, pytest.raises(Exception, match="API_KEY_INVALID"):
        stream(model, api_key="bad")


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


def test_a_lenient_twin_takes_any_schema():
    with GeminiTwin(strict=False) as model:
        model.plans("{}")

        assert whole(stream(model, schema={"type": "object", "default": {}})) == "{}"


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


def test_many_threads_get_one_step_each(model):
    model.plans(*(str(n) for n in range(40)))
    url = f"{model.url}/v1beta/models/gemini-3.5-flash:generateContent"

    def call(_):
        answer = web.post(url, json={"contents": []}, headers={"x-goog-api-key": "x"}).json()
        return int(answer["candidates"][0]["content"]["parts"][0]["text"])

    with httpx.Client(verify=NO_CERTIFICATES) as web, ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(call, range(40))) == list(range(40))
