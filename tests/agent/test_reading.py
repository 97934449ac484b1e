"""What the words are read as: beside the first plan, or by a small call; once a turn, with one repair."""

import pytest

from jarvis.core.events import Notice
from jarvis.launcher import aliases
from tests.planned import reply
from tests.twins.gemini import Blocked, Finish, bad_key, per_day

PLEASE = "please open https://a.example for me"
OPEN = {"action": "open_website", "address": "u1", "finish": True}
SEARCH = {"action": "search", "query": "x"}
PICTURE = {"action": "take_screenshot", "finish": True}


def raw(wants):
    """An opening in which `wants` is exactly that."""
    return '{"wants": WANTS, "action": "open_website", "address": "u1", "finish": true}'.replace(
        "WANTS", wants
    )


MISREAD = {
    "missing": '{"action": "open_website", "address": "u1", "finish": true}',
    "a number": raw("7"),
    "separators alone": raw('" ; . "'),
    "prose": raw('"They want to have it opened."'),
    "one good part and one bad": raw('"open u1; make coffee"'),
    "an address that was not typed": raw('"open u2"'),
    "nothing, though it opens": raw('"nothing"'),
    "another thing than it opens": raw('"picture"'),
}


@pytest.mark.parametrize("answer", MISREAD.values(), ids=MISREAD)
def test_a_reading_that_cannot_be_used_is_asked_for_once_more(house, answer):
    """By a small call of its own; the plan is kept."""
    house.model_plans(answer)
    house.gemini.readings.append("open u1")

    asked = house.ask(PLEASE)

    assert "Your last answer could not be used: `" in house.gemini.small[0].prompt
    assert house.desktop.opened == ["https://a.example"]
    assert (asked.status, asked.summary["intent"]) == (("done", 0), ["open u1"])
    assert house.cost == (2, 0)


UNUSABLE = {"action": "open_website", "address": "r9", "finish": True}


@pytest.mark.parametrize("first", [[], [UNUSABLE]], ids=["a reading", "a plan"])
@pytest.mark.parametrize("answer", [MISREAD["prose"], MISREAD["another thing than it opens"]])
def test_after_the_one_repair_of_a_reading_it_is_nothing(house, first, answer):
    house.model_plans(*first, answer, reply())
    house.gemini.readings.append("They want it open.")

    asked = house.ask(PLEASE)

    assert house.desktop.opened == []
    assert (asked.status, asked.reply.splitlines()[-1]) == (("done", 0), "Hello.")
    assert asked.steps == [("open_website", "refused")]
    assert asked.summary["intent"] == []
    assert "it did nothing, no matter what the reply says" in asked.of(Notice)[-1].text
    assert house.gemini.planning[-1].enum("action") == ("reply", "search", "more_actions")
    assert len(house.gemini.requests) == len(first) + 3


def test_what_was_wrong_with_a_plan_is_told_the_model_and_not_the_person(house):
    house.model_plans(UNUSABLE, UNUSABLE)

    asked = house.ask(PLEASE)

    assert "`r9` is not the id of an offered address" in house.prompts[1]
    assert asked.summary["error"]["message"] == "The model gave no plan that can be carried out."
    assert "r9" not in str([event for event in asked if not hasattr(event, "summary")])


# What is said beside a reply, and what it is read as: nothing of it is asked for again.
BESIDE_REPLY = {
    "missing": '{"action": "reply", "text": "Hello."}',
    "unreadable": {"wants": "make coffee", **reply()},
    "of another kind": {"wants": 7, **reply()},
    "nothing": {"wants": "nothing", **reply()},
}


@pytest.mark.parametrize("answer", BESIDE_REPLY.values(), ids=BESIDE_REPLY)
def test_beside_a_reply_nothing_is_repaired(house, answer):
    house.model_plans(answer)

    asked = house.ask(PLEASE)

    assert (asked.status, asked.reply) == (("done", 0), "Hello.")
    assert (asked.summary["intent"], asked.summary["unmet"]) == ([], [])
    assert house.cost == (1, 0)


def ours(house):
    aliases.add(house.settings.folders.aliases, "wiki", "https://wiki.example")


# What comes before, and the words; what they plan; how many small calls that takes.
TURNS = {
    "a first turn": ([], PLEASE, "", [OPEN], 0),
    "a first turn that searches": ([], "find x", "", [SEARCH, reply()], 0),
    "an opening, later": (["hello"], PLEASE, "", [OPEN], 1),
    "a picture, later": (["hello"], "a picture, please do", "", [PICTURE], 1),
    "two openings and a picture": (
        ["hello"],
        "please open https://a.example and https://b.example and take a picture",
        "",
        [{**OPEN, "finish": False}, {**OPEN, "address": "u2", "finish": False}, PICTURE],
        1,
    ),
    "a search and a reply, later": (["hello"], "what is x?", "", [SEARCH, reply()], 0),
    "a reply, later": (["hello"], "thanks", "", [reply()], 0),
    "a search and an opening, later": (["hello"], PLEASE, "", [SEARCH, OPEN], 1),
    "something piped in": ([], PLEASE, "See https://b.example.\nAnd this.", [OPEN], 1),
    "something piped in, and a reply": ([], "what is it?", "A mail.\nOf two lines.", [reply()], 0),
    "an alias of theirs": ([], "please open wiki for me", "", [{**OPEN, "address": "s1"}], 1),
}


@pytest.mark.parametrize(("before", "words", "piped", "plans", "small"), TURNS.values(), ids=TURNS)
def test_a_small_call_is_made_once_where_the_prompt_is_not_clean(house, before, words, piped, plans, small):
    ours(house)
    for said in before:
        house.model_plans(reply())
        house.ask(said)
    house.search_finds("https://c.example/")
    house.model_plans(*plans)

    asked = house.ask(words, piped=piped)
    house.serpapi._script.clear()

    assert asked.status == ("done", 0)
    assert len(house.gemini.small) == small
    assert "wants" in house.gemini.planning[len(before)].schema["properties"]
    is_clean = not before and not piped and "wiki" not in words
    acts = len(house.desktop.opened) + len(house.desktop.captured)
    assert acts == sum(plan["action"] in ("open_website", "take_screenshot") for plan in plans)
    assert (asked.summary["intent"] is None) == (not is_clean and not small)


def later(house, *plans):
    """A thread in which something was said before."""
    house.model_plans(reply(), *plans)
    house.ask("hello")


# What the small call answers, and then; whether it comes to an opening.
REPAIRED = {
    "prose": (["They want it open.", "open u1"], True),
    "no such address": (["open u2", "open u1"], True),
    "no wants": ([{"goal": "open u1"}, "open u1"], True),
    "not whole": ([Finish({"wants": "open u1"}, "OTHER"), "open u1"], True),
    "in quotes": (['"open u1"'], True),
    "prose twice": (["They want it open.", "Really."], False),
    "nothing": (["nothing"], False),
    "another thing": (["picture"], False),
}


@pytest.mark.parametrize(("readings", "opens"), REPAIRED.values(), ids=REPAIRED)
def test_the_small_call_is_repaired_once_and_then_it_is_nothing(house, readings, opens):
    later(house, OPEN, *([] if opens else [reply("No.")]))
    house.gemini.readings += readings

    asked = house.ask(PLEASE)

    assert house.desktop.opened == (["https://a.example"] if opens else [])
    assert asked.status == (("failed", 1) if readings == ["picture"] else ("done", 0))
    assert asked.steps == [("open_website", "done" if opens else "refused")]
    assert len(house.gemini.small) == len(readings)
    repairs = ["Your last answer could not be used" in request.prompt for request in house.gemini.small]
    assert repairs == [False, True][: len(readings)]
    assert asked.summary["usage"]["model_calls"] == 1 + len(readings) + (not opens)


def test_the_small_call_counts_in_the_turn_and_in_the_day(house):
    later(house, OPEN)

    used = house.ask(PLEASE).summary["usage"]

    sent = house.gemini.requests[1:]
    assert (used["model_calls"], len(house.gemini.small)) == (2, 1)
    assert used["input_tokens"] == sum((len(r.system) + len(r.prompt)) // 4 + 1 for r in sent)
    assert house.rows("SELECT SUM(model_calls) FROM usage") == [(3,)]


FAULTS = {
    "a key that is refused": (bad_key(), 77, "key_refused"),
    "a spent day of theirs": (per_day(), 75, "rate_limited"),
    "a block": (Blocked("SAFETY"), 1, "model_failed"),
    "an answer that is refused": (Finish({"wants": "open u1"}, "SAFETY"), 1, "model_failed"),
}


@pytest.mark.parametrize(("fault", "status", "code"), FAULTS.values(), ids=FAULTS)
def test_a_small_call_that_fails_ends_the_turn_as_any_call_does(house, fault, status, code):
    later(house, OPEN)
    house.gemini.readings.append(fault)

    asked = house.ask(PLEASE)

    assert (asked.status, asked.summary["error"]["code"]) == (("failed", status), code)
    assert (house.desktop.opened, asked.steps, asked.summary["intent"]) == ([], [], None)
    assert len(house.gemini.small) == 1


@pytest.mark.parametrize("limit", ["[daily]", "[budgets]"])
def test_where_no_call_is_left_for_it_nothing_is_done(house, limit):
    later(house, OPEN)
    house.configure(f"{limit}\nmodel_calls = {2 if limit == '[daily]' else 1}\n")

    asked = house.ask(PLEASE)

    assert asked.status[0] == "failed"
    assert asked.summary["error"]
    assert (house.desktop.opened, house.gemini.small) == ([], [])
