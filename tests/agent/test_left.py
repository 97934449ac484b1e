"""What is left of what was asked for: each part is used up by one step, and budgets grow with the parts."""

import pytest

from jarvis.agent.reading import open_parts
from jarvis.core.intent import Form, Intent, Part
from jarvis.core.types import DRY_RUN, INSTEAD, NOT_ASKED, REPEATED, Outcome, Plan, Step
from tests.planned import reply
from tests.twins.serpapi import NoResults

OPEN = {"action": "open_website", "finish": False}
MIT = "https://web.mit.edu/"


def opening(id_, **more):
    return {**OPEN, "address": id_, **more}


def step(state, code="", part=1):
    return Step(1, Plan("open_website", {}), Outcome(state, "", code=code, part=part))


DONE, FAILED = step("done"), step("failed")
USED_UP = [
    ([], False),
    ([DONE], True),
    ([step("unknown")], True),
    ([step("declined", "declined")], True),
    ([step("declined", DRY_RUN)], True),
    ([step("declined", INSTEAD)], False),  # they said what to do instead, which is read anew
    ([FAILED], False),
    ([FAILED, FAILED], True),
    ([FAILED, DONE], True),
    ([step("refused")], False),
    ([step("refused", REPEATED)], False),
    ([step("refused", NOT_ASKED, part=0)], False),
    ([step("done", part=2)], False),
    ([step("done", part=0)], False),
]


@pytest.mark.parametrize(("steps", "is_used_up"), USED_UP)
def test_a_part_is_used_up_by_what_was_done_is_unknown_or_got_a_no(steps, is_used_up):
    assert open_parts(Intent((Part(Form.SITE, "MIT"),)), steps) == ([] if is_used_up else [1])


@pytest.mark.parametrize(
    ("part", "most"),
    [
        (Part(Form.FOUND, "3"), 3),
        (Part(Form.FOUND, "1"), 1),
        (Part(Form.LINES), 6),
        (Part(Form.TYPED, "3"), 1),
    ],
)
def test_a_part_takes_as_many_steps_as_it_names(part, most):
    assert [open_parts(Intent((part,)), [DONE] * n) for n in (0, most - 1, most)] == [[1], [1], []]


@pytest.mark.parametrize("how", ["done", "a dry run", "a no"])
def test_what_is_used_up_is_not_offered_again(house, how):
    house.answers = ["n"]
    # A no would end the turn there, were nothing else asked for.
    house.gemini.reading = "open u1?; picture" if how == "a no" else "open u1; picture"
    house.model_plans(opening("u1"), {"action": "take_screenshot"}, reply())

    house.ask("please open https://a.example for me, and take a picture", dry_run=how == "a dry run")

    assert len(house.questions) == (how == "a no")
    assert "open_website" not in house.gemini.requests[1].enum("action")
    assert house.gemini.requests[2].enum("action") == ("reply", "search", "more_actions")
    assert "not yet done" not in house.prompts[2]


@pytest.mark.parametrize("count", [1, 2, 6])
def test_searches_steps_and_calls_grow_with_the_sites_that_are_asked_for(house, count):
    names = [f"acme{n}" for n in range(count)]
    house.gemini.reading = "; ".join(f"open site {name}" for name in names)
    for n, name in enumerate(names):
        house.search_finds(f"https://{name}.example/", website=(name, f"https://{name}.example/"))
        house.model_plans({"action": "search", "query": name}, opening(f"r{n + 1}", finish=n == count - 1))

    asked = house.ask(f"find the sites of {' and '.join(names)} and open them")

    assert house.desktop.opened == [f"https://{name}.example/" for name in names]
    assert (asked.status, house.cost) == (("done", 0), (2 * count, count))


def test_a_line_that_the_list_has_not_opens_nothing_and_is_told(house):
    house.search_finds(*(f"https://{name}.example/" for name in "abcde"))
    house.model_plans({"action": "search", "query": "x"}, reply("See [r1], [r2], [r3], [r4] and [r5]."))
    house.ask("what is x?")
    house.gemini.reading = "open line 7"
    house.model_plans(opening("r1"), reply("There is no such line."))

    asked = house.ask("would you open number 7")

    assert (house.desktop.opened, asked.status) == ([], ("failed", 1))
    assert asked.steps == [("open_website", "refused")]
    assert "the list last shown has no line 7" in asked.reply
    assert asked.summary["error"]["message"] == "Not opened: line 7."


@pytest.mark.parametrize(
    ("wants", "told"),
    [
        ("open found 1", ""),
        ("open site Foo", "Not opened: Foo. "),
        ("open found 2; picture", "Not taken: a picture of the screen. "),
    ],
)
def test_where_a_search_found_nothing_that_is_why(house, wants, told):
    house.gemini.reading = wants
    house.serpapi.finds(NoResults())
    house.model_plans({"action": "search", "query": "Foo"}, reply("I found no such page."))

    asked = house.ask("find the best page on Foo")

    error = {"code": "not_done", "message": f"{told}Nothing was found for “Foo”.", "hint": ""}
    assert (asked.status, asked.summary["error"]) == (("failed", 1), error)
