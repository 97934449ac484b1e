"""What comes over the wire is read as it is meant; where it is no answer, the cause is told."""

from __future__ import annotations

import json
import math
from email.utils import formatdate
from functools import partial

import pytest

from jarvis.agent.retry import Busy, Overloaded
from jarvis.core.errors import (
    JarvisError,
    KeyRefused,
    ModelFailed,
    SchemaRefused,
    ServiceUnreachable,
    SettingsError,
)
from tests.agent.test_gemini import ask
from tests.twins import gemini as g

TOLD = "It is 42 metres."
PLAN = {"wants": "nothing", "action": "reply", "finish": True, "text": TOLD}
TEXT = json.dumps(PLAN)


def event(text=TEXT, reason="STOP", **more) -> str:
    """One piece of an answer, as JSON."""
    ended = {"finishReason": reason} if reason else {}
    candidate = {"index": 0, "content": {"role": "model", "parts": [{"text": text}]}, **ended}
    return json.dumps({"candidates": [candidate], "usageMetadata": {"promptTokenCount": 9}} | more)


def stream(*events: str, end="\r\n\r\n", size=1000) -> g.Stream:
    return g.Stream("".join(f"data: {each}{end}" for each in events).encode(), size)


def said(raw: str, size=1000) -> g.Stream:
    return g.Stream(raw.encode(), size)


HALVES = TEXT[:50], TEXT[50:]
SEPARATED = json.dumps({**PLAN, "text": "A\u2028B\u2029C\x85D"}, ensure_ascii=False)
AS_IT_IS = json.dumps(
    {"candidates": [{"content": {"parts": [{"text": SEPARATED}]}, "finishReason": "STOP"}]},
    ensure_ascii=False,
)
ODD = f"\ufeff: hello\nevent: x\nid: 7\nretry: 9\ndata:{event()}\n\n:bye\n\ndata: [DONE]\n\n"
INDENTED = "\n".join(f"data: {line}" for line in json.dumps(json.loads(event()), indent=1).splitlines())

# what comes, call by call → what is replied
ANSWERS = {
    "comments": ([said(f": keep-alive\n\ndata: {event()}\n\n: keep-alive\n\n")], TOLD),
    "fields, a BOM, [DONE]": ([said(ODD.replace("\n", "\r\n"))], TOLD),
    "the same byte by byte": ([said(ODD.replace("\n", "\r\n"), 1)], TOLD),
    "the same with CR": ([said(ODD.replace("\n", "\r"), 1)], TOLD),
    "the same with LF": ([said(ODD, 2)], TOLD),
    "no space": ([said(f"data:{event()}\n\n")], TOLD),
    "no empty lines": ([stream(event(HALVES[0], ""), event(HALVES[1]), end="\n")], TOLD),
    "no line end": ([said(f"data: {event()}")], TOLD),
    "an event of many lines": ([said(f"{INDENTED}\n\n")], TOLD),
    "STOP in each piece": ([stream(*map(event, HALVES), event(""))], TOLD),
    "new lines to the limit": ([stream(event(reason=""), event("\n" * 300, "MAX_TOKENS"))], TOLD),
    "line ends within a text": ([stream(AS_IT_IS)], "A\nB\nC\nD"),
    "the same as pieces": ([stream(AS_IT_IS, size=1)], "A\nB\nC\nD"),
    "nothing, once": ([said(""), stream(event())], TOLD),
    "comments alone, once": ([said(": keep-alive\n\n"), stream(event())], TOLD),
}


@pytest.mark.parametrize(("steps", "text"), ANSWERS.values(), ids=ANSWERS)
def test_a_whole_answer_counts_however_its_stream_is_written(house, steps, text):
    house.gemini.plans(*steps)

    asked = house.ask("how tall is it?")

    assert (asked.status, asked.reply) == (("done", 0), text)
    assert len(house.gemini.requests) == len(steps)


NO_CANDIDATES = json.dumps({"usageMetadata": {"promptTokenCount": 9}})
REASONS = ("RECITATION", "MALFORMED_FUNCTION_CALL", "LANGUAGE", "OTHER", "OF_NEXT_YEAR")
REFUSED = json.dumps({"promptFeedback": {"blockReason": "OTHER", "blockReasonMessage": "No poems."}})
SENTENCE = json.dumps({"candidates": [{"finishReason": "OTHER", "finishMessage": "Too many brackets."}]})
# what comes to both calls → the words of the error
STOPS = {
    **{reason: (stream(event("", reason)), f"Gemini stopped: {reason}.") for reason in REASONS},
    "in the middle": (stream(event(HALVES[0], ""), event("", "RECITATION")), "Gemini stopped: RECITATION."),
    "a sentence": (stream(SENTENCE), "Gemini stopped: OTHER: Too many brackets."),
    "no candidates": (stream(NO_CANDIDATES), "Gemini stopped: it gave no answer."),
    "at the limit": (stream(event(HALVES[0], "MAX_TOKENS")), "cut off at the limit"),
    "no end": (stream(event(HALVES[0], "")), "Gemini's answer broke off."),
    "refused": (stream(REFUSED), "Gemini refused to answer this (OTHER): No poems."),
    "nothing": (said(""), "Gemini sent an empty answer."),
    "no JSON": (stream("{]"), "Can't read Gemini's answer: it isn't JSON."),
}


@pytest.mark.parametrize(("step", "told"), STOPS.values(), ids=STOPS)
def test_where_no_answer_came_the_error_says_why(house, step, told):
    house.gemini.plans(step, step)

    asked = house.ask("how tall is it?")
    house.gemini._script.clear()

    assert asked.status[0] == "failed"
    assert told in asked.summary["error"]["message"]


QUOTA = "You exceeded your current quota. See https://ai.example/limits. \n* Quota exceeded"
NONE = f"{QUOTA} for metric: a.example/free_tier_requests, limit: 0, model: gemini-x\nPlease retry in 20.9s."


def waiting(delay: str) -> list[dict[str, object]]:
    return [{"@type": f"{g.RPC}RetryInfo", "retryDelay": delay}]


LATER = waiting("20s")
DAILY = [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}, *LATER]
SPENT = "Your prepayment credits are depleted. Please go to AI Studio."
LEAKED = "Your API key was reported as leaked. Please use another API key."
SAYS = "Gemini says: You exceeded your current quota."
busy = partial(g.Status, 429, "")
NAME, NEVER = g.MODELS[0], math.inf
# what comes → the class of the error, what it says, after how many seconds it is asked again
STATUSES = {
    "a quota of none": (busy(NONE, DAILY), Busy, f"no quota for {NAME} at all. {SAYS}", NEVER),
    "a quota of the day": (busy(QUOTA, DAILY), Busy, f"daily quota of {NAME} is used up. {SAYS}", NEVER),
    "a quota of the minute": (busy(QUOTA, LATER), Busy, f"this minute's quota is used up. {SAYS}", 20),
    "spent credits": (
        busy(SPENT),
        Busy,
        "credits of this key are used up. Gemini says: Your prepayment credits are depleted.",
        NEVER,
    ),
    "to be paid": (g.Status(402, "", "Pay first."), Busy, "are used up. Gemini says: Pay first.", NEVER),
    "Retry-After": (busy("Slow down.", Retry_After="7"), Busy, "for now. Gemini says: Slow down.", 7),
    "a part of a second": (busy(QUOTA, waiting("37.5s")), Busy, "this minute's quota is used up.", 37.5),
    "a wait that is no time": (busy(QUOTA, waiting("soon")), Busy, "this minute's quota is used up.", 0),
    "no more than 429": (busy(), Busy, "Gemini allows no more requests for now. Gemini says: Error 429.", 0),
    "503": (g.overloaded(), Overloaded, "(503). Gemini says: The model is overloaded.", None),
    "500": (g.Status(500), Overloaded, "(500). Gemini says: Error 500.", None),
    "529": (g.Status(529), Overloaded, "(529). Gemini says: Error 529.", None),
    "a page of 502": (g.Html(502), Overloaded, "is overloaded or down (502).", None),
    "a page of 511": (g.Html(511), ServiceUnreachable, "The answer is not Gemini's (511", None),
    "a leaked key": (g.Status(403, "", LEAKED), KeyRefused, LEAKED, None),
    "no key": (g.Status(401), KeyRefused, "refused the key", None),
    "a bad key": (g.bad_key(), KeyRefused, "refused the key", None),
    "a country": (g.Status(400, "", "No such country."), SchemaRefused, "(400): No such country.", None),
    "too long": (g.Status(400, "TOO_LONG", "It is too long."), ModelFailed, "(400): It is too long.", None),
    "no such model": (g.unknown_model(), SettingsError, "has no model named", None),
}


@pytest.mark.parametrize(("step", "kind", "told", "seconds"), STATUSES.values(), ids=STATUSES)
def test_a_status_is_told_as_what_it_means_in_the_services_own_words(gemini, step, kind, told, seconds):
    gemini.plans(step)

    with pytest.raises(JarvisError) as failure:
        ask(gemini)

    assert type(failure.value) is kind
    assert told in failure.value.message
    assert getattr(failure.value, "seconds", None) == seconds


def test_a_date_in_retry_after_is_waited_for(gemini):
    gemini.plans(g.Status(429, Retry_After=formatdate(usegmt=True)[:12] + "2099 10:00:00 GMT"))

    with pytest.raises(Busy) as failure:
        ask(gemini)

    assert failure.value.seconds > 1e8
