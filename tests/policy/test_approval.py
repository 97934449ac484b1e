"""The person is asked before something doubtful is opened, wherever they can be asked."""

import signal

import pytest

from jarvis.actions.base import plannable
from jarvis.core.types import AppFound, AppsFound
from jarvis.packs.pack import actions_of, all_packs
from jarvis.policy.rules import load_rules, remember
from tests.packs.trip.travels import MONTH
from tests.person import CTRL_C, ENTER, Person
from tests.planned import reply
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

MUNICH = "https://xn--mnchen-3ya.example/"
PICTURE = {"action": "take_screenshot", "finish": True}
START = {"action": "open_app", "finish": True}
SEARCH = {"action": "search", "query": "ticket shop"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
DOUBTFUL = [MUNICH, "https://xn--bcher-kva.example/", "https://xn--rger-koa.example/"]


NO = ("refused", 4)
# What they say to the question: what it comes to, and how many rules are kept.
ANSWERS = {
    **dict.fromkeys(["y", " Yes "], (("done", 0), 0)),
    **dict.fromkeys(["n", "", "ok", "yy", "y es", "u1"], (NO, 0)),
    "a": (("done", 0), 1),
    "never": (NO, 1),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_anything_else_than_yes_is_no(house, answer):
    house.search_finds(MUNICH, "https://b.example/")
    # Several words may say what to do instead.
    house.model_plans(SEARCH, OPEN, *([reply("Then not.")] if " e" in answer else []))
    house.answers = [answer]

    asked = house.ask("find the ticket shop and open it")

    (question,) = house.questions
    assert MUNICH in question.text.split()
    assert question.reason
    status, rules = ANSWERS[answer]
    state = "done" if status[1] == 0 else "declined"
    assert (asked.status, house.desktop.opened) == (status, [MUNICH] * (state == "done"))
    assert [step["state"] for step in house.turns()[0]["steps"]] == ["done", state]
    kept = load_rules(house.settings.folders.policy).rules
    assert [(r.effect, r.name) for r in kept] == [("opens", "xn--mnchen-3ya.example")] * rules
    assert [r.doubt for r in kept if r.verdict == "allow"] == ["odd letters"] * rules * (state == "done")
    if answer in ("n", "", "never"):
        assert asked.reply == f"Not opened. You said no to {MUNICH}."


def test_a_no_to_one_thing_is_none_to_another_that_was_asked_for(house):
    house.gemini.reading = "open found 1; picture"
    house.search_finds(MUNICH, "https://b.example/")
    house.model_plans(SEARCH, OPEN, PICTURE)
    house.answers = ["n"]

    asked = house.ask("find the ticket shop, open it and take a picture")

    # The no uses up what it is about: no other is offered, nor asked about, in its place.
    assert "open_website" not in house.gemini.requests[-1].enum("action")
    assert (asked.status, house.desktop.opened, len(house.desktop.captured)) == (NO, [], 1)


def test_what_they_typed_is_theirs_and_a_line_is_as_it_was_found(house):
    house.model_plans({**OPEN, "address": "u1"}, SEARCH, reply("See [r1]."))
    house.search_finds(MUNICH)

    house.ask("please open https://a.example:8443/ for me now")
    house.ask("which ticket shop?")
    asked = house.plain("open 1")

    assert (house.desktop.opened, len(house.questions)) == (["https://a.example:8443/"], 1)
    assert (asked.status, asked.summary["question"]["rule"]) == (("needs_answer", 3), "odd letters")


@pytest.mark.parametrize(("answer", "opened"), [("y", [MUNICH]), ("a", [])])
def test_what_is_not_sure_to_be_asked_for_the_person_alone_can_say_and_only_now(house, answer, opened):
    remember(house.settings.folders.policy, "allow", "opens")
    house.search_finds(MUNICH)
    house.gemini.reading = "open found 1?"
    house.model_plans(SEARCH, OPEN)
    house.answers = [answer]

    asked = house.ask("the ticket shop, maybe open it")

    (question,) = house.questions
    assert question.rule == "unsure"
    assert [option.id for option in question.options] == ["y", "n"]
    assert house.desktop.opened == opened
    assert asked.summary["intent"] == ["open found 1" if opened else "open found 1?"]
    assert len(load_rules(house.settings.folders.policy).rules) == 1


@pytest.mark.parametrize(("answer", "asked", "opened"), [("a", 1, 2), ("y", 2, 2), ("N", 1, 0)])
def test_an_answer_counts_as_long_as_it_says(house, answer, asked, opened):
    house.gemini.reading = "open found 1"
    for _ in range(2):
        house.search_finds(MUNICH)
        # What a rule denies is news to the model.
        denied = answer == "N" and house.questions
        house.model_plans(SEARCH, OPEN, *([reply("No.")] if denied else []))
        house.answers = [answer]
        house.ask("find the ticket shop and open it")

    assert len(house.questions) == asked
    assert house.desktop.opened == [MUNICH] * opened


def test_what_a_rule_denies_ends_the_turn_and_no_other_page_is_tried(house):
    remember(house.settings.folders.policy, "deny", "opens")
    house.search_finds("https://a.example/", "https://b.example/")
    house.gemini.reading = "open found 1"
    house.model_plans(SEARCH, {**OPEN, "finish": False})

    asked = house.ask("find the ticket shop and open it")

    assert (asked.status, house.desktop.opened, house.cost) == (("refused", 4), [], (2, 1))
    assert asked.reply == "Did not open https://a.example/: policy rule 1 denies it."


# What leaves this machine, and what does not, with words for it.
LEAVES = {
    "the web": ("who runs Tesla?", SEARCH),
    "shops": ("a used lantern", {"action": "find_products", "queries": "lantern"}),
    "flights": (
        f"fly from Boston to Lisbon on {MONTH}-14",
        {"action": "find_flights", "origin": "Boston", "destination": "Lisbon", "out_date": f"{MONTH}-14"},
    ),
    "hotels": (
        f"a hotel in Lisbon, {MONTH}-14, 2 nights",
        {"action": "find_hotels", "destination": "Lisbon", "in_date": f"{MONTH}-14", "nights": "2"},
    ),
    "a page": ("sum up https://a.example", {"action": "read", "address": "u1"}),
    "holdings": ("my portfolio", {"action": "show_portfolio"}),
    "performance": ("how did my portfolio do?", {"action": "show_performance"}),
    "what was traded": ("my portfolio's dividends", {"action": "show_activities"}),
    "a symbol": ("which stock is Apple?", {"action": "find_symbol", "query": "Apple"}),
}
STAYS = {
    "a file": ("sum up notes.txt", {"action": "read", "address": "f1", "finish": False}),
    "more actions": (
        "what could you do for me?",
        {"action": "more_actions", "pack": "shop", "finish": False},
    ),
}


@pytest.mark.parametrize("what", LEAVES)
def test_whatever_leaves_this_machine_is_asked_about_where_a_rule_wants_it(house, what):
    words, planned = LEAVES[what]
    remember(house.settings.folders.policy, "ask", "reads")
    with GhostfolioTwin() as ghost:
        house.environment |= {"GHOSTFOLIO_URL": ghost.url, "GHOSTFOLIO_TOKEN": TOKEN, "http_proxy": ghost.url}
        house.model_plans(planned)
        house.answers = ["n"]

        asked = house.ask(words)

        assert (len(house.questions), asked.status) == (1, ("refused", 4))
        assert house.serpapi.requests == ghost.requests == []


@pytest.mark.parametrize("what", STAYS)
def test_what_stays_on_this_machine_is_not(house, tmp_path, what):
    words, planned = STAYS[what]
    (tmp_path / "notes.txt").write_text("Buy milk.")
    house.files = [str(tmp_path / "notes.txt")]
    remember(house.settings.folders.policy, "ask", "reads")
    house.model_plans(planned, reply("So."))

    assert (house.ask(words).status, house.questions) == (("done", 0), [])


def test_no_lookup_of_the_house_escapes_that_rule():
    actions = {
        **plannable(),
        **{name: each for pack in all_packs().values() for name, each in actions_of(pack).items()},
    }
    here = {name: each.services for name, each in actions.items() if each.effect == "arranges"}
    assert here == {"arrange": (), "receipt": (), "reply": ()}


def test_an_app_that_only_comes_near_is_asked_about_by_its_name_and_kept_so(house):
    near = AppsFound((AppFound("org.mozilla.firefox", "Firefox"),), is_near=True)
    house.desktop.apps = {"fierfox": near, "firefux": near}
    house.model_plans(*[START] * 2)
    house.answers = ["a"]

    for name in ("fierfox", "firefux"):
        house.gemini.reading = f"start {name}"
        house.ask(f"starte {name} bitte")

    (question,) = house.questions
    assert "Firefox" in question.text
    (rule,) = load_rules(house.settings.folders.policy).rules
    assert rule.formatted == "allow launch app=Firefox, for: near name"
    assert house.desktop.launched == ["org.mozilla.firefox"] * 2


def test_a_third_question_ends_the_turn(house):
    house.search_finds(*DOUBTFUL)
    house.model_plans(SEARCH, *({**OPEN, "address": f"r{n}", "finish": n == 3} for n in (1, 2, 3)))
    house.answers = ["y", "y", "y"]

    asked = house.ask("find the three ticket shops and open all three")

    assert len(house.questions) == 2
    assert house.desktop.opened == DOUBTFUL[:2]
    assert asked.status[1] == 4


def test_yes_said_beforehand_settles_doubts(shell):
    shell.search_finds(MUNICH)
    shell.gemini.reading = "open found 1"
    shell.gemini.plans(SEARCH, OPEN)

    assert shell.jarvis("-y", "find the ticket shop and open it").status == 0
    assert shell.opened == [MUNICH]


@pytest.mark.parametrize(
    ("words", "is_ctrl_c"), [("open a.example", True), ("find the ticket shop and open it", False)]
)
def test_ctrl_c_at_a_question_in_a_chat_ends_the_turn_and_a_signal_the_chat_too(shell, words, is_ctrl_c):
    shell.jarvis("policy", "ask", "open", "a.example")
    if words.startswith("find"):
        shell.search_finds(MUNICH)
        shell.gemini.plans(SEARCH, OPEN)
    with Person(shell.program(), "chat") as person:
        person.at_prompt()
        person.type(words + ENTER)
        person.at_question()
        if is_ctrl_c:
            person.type(CTRL_C)
            person.see("jarvis: Interrupted.")
            person.at_prompt()
            person.ask("open b.example")
            assert person.leave().status == 0
        else:
            person.send(signal.SIGTERM)
            person.see("jarvis: Terminated.")
            assert person.finish().status == 143
        person.assert_sane()
        assert "may or may not" not in "".join(person.lines)

    assert shell.opened == ["https://b.example"] * is_ctrl_c
    assert shell.turns()[0]["status"] == ("interrupted" if is_ctrl_c else "needs_answer")


def test_an_answer_to_nothing_is_a_usage_error(shell):
    assert [shell.jarvis("--answer", wrong).status for wrong in ("q9-000000000000=y", "y", "=y")] == [2] * 3


def test_what_a_plain_command_keeps_is_told_with_how_to_undo_it(shell):
    shell.jarvis("policy", "ask", "open", "a.example")
    with Person(shell.program(), "open", "a.example") as person:
        person.at_question()
        person.type("a" + ENTER)
        person.see("Sent https://a.example")

        told = "Saved rule 2: allow open host=a.example, for: a rule asks (policy.txt)."
        assert "".join(person.lines).count(told) == 1
        person.see("Undo: jarvis policy rm 2")
