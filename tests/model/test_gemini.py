"""What is sent to Gemini, and what of its failures is told apart."""

from __future__ import annotations

import pytest

from jarvis.errors import (
    KeyRefused,
    ModelFailed,
    RateLimited,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from jarvis.model.errors import retry_after, translated

HELLO = {"action": "reply", "text": "Hello.", "finish": True}
THINKING = {
    "gemini-3.5-flash-lite": {"thinkingLevel": "LOW"},
    "gemini-3.5-flash": {"thinkingLevel": "LOW"},
    "gemini-2.5-flash": {"thinking_budget": 0},
    "gemini-2.5-pro": {"thinking_budget": 128},
    "gemma-3-27b-it": None,
}


@pytest.mark.parametrize("model", THINKING)
def test_a_model_thinks_as_little_as_it_can(house, model):
    house.gemini.models = (model,)
    house.environment["JARVIS_MODEL"] = model
    house.model_plans(HELLO)

    assert house.ask("hi").reply == "Hello."

    (asked,) = house.gemini.requests
    config = asked.body["generationConfig"]
    thinking = config.get("thinkingConfig")
    assert asked.model == model
    assert _plain(thinking) == _plain(THINKING[model])
    assert ("temperature" in config) == ("gemini-3" not in model)


def test_a_call_is_made_once_with_the_schema_and_a_deadline_that_the_service_takes(house):
    house.model_plans(HELLO)
    house.ask("hi")

    (asked,) = house.gemini.requests
    assert asked.path.endswith(":streamGenerateContent")
    assert asked.body["generationConfig"]["responseMimeType"] == "application/json"
    assert asked.enum("action")[0] == "reply"
    assert int(asked.headers["x-server-timeout"]) >= 10


class Said(Exception):
    """A failure as Google's client raises it."""

    def __init__(self, code, message="", *details):
        super().__init__(message)
        self.code = code
        self.details = {"error": {"code": code, "message": message, "details": list(details)}}


DELAY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3s"}
DAILY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
BAD_KEY = {"reason": "API_KEY_INVALID"}

KINDS = [
    (Said(400, "API key not valid.", BAD_KEY), KeyRefused),
    (Said(401), KeyRefused),
    (Said(403, "No."), KeyRefused),
    (Said(404, "models/x is not found"), SettingsError),
    (Said(429, "", DELAY), RateLimited),
    (Said(503), ServiceUnreachable),
    (Said(400, "The specified schema produces a constraint that has too many states."), SchemaRefused),
    (Said(400, "Something."), ModelFailed),
    (TimeoutError(), ServiceUnreachable),
    (ConnectionError("refused"), ServiceUnreachable),
    (RuntimeError("what?"), ModelFailed),
]


@pytest.mark.parametrize(("error", "kind"), KINDS)
def test_every_failure_becomes_one_of_ours(error, kind):
    explained = translated(error, "gemini-x", "key")

    assert type(explained) is kind or issubclass(type(explained), kind)
    assert explained.message


@pytest.mark.parametrize(
    ("error", "tries", "seconds"),
    [
        (Said(503), 0, 1.0),
        (Said(503), 1, 2.0),
        (Said(503), 2, None),
        (Said(429, "", DELAY), 0, 3.0),
        (Said(429, "", DELAY), 1, None),
        (Said(429, "", DELAY, DAILY), 0, None),
        (Said(429, "", {**DELAY, "retryDelay": "37s"}), 0, None),
        (Said(429), 0, None),
        (Said(400), 0, None),
        (ConnectionError(), 0, None),
    ],
)
def test_only_what_may_pass_soon_is_tried_again(error, tries, seconds):
    assert retry_after(error, tries) == seconds


def _plain(thinking):
    """The client writes some of its fields in one case and some in the other."""
    return thinking and {
        name.replace("_", "").lower(): str(value).lower() for name, value in thinking.items()
    }
