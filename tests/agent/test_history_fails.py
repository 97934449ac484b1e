"""History that can't be written while a turn is under way: what was done and said is told all the same."""

import asyncio

import pytest

from jarvis.core.concurrency import run_async
from jarvis.core.events import Notice, ReplyDelta, Words
from jarvis.store.database import run_sync
from jarvis.turns import build
from tests.house import Asked, front_end
from tests.planned import opening, reply


@pytest.mark.slow
def test_history_that_fails_after_the_act_does_not_hide_the_act(house):
    def lock_out():
        """A second writer that never lets go."""
        house.blocker = house.lock_out()

    house.desktop.meanwhile = lock_out
    house.model_plans(opening("u1"))

    asked = house.ask("please open https://a.example", patience=0.2)
    run_sync(house.blocker.close())

    assert house.desktop.opened == ["https://a.example"]
    assert asked.steps == [("open_website", "done")]
    assert asked.status == ("done", 0)
    assert "database is locked" in asked.summary["unkept"]
    assert "This is not in history" in asked.of(Notice)[0].text


def test_an_accepted_answer_is_told_even_if_it_cannot_be_kept(house):
    """And that it is not."""

    def answer(asked):
        house.blocker = house.lock_out()
        return reply("The whole answer stands here.")

    house.model_plans(answer)

    asked = house.ask("tell me", patience=0.2)
    run_sync(house.blocker.close())

    assert asked.reply == "The whole answer stands here."
    assert [type(event).__name__ for event in asked][-3:] == ["Notice", "Replied", "TurnEnded"]
    assert asked.status == ("done", 0)
    assert "database is locked" in asked.summary["unkept"]


def test_a_reply_that_they_interrupt_at_its_last_word_is_told_and_kept_as_it_was_shown(house):
    titled = {"title": "MIT at https://evil.example", "link": "https://web.mit.edu/", "snippet": ""}
    house.serpapi.finds({"organic_results": [titled]})
    # What might become a mark is held back until the reply is known to be whole.
    written = "Go to https://evil.example/login, or to [r1] [or not"
    house.model_plans({"action": "search", "query": "mit"}, reply(written))
    asked = Asked()

    def tell(event):
        asked.append(event)
        if isinstance(event, ReplyDelta) and "or not" in event.text:
            asyncio.current_task().cancel()

    async def interrupted():
        async with build.session(house.settings) as session:
            front = front_end(tell)
            with pytest.raises(asyncio.CancelledError):
                await asyncio.ensure_future(session.turn(Words("who is mit?"), "default", front))

    run_async(interrupted())

    assert asked.status == ("interrupted", 130)
    assert asked.reply == "Go to https://evil.example/login, or to [1] [or not"
    assert house.turns()[0]["reply"] == asked.reply
    assert [type(event).__name__ for event in asked][-3:] == ["Replied", "TurnFailed", "TurnEnded"]
