"""An answer that comes later: the turn goes on to its end, and what a database holds widens nothing."""

import contextlib

import pytest

from jarvis.core.errors import UsageError
from jarvis.policy.rules import load_rules, remember
from tests.conftest import BOTH
from tests.planned import reply

MUNICH = "https://xn--mnchen-3ya.example/"
HOST = "xn--mnchen-3ya.example"
WORDS = "find the ticket shop and open it"
SEARCH = {"action": "search", "query": "ticket shop"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}


@pytest.fixture
def in_vain(house):
    """A turn after another one, which asks about what it found, and gets no answer."""
    house.model_plans(reply("It is a shop."), SEARCH, OPEN)
    house.ask("what is muenchenticket?")
    house.search_finds(MUNICH, "https://b.example/")
    asked = house.ask(WORDS)
    assert (asked.status, house.desktop.opened) == (("needs_answer", 3), [])
    return asked


@BOTH
def test_that_of_a_plain_command_takes_no_call(house):
    # On a server its addresses get other ids than here.
    house.model_plans(reply("Fairly."))
    house.ask("is b.example any good, and c.example?")
    remember(house.settings.folders.policy, "ask", "opens", "a.example")
    asked = house.plain("open a.example")
    cost = house.cost
    assert asked.status == ("needs_answer", 3)

    told = house.answer(asked, "y")

    assert (told.status, house.desktop.opened) == (("done", 0), ["https://a.example"])
    (step,) = told.summary["steps"]
    assert (house.cost, told.summary["intent"]) == (cost, [f"open {step['arguments']['address']}"])
    with pytest.raises(UsageError, match="There is no open question"):
        house.answer(asked, "y")


@BOTH
def test_with_it_the_turn_goes_on_to_its_end_and_asks_the_model_nothing_again(house, in_vain):
    before = house.cost
    house.model_plans(reply("Gladly."))
    house.ask("thanks, and open line 7 tomorrow")

    told = house.answer(in_vain, "y")

    assert (told.status, house.desktop.opened) == (("done", 0), [MUNICH])
    assert house.cost == (before[0] + 1, before[1])  # of the turn in between
    assert told.summary["turn"] == in_vain.summary["turn"]
    turns = house.turns()
    assert [(turn["goal"], turn["status"]) for turn in turns][1] == (WORDS, "done")
    assert [step["state"] for step in turns[1]["steps"]] == ["done", "done"]
    assert house.checkpoints == set()


@BOTH
@pytest.mark.parametrize(("said", "rules"), [("n", 0), ("N", 1)])
def test_a_no_takes_no_call_and_is_one_for_good(house, in_vain, said, rules):
    before = house.cost

    told = house.answer(in_vain, said)

    assert (told.status, house.desktop.opened, house.cost) == (("refused", 4), [], before)
    kept = load_rules(house.settings.folders.policy).rules
    assert [(rule.verdict, rule.name) for rule in kept] == [("deny", HOST)] * rules
    with pytest.raises(UsageError, match="There is no open question"):
        house.answer(in_vain, "y")


@pytest.mark.parametrize("said", ["maybe", "y y", "e https://c.example/x", ""])
def test_an_answer_that_is_none_leaves_it_open(house, in_vain, said):
    if said:
        with pytest.raises(UsageError, match="is answered by one of: y, a, n, N"):
            house.answer(in_vain, said)
        assert house.answer(in_vain, "y").status == ("done", 0)
    else:
        assert house.answer(in_vain, said).status == ("refused", 4)


def test_what_is_denied_by_now_is_not_done(house, in_vain):
    remember(house.settings.folders.policy, "deny", "opens", HOST)
    house.model_plans(reply("It was refused."))

    told = house.answer(in_vain, "a")

    assert (told.status, house.desktop.opened) == (("refused", 4), [])
    assert "policy rule 1 denies it" in told.summary["reply"]


@pytest.mark.parametrize(
    ("said", "denied", "opened", "launched"),
    [
        ("1", None, ["https://github.com"], []),
        ("2", None, [], ["github"]),
        ("1", ("launches", "Github"), ["https://github.com"], []),
        ("2", ("launches", "Github"), [], []),
        ("n", None, [], []),
    ],
)
def test_one_of_several_is_chosen_and_held_against_the_rules_by_itself(house, said, denied, opened, launched):
    house.gemini.reading = "open site github"
    house.model_plans({**OPEN, "address": "s1"})
    asked = house.ask("could you perhaps get me to github now?")
    assert asked.summary["question"]["kind"] == "choice"
    if denied:
        remember(house.settings.folders.policy, "deny", *denied)
        house.model_plans(*[reply("It was refused.")] * (said == "2"))

    told = house.answer(asked, said)

    assert (house.desktop.opened, house.desktop.launched) == (opened, launched)
    assert told.status == (("done", 0) if opened or launched else ("refused", 4))


@BOTH
def test_after_a_day_it_is_void(house, in_vain):
    house.rows("UPDATE turns SET ended_at = ended_at - 86500")

    with pytest.raises(UsageError, match="asked too long ago"):
        house.answer(in_vain, "y")

    assert house.desktop.opened == []


@pytest.mark.parametrize("said", ["y", "a"])
def test_what_is_written_of_the_question_in_the_database_changes_nothing(house, in_vain, said):
    """Neither what it opens nor what an “always” allows is any other than they were asked about."""
    for old, new in ((HOST, "evil.example"), ('"effect": "opens"', '"effect": "captures"')):
        house.rows("UPDATE turns SET question = replace(question, ?, ?) WHERE question IS NOT NULL", old, new)
    (written,) = house.rows("SELECT question FROM turns WHERE question IS NOT NULL")
    assert "evil.example" in written[0]

    told = house.answer(in_vain, said)

    assert (told.status, house.desktop.opened, house.desktop.captured) == (("done", 0), [MUNICH], [])
    assert {rule.name for rule in load_rules(house.settings.folders.policy).rules} <= {HOST}


# What a row may say instead, of a plain command whose question waits.
ROWS = {
    "other words": "goal = 'open other.example'",
    "more words": "goal = 'open a.example and open other.example'",
    "words that no command is": "goal = 'find a page and open it'",
    "another step": "question = replace(question, '\"step\": 1', '\"step\": 2')",
}


@pytest.mark.parametrize("row", ROWS)
def test_a_yes_opens_nothing_but_what_was_asked_whatever_the_row_says_now(house, row):
    for host in ("a.example", "other.example"):
        remember(house.settings.folders.policy, "ask", "opens", host)
    asked = house.plain("open a.example")
    before = house.rows("SELECT goal, question FROM turns")
    house.rows(f"UPDATE turns SET {ROWS[row]}")
    assert house.rows("SELECT goal, question FROM turns") != before

    with contextlib.suppress(UsageError):
        assert house.answer(asked, "y").status[1] in (0, 3)

    assert {*house.desktop.opened} <= {"https://a.example"}


EVIL = "https://evil.example/"


SHOT = {"action": "take_screenshot", "arguments": {}, "finish": True, "text": ""}
READ_AS_SHOT = [{"form": "picture", "value": "", "unsure": False}]
READ_AS_PAGE = [{"form": "open found N", "value": "1", "unsure": False}]
# What a checkpoint may say instead: where its addresses lead, what is planned, what the words were read as.
CHANGED = {
    "another address": (EVIL, None, None),
    "another plan": ("", SHOT, None),
    "another plan that is asked for": ("", SHOT, READ_AS_SHOT),
    "another address that is asked for": (EVIL, None, READ_AS_PAGE),
}


@pytest.mark.parametrize(("url", "plan", "intent"), CHANGED.values(), ids=CHANGED)
def test_of_a_checkpoint_that_was_changed_nothing_is_done_on_the_old_yes(house, in_vain, url, plan, intent):
    def change(state):
        for each in state["addresses"]:
            each["url"] = url or each["url"]
        state["plans"] = [plan] if plan else state["plans"]
        state["reading"]["intents"][0] = intent or state["reading"]["intents"][0]

    house.change_checkpoint(change)
    house.model_plans(reply("It was refused."))

    told = house.answer(in_vain, "y")

    assert (house.desktop.opened, house.desktop.captured) == ([], [])
    assert told.status in (("needs_answer", 3), ("refused", 4))


def test_what_a_checkpoint_says_of_an_answer_or_a_request_counts_for_nothing(house, in_vain):
    said = {"n": 2, "action": "open_website", "target": EVIL, "rule": "", "part": 1, "opened": ""}
    house.change_checkpoint(lambda state: state.update(answer={"question": "", "said": "y"}, request=said))

    told = house.answer(in_vain, "y")

    assert (told.status, house.desktop.opened) == (("done", 0), [MUNICH])


def test_without_its_checkpoint_it_counts_for_nothing_and_that_is_told(house, in_vain):
    """A row of history alone says nothing of what they were asked about."""
    (house.home / "jarvis" / "data" / "inflight.db").unlink()

    with pytest.raises(UsageError, match="Nothing is left of what the question was about"):
        house.answer(in_vain, "y")

    assert house.desktop.opened == []
