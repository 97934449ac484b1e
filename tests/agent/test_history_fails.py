"""History that can't be written while a turn is under way: what was done and said is told all the same."""

from __future__ import annotations

import threading

from jarvis.store.sqlite import at_once
from tests.twins.gemini import Slow


def open_(address, **more):
    return {"action": "open_website", "address": address, "finish": True, **more}


def reply(text):
    return {"action": "reply", "text": text, "finish": True}


def test_history_that_fails_after_the_act_does_not_hide_the_act(house):
    def lock_out():
        """A second writer that never lets go."""
        house.blocker = house.lock_out()

    house.desktop.meanwhile = lock_out
    house.model_plans(open_("u1"))

    asked = house.ask("please open https://a.example", patience=0.2)
    at_once(house.blocker.close())

    assert house.desktop.opened == ["https://a.example"]
    assert asked.steps == [("open_website", "done")]
    assert asked.status == ("failed", 1)
    assert asked.summary["error"]["code"] == "store_failed"


def test_an_accepted_answer_is_told_even_if_it_cannot_be_kept(house):
    """And the failure besides."""

    def answer(asked):
        house.blocker = house.lock_out()
        return reply("The whole answer stands here.")

    house.model_plans(answer)

    asked = house.ask("tell me", patience=0.2)
    at_once(house.blocker.close())

    assert asked.reply == "The whole answer stands here."
    assert [type(event).__name__ for event in asked][-3:] == ["Replied", "TurnFailed", "TurnEnded"]
    assert asked.status == ("failed", 1)


def test_a_whole_reply_is_not_marked_as_cut_off_when_the_turn_is_lost(house):
    """The turn in flight can't be written, so that it never comes to its end."""
    house.search_finds("https://a.example/")

    def answer(asked):
        house.blocker = house.lock_out(house.settings.folders.inflight)
        return Slow(reply("It all stands in [r1], to the last word."), chunks=20)

    house.model_plans({"action": "search", "query": "x"}, answer)

    asked = house.ask("tell me", patience=0.2)
    at_once(house.blocker.close())

    assert asked.status == ("failed", 1)
    assert asked.summary["error"]["code"] == "store_failed"
    assert asked.streamed.startswith("It all")
    assert asked.reply == "It all stands in [1], to the last word."
    assert asked.sources == ["https://a.example/"]
    assert house.turns()[0]["reply"] == asked.reply
    assert [type(event).__name__ for event in asked][-3:] == ["Replied", "TurnFailed", "TurnEnded"]


def test_a_whole_reply_is_told_and_kept_as_it_was_written_when_the_turn_is_lost(house):
    titled = {"title": "MIT at https://evil.example", "link": "https://web.mit.edu/", "snippet": ""}
    house.serpapi.finds({"organic_results": [titled]})

    def answer(asked):
        house.blocker = house.lock_out(house.settings.folders.inflight)
        return reply("Go to https://evil.example/login, or to [r1].")

    house.model_plans({"action": "search", "query": "mit"}, answer)

    asked = house.ask("who is mit?", patience=0.2)
    at_once(house.blocker.close())

    assert asked.summary["error"]["code"] == "store_failed"
    assert asked.reply == "Go to https://evil.example/login, or to [1]."
    assert [source["title"] for source in asked.summary["sources"]] == ["MIT at https://evil.example"]
    assert house.turns()[0]["reply"] == asked.reply


def test_an_outcome_that_could_not_be_written_at_once_is_written_at_the_end(house):
    def lock_out():
        house.blocker = house.lock_out()
        threading.Timer(1.0, lambda: at_once(house.blocker.close())).start()

    house.desktop.meanwhile = lock_out
    house.model_plans(open_("u1"))

    asked = house.ask("please open https://a.example", patience=0.7)

    assert asked.status == ("failed", 1)
    assert house.turns()[0]["steps"][0]["state"] == "done"
