"""What of the model's answer is accepted, what is repaired once, and what is never carried out."""

from __future__ import annotations

import pytest

from jarvis.actions import catalogue
from jarvis.events import ReplyDelta
from jarvis.graph.plans import Reader, Unusable, partial_reply, schema
from tests.twins.gemini import Blocked, CutStream, Finish, Slow, too_many_choices

ALLOWED = ("reply", "search", "open_website", "open_app")
GOOD = {"action": "open_website", "address": "r1", "finish": True}
REFUSED = {
    "an unknown action": {"action": "delete_files"},
    "a made-up address": {"action": "open_website", "address": "r9"},
    "an address written out": {"action": "open_website", "address": "https://evil.example/"},
    "a field of another action": {"action": "open_website", "address": "r1", "app": "xterm"},
    "two actions at once": {"action": ["search", "open_website"]},
    "a list of plans": '[{"action": "reply", "text": "a"}, {"action": "reply", "text": "b"}]',
    "two objects": '{"action":"open_website","address":"r1"}{"action":"open_website","address":"r1"}',
    "an action named twice": '{"action": "reply", "text": "No.", "action": "open_website", "address": "r1"}',
    "a field nobody knows": '{"action": "open_website", "address": "r1", "url": "https://evil.example/"}',
    "cut JSON": '{"action": "open_website", "address": "r1", "fin',
    "prose": "Sure! I will open it for you.",
    "prose around JSON": 'Here: {"action": "open_website", "address": "r1"}',
    "a fence": '```json\n{"action": "open_website", "address": "r1"}\n```',
    "nothing": "",
    "null": "null",
    "an opening without an address": {"action": "open_website", "finish": True},
    "a search without words": {"action": "search", "query": ""},
    "a reply without text": {"action": "reply", "finish": True},
    "a number for a text": {"action": "search", "query": 7},
    "a text for a boolean": {"action": "open_website", "address": "r1", "finish": "true"},
    "another case": {"action": "Open_Website", "address": "r1"},
}


@pytest.mark.parametrize("answer", REFUSED.values(), ids=REFUSED.keys())
def test_an_answer_that_is_no_plan_is_never_carried_out(house, answer):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, answer, answer)

    asked = house.ask("find x and open it")

    assert house.desktop.opened == []
    assert house.desktop.launched == []
    assert asked.status == ("failed", 1)
    assert len(house.gemini.requests) == 3
    assert asked.summary["error"]["code"] == "model_failed"


def test_one_repair_is_asked_for_and_told_what_was_wrong(house):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, {"action": "open_website", "address": "r9"}, GOOD)

    asked = house.ask("find x and open it")

    assert house.desktop.opened == ["https://a.example/"]
    assert asked.status == ("done", 0)
    assert "`r9` is not the id of an offered address" in house.prompts[-1]


def test_a_repaired_reply_is_shown_while_it_is_written(house):
    """However long the answer was that could not be used."""
    text = "It is all that was wanted, word by word."
    house.model_plans("no plan at all " * 100, Slow({"action": "reply", "text": text}, chunks=40, delay=0.01))

    asked = house.ask("tell me")

    assert len(house.gemini.requests) == 2
    assert (asked.reply, asked.streamed) == (text, text)
    assert len(asked.of(ReplyDelta)) > 3


def test_a_plan_that_was_cut_off_is_asked_for_once_more(house):
    house.search_finds("https://a.example/")
    house.model_plans(
        {"action": "search", "query": "x"}, Finish('{"action": "open_website", "addr', "MAX_TOKENS"), GOOD
    )

    assert house.ask("find x and open it").status == ("done", 0)


def test_a_whole_plan_that_did_not_end_with_stop_is_not_carried_out(house):
    whole = '{"action": "open_website", "address": "u1", "finish": true}'
    house.model_plans(Finish(whole, "MAX_TOKENS"), Finish(whole, "MAX_TOKENS"))

    asked = house.ask("please go and open https://a.example")

    assert house.desktop.opened == []
    assert asked.status == ("failed", 1)


def test_a_reply_that_breaks_off_is_marked_and_not_asked_for_again(house):
    house.model_plans(CutStream('{"action": "reply", "finish": true, "text": "It is a long story, and it'))

    asked = house.ask("tell me a story")

    assert asked.status == ("failed", 1)
    assert asked.reply.endswith("(cut off)")
    assert asked.reply.startswith("It is a long story")
    assert len(house.gemini.requests) == 1
    assert house.turns()[0]["reply"].endswith("(cut off)")


def test_a_blocked_prompt_is_told_and_not_repaired(house):
    house.model_plans(Blocked("SAFETY"))

    asked = house.ask("something")

    assert asked.status == ("failed", 1)
    assert "SAFETY" in asked.summary["error"]["message"]


def test_a_refused_enum_is_replaced_by_a_plain_string_that_python_checks(house):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, too_many_choices(), GOOD)

    assert house.ask("find x and open it").status == ("done", 0)
    assert house.gemini.requests[1].enum("address") == ("r1",)
    assert house.gemini.requests[2].enum("address") == ()


def test_the_fields_stand_in_the_order_of_the_contract():
    whole = schema(catalogue(), list(catalogue()), ["r1"])

    assert whole["propertyOrdering"] == ["action", "query", "address", "app", "finish", "text"]
    assert whole["required"] == whole["propertyOrdering"]


def test_a_plan_may_leave_out_what_it_does_not_fill():
    plan = Reader(catalogue()).read('{"action": "search", "query": "x"}', ALLOWED, ["r1"])

    assert (plan.action, dict(plan.arguments), plan.finish) == ("search", {"query": "x"}, False)


def test_an_action_that_is_not_open_now_is_refused():
    with pytest.raises(Unusable, match="not one of the actions open now"):
        Reader(catalogue()).read('{"action": "take_screenshot"}', ALLOWED, ["r1"])


def test_a_search_may_not_hide_an_address_in_it():
    with pytest.raises(Unusable, match="more than one action"):
        Reader(catalogue()).read('{"action": "search", "query": "x", "address": "r1"}', ALLOWED, ["r1"])


@pytest.mark.parametrize(
    ("so_far", "words"),
    [
        ("", ""),
        ('{"action": "rep', ""),
        ('{"action": "reply", "text": "Hel', "Hel"),
        ('{"action": "reply", "text": null', ""),
        ('{"action": "search", "text": "because', ""),
        ('["reply"', ""),
        ('{"action": "reply", "text": "a\\u001b[31mb', "a"),
    ],
)
def test_only_a_reply_is_read_while_it_is_being_written(so_far, words):
    assert partial_reply(so_far) == words
