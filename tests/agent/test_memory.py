"""What the model sees of a thread, and what a thread keeps of a turn."""

from tests.conftest import BOTH
from tests.planned import reply

pytestmark = BOTH


def test_the_next_turn_sees_what_was_said_and_done(house):
    house.search_finds("https://a.example/")
    house.model_plans(
        {"action": "search", "query": "x"},
        {"action": "open_website", "address": "r1", "finish": True},
        reply("You asked me to find x."),
    )
    house.ask("find x and open it")

    house.ask("what was my last question?")

    assert "Person: find x and open it" in house.prompts[-1]
    assert "Sent https://a.example/ to your browser." in house.prompts[-1]


def test_threads_do_not_see_each_other(house):
    house.search_finds("https://a.example/")
    house.model_plans({"action": "search", "query": "x"}, reply("There."), reply("Nothing."))
    house.ask("find x", thread="one")

    house.ask("hello", thread="two")

    assert "find x" not in house.prompts[-1]
    assert house.gemini.requests[-1].enum("address") == ()


def test_the_fixed_part_of_the_prompt_stays_under_1800_tokens(house):
    house.model_plans(reply("Hi."))
    house.ask("hi")

    asked = house.gemini.requests[0]

    assert (len(asked.system) + len(asked.prompt) + len(str(asked.schema))) / 4 < 1800
