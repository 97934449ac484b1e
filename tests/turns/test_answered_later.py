"""An answer that comes later: the words are read again, and what a database holds widens nothing."""

from __future__ import annotations

import pytest

from jarvis.core.errors import UsageError
from jarvis.policy import rules_file
from tests.answering import answered, plainly
from tests.conftest import BOTH

MUNICH = "https://xn--mnchen-3ya.example/"
HOST = "xn--mnchen-3ya.example"
WORDS = "find the ticket shop and open it"
SEARCH = {"action": "search", "query": "ticket shop"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}


def reply(text):
    return {"action": "reply", "text": text, "finish": True}


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
    rules_file.remember(house.settings.folders.policy, "ask", "opens", "a.example")
    asked = plainly(house, "open a.example")
    cost = house.cost
    assert asked.status == ("needs_answer", 3)

    told = answered(house, asked, "y")

    assert (told.status, house.desktop.opened) == (("done", 0), ["https://a.example"])
    assert (house.cost, told.summary["intent"]) == (cost, ["open u1"])
    with pytest.raises(UsageError, match="There is no open question"):
        answered(house, asked, "y")


@BOTH
def test_that_of_the_loop_takes_one_small_call_on_what_its_turn_was_read_from(house, in_vain):
    first, before = house.prompts[-1], house.cost
    house.model_plans(reply("Gladly."))
    house.ask("thanks, and open line 7 tomorrow")
    assert "The words now:\n" + WORDS in first
    house.gemini.reading = "open found 1"

    told = answered(house, in_vain, "y")

    assert (told.status, house.desktop.opened) == (("done", 0), [MUNICH])
    assert house.cost == (before[0] + 2, before[1])
    assert house.prompts[-1] == first
    assert told.summary["usage"]["model_calls"] == 1
    assert told.summary["intent"] == ["open found 1"]
    assert house.turns()[-1]["steps"][0]["state"] == "done"


@pytest.mark.parametrize(
    ("reading", "calls"),
    [("nothing", 1), ("picture", 1), ("start firefox", 1), ("open line 1", 1), ("nonsense", 2)],
)
def test_where_the_words_do_not_ask_for_it_any_more_it_is_refused(house, in_vain, reading, calls):
    house.gemini.reading = reading
    before = house.cost[0]

    told = answered(house, in_vain, "a")

    assert (told.status, house.desktop.opened) == (("refused", 4), [])
    assert "Ask again." in told.steps[0][1] + told.summary["reply"]
    assert house.cost[0] == before + calls
    assert not rules_file.load_rules(house.settings.folders.policy).rules
    with pytest.raises(UsageError):
        answered(house, in_vain, "y")


@BOTH
def test_words_that_nobody_vouches_for_ask_for_nothing(house, in_vain):
    """Those of an import, of an older version, or mixed with what was piped in."""
    house.rows("UPDATE turns SET own = 0, piped = 'a mail'")
    before = house.cost

    told = answered(house, in_vain, "y")

    assert (told.status, house.desktop.opened, house.cost) == (("refused", 4), [], before)
    assert "Ask again." in told.summary["reply"]
    # No words become their own by being answered about.
    assert house.rows("SELECT goal, piped, own FROM turns WHERE n > 1") == [(WORDS, "a mail", 0)] * 2


@BOTH
@pytest.mark.parametrize(("said", "rules"), [("n", 0), ("N", 1)])
def test_a_no_takes_no_call_and_is_one_for_good(house, in_vain, said, rules):
    before = house.cost

    told = answered(house, in_vain, said)

    assert (told.status, house.desktop.opened, house.cost) == (("refused", 4), [], before)
    kept = rules_file.load_rules(house.settings.folders.policy).rules
    assert [(rule.verdict, rule.name) for rule in kept] == [("deny", HOST)] * rules
    with pytest.raises(UsageError, match="There is no open question"):
        answered(house, in_vain, "y")


@pytest.mark.parametrize("said", ["maybe", "7", "e", "y y", ""])
def test_an_answer_that_is_none_leaves_it_open(house, in_vain, said):
    if said:
        with pytest.raises(UsageError, match="is answered by one of: y, t, a, e, n, N"):
            answered(house, in_vain, said)
        assert answered(house, in_vain, "y").status == ("done", 0)
    else:
        assert answered(house, in_vain, said).status == ("refused", 4)


@pytest.mark.parametrize(
    ("reading", "denied", "opened"),
    [
        ("open found 1", "", ["https://c.example/x"]),
        ("open found 1", HOST, ["https://c.example/x"]),
        ("open found 1", "c.example", []),
        ("nothing", "", []),
    ],
)
def test_an_address_may_be_given_in_its_place(house, in_vain, reading, denied, opened):
    house.gemini.reading = reading
    if denied:
        rules_file.remember(house.settings.folders.policy, "deny", "opens", denied)

    told = answered(house, in_vain, "e https://c.example/x")

    assert house.desktop.opened == opened
    assert told.status == (("done", 0) if opened else ("refused", 4))


@pytest.mark.parametrize("said", ["y", "t", "a"])
def test_what_is_denied_by_now_is_not_done(house, in_vain, said):
    rules_file.remember(house.settings.folders.policy, "deny", "opens", HOST)

    told = answered(house, in_vain, said)

    assert (told.status, house.desktop.opened) == (("refused", 4), [])
    assert "policy rule 1 denies it" in told.summary["reply"]


@pytest.mark.parametrize(
    ("said", "denied", "opened", "launched"),
    [
        ("1", None, ["https://github.com"], []),
        ("2", None, [], ["github"]),
        ("1", ("opens", "github.com"), [], []),
        ("2", ("opens", "github.com"), [], ["github"]),
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
        rules_file.remember(house.settings.folders.policy, "deny", *denied)

    told = answered(house, asked, said)

    assert (house.desktop.opened, house.desktop.launched) == (opened, launched)
    assert told.status == (("done", 0) if opened or launched else ("refused", 4))


@BOTH
def test_after_a_day_it_is_void(house, in_vain):
    house.rows("UPDATE turns SET ended_at = ended_at - 86500")

    with pytest.raises(UsageError, match="is void: it was asked more than a day ago"):
        answered(house, in_vain, "y")

    assert house.desktop.opened == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (HOST, "evil.example"),
        ('"doubts": ["odd letters"]', '"doubts": ["odd letters", "private", "unusual port"]'),
        ('"part": 1, "title": ""', '"part": 1, "title": "bank.example"'),
        ('"action": "open_website"', '"action": "open_app"'),
        ('"effect": "opens"', '"effect": "captures"'),
    ],
)
@pytest.mark.parametrize("said", ["y", "a"])
def test_one_that_was_written_anew_in_the_database_is_not_carried_out(house, in_vain, old, new, said):
    """Neither what it opens nor what an “always” would allow is any other than they were asked about."""
    house.rows("UPDATE turns SET question = replace(question, ?, ?) WHERE question IS NOT NULL", old, new)
    (written,) = house.rows("SELECT question FROM turns WHERE question IS NOT NULL")
    assert new in written[0]

    told = answered(house, in_vain, said)

    assert (told.status, house.desktop.opened, house.desktop.launched) == (("refused", 4), [], [])
    assert "it is not what you were asked about" in told.summary["reply"]
    assert not rules_file.load_rules(house.settings.folders.policy).rules


def test_what_there_was_to_choose_from_is_as_it_was_shown(house):
    house.gemini.reading = "open site github"
    house.model_plans({**OPEN, "address": "s1"})
    asked = house.ask("could you perhaps get me to github now?")
    house.rows('UPDATE turns SET question = replace(question, \'"url": "github"\', \'"url": "evil"\')')
    assert "evil" in house.rows("SELECT question FROM turns")[0][0]

    assert answered(house, asked, "2").status == ("refused", 4)
    assert house.desktop.launched == []


def test_that_of_a_search_has_no_use_later_and_is_not_lost(house):
    rules_file.remember(house.settings.folders.policy, "ask", "reads")
    house.model_plans(SEARCH)
    asked = house.ask("who runs tesla?")
    assert asked.status == ("needs_answer", 3)

    for _ in range(2):
        with pytest.raises(UsageError, match="asks about a search"):
            answered(house, asked, "y")

    assert answered(house, asked, "n").status == ("refused", 4)
    assert house.serpapi.requests == []
