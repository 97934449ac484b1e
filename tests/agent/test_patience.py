"""What is done about each fault of the model: waited for, given to another model, or told at once."""

import asyncio
import math

import pytest

from jarvis.agent.models import Models
from jarvis.agent.retry import Busy, ModelPrompt, Overloaded, seconds_to_wait
from jarvis.config.settings import Secret, read_settings
from jarvis.core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from jarvis.search.http import ConnectionLost
from tests.certificates import self_signed
from tests.twins import gemini as g

FIRST, SECOND = "gemini-3.5-flash-lite", "gemini-3.5-flash"
SCHEMA = {"type": "object", "properties": {"action": {"type": "string"}}, "required": ["action"]}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


INF = (math.inf, math.inf)
# fault, how often it came before → the seconds until the same model is asked again, without and with another
WAITS = [
    (Busy("", seconds=12), 0, (12, 12), (12, 12)),
    (Busy("", seconds=12), 1, (12, 12), (12, 12)),
    (Busy("", seconds=0.1), 3, (3.75, 6.25), (3.75, 6.25)),
    (Busy("", seconds=0), 0, (0.75, 1.25), (0.75, 1.25)),
    (Overloaded(""), 0, (0.75, 1.25), (0.75, 1.25)),
    (Overloaded(""), 1, (1.5, 2.5), INF),
    (Overloaded(""), 9, (3.75, 6.25), INF),
    (Busy("", seconds=math.inf), 0, INF, INF),
    (ConnectionLost(""), 0, (0.18, 0.32), (0.18, 0.32)),
    (ConnectionLost(""), 2, (0.75, 1.25), (0.75, 1.25)),
    (ConnectionLost(""), 3, INF, INF),
    *((kind(""), 0, INF, INF) for kind in (KeyRefused, SchemaRefused, SettingsError)),
    *((kind(""), 0, INF, INF) for kind in (ModelFailed, ServiceUnreachable)),
]


@pytest.mark.parametrize(("fault", "tries", "alone", "with_another"), WAITS)
def test_how_soon_the_same_model_is_asked_again(fault, tries, alone, with_another):
    for has_fallback, (least, most) in ((False, alone), (True, with_another)):
        assert least <= seconds_to_wait(fault, tries, has_fallback=has_fallback) <= most


class Told:
    """One call, and what was told meanwhile."""

    def __init__(self, url, *, fallback=""):
        self.waits, self.error, self.answer = [], None, None

        async def call():
            own = read_settings({})._replace(api_keys={"google": Secret("k")}, model_urls={"gemini": url})
            models = Models(own._replace(model=FIRST, fallback_model=fallback))
            asked = models.patient("", lambda: 60)
            try:
                self.answer = await asked.ask("You plan.", ModelPrompt("hi"), SCHEMA, bool, self.waits.append)
            except JarvisError as error:
                self.error = error
            finally:
                self.told = asked.note
                await models.close()

        asyncio.run(call())


# what comes from the model → why the fallback answers
NO_USE = {
    "a day's quota": ([g.per_day("0.1s")], "The daily quota of gemini-3.5-flash-lite is used up"),
    "503 twice": ([g.overloaded()] * 2, "gemini-3.5-flash-lite is overloaded or down (503)"),
    "429 for long": ([g.per_minute("3600s")], "Gemini: this minute's quota is used up"),
    "nothing twice": ([g.Stream(b"")] * 2, "Gemini sent an empty answer"),
}


@pytest.mark.parametrize(("faults", "why"), NO_USE.values(), ids=NO_USE.keys())
@pytest.mark.slow
def test_where_waiting_is_of_no_use_the_fallback_answers_and_that_is_told(gemini, faults, why):
    gemini.plans(*faults, HELLO)

    told = Told(gemini.url, fallback=SECOND)

    assert told.error is None
    assert [request.model for request in gemini.requests] == [FIRST] * len(faults) + [SECOND]
    assert told.answer.model == SECOND
    assert told.told == f"{why}: answered by {SECOND}."


@pytest.mark.parametrize("fallback", ["", FIRST], ids=["none", "the same one"])
def test_without_another_the_hint_names_the_setting(gemini, fallback):
    gemini.plans(g.per_day("1s"))

    told = Told(gemini.url, fallback=fallback)

    assert (told.error.exit_status, told.waits) == (75, [])
    assert "JARVIS_FALLBACK_MODEL" in told.error.hint


@pytest.mark.parametrize(
    ("ended_days_ago", "why"), [(-30, "self-signed certificate"), (1, "certificate has expired")]
)
def test_a_certificate_that_is_not_trusted_is_told_as_that(tmp_path, monkeypatch, ended_days_ago, why):
    twin, file = g.GeminiTwin(), tmp_path / "own.pem"
    twin.tls = self_signed(file, ended_days_ago=ended_days_ago)
    if ended_days_ago > 0:
        monkeypatch.setenv("SSL_CERT_FILE", str(file))  # it is trusted, but for its day

    with twin:
        told = Told(twin.url)

    expected = f"Can't reach Gemini: the certificate of {twin.url[8:]} is not trusted: {why}."
    assert (told.error.message, told.error.exit_status) == (expected, 69)
    assert "SSL_CERT_FILE" in told.error.hint
    assert told.waits == []
