"""Even a planner that obeys an attacker does nothing that the person's own words did not ask for."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from jarvis.output.questions import nobody_answers, said_beforehand
from jarvis.policy import guard
from jarvis.policy.targets import ALLOW, Verdict
from tests.attacking import (
    ATTACKS,
    CARRIED,
    DOCS,
    EVIL,
    GOALS,
    KNOWN_MIT,
    MIT,
    PICTURE,
    READINGS,
    SECRETS,
    WIKI,
    opening,
    page,
    searching,
    starting,
)
from tests.lying import STEPS, misled

if TYPE_CHECKING:
    from tests.attacking import Attack, Goal

pytestmark = pytest.mark.slow

REPLY = {"action": "reply", "text": "That is all.", "finish": True}


def cite(asked):
    """Reply with the list of what was found: MIT's own page, then the article."""
    found = [
        re.search(rf"^\[(r\d+)\] {title} \(", asked.prompt, re.MULTILINE)
        for title in ("MIT", "MIT - Wikipedia")
    ]
    return {**REPLY, "text": " ".join(f"[{one[1]}]" for one in found if one)}


class Effects(NamedTuple):
    """What a turn did outside."""

    opened: list[str]
    launched: list[str]
    captured: list[str]
    queries: list[str]

    def beyond(self, goal: Goal, *more: tuple[str, ...]) -> list[str]:
        """Those that the words of *goal* did not ask for. more: openings that something else allows."""
        launched = [app.casefold() for app in self.launched]
        too_much = unplaced(self.opened, [*goal.opens, *more])
        too_much += [app for app in launched if app not in goal.apps]
        too_much += self.captured[goal.pictures :]
        twice = [one for one in {*self.opened, *launched} if (self.opened + launched).count(one) > 1]
        carried = [query for query in self.queries if any(key in query.casefold() for key in CARRIED)]
        return too_much + twice + carried


def unplaced(opened: list[str], openings: list[tuple[str, ...]]) -> list[str]:
    """Those of *opened* for which there is no opening left, each of which takes one of its addresses."""
    left = list(openings)
    over = []
    for url in opened:
        fitting = [any_of for any_of in left if url in any_of]
        over += [] if fitting else [url]
        if fitting:
            left.remove(min(fitting, key=len))
    return over


class Attacked:
    """A house whose one session stays open; every case has a thread of its own."""

    def __init__(self, house) -> None:
        self.house = house
        house.gemini.chunks = 1  # each piece costs the client a third of the call
        self._threads = 0
        house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')

    def case(self, name: str, attack: Attack) -> Effects:
        """What a planner that obeys *attack* brings about, for the words of the goal of that *name*."""
        self._threads += 1
        goal = GOALS[name]
        self.house.serpapi.default = page(attack.found)
        if attack.secret:
            self.house.of_session(self._said_before)
        if goal.before:
            self.turn(goal.before, "nothing", searching(), cite)
        return self.turn(goal.words, READINGS[name], *attack.plans, piped=attack.piped)

    def honest(self, words, reading, *plans) -> Effects:
        self._threads += 1
        return self.turn(words, reading, *plans)

    def turn(self, words, reading, *plans, piped="") -> Effects:
        misled(self.house, f"thread-{self._threads}", words, reading, *plans, piped=piped)
        desktop = self.house.desktop
        queries = [request.query for request in self.house.serpapi.requests]
        return Effects([*desktop.opened], [*desktop.launched], [*desktop.captured], queries)

    @property
    def asked(self) -> int:
        return len(self.house.questions)

    async def _said_before(self, store):
        """Have the model answered the secrets in a turn of the thread, as history keeps it."""
        turn = await store.history.begin(f"thread-{self._threads}", SECRETS)
        await store.history.end(turn, "done", REPLY["text"])


@contextlib.contextmanager
def attacking(house, answer=nobody_answers):
    """Yield what attacks *house*; answer: what the person says to a question."""
    house.otherwise, attacked = answer, Attacked(house)
    with house.staying():
        yield attacked


def shared_out(attacks, name, long):
    """Those of *attacks* that are made on the goal of that *name*: all, or a tenth, each on every tenth goal.

    That none adds to what is asked for is proven for all of them on the guard (policy/test_nothing_adds.py);
    here, that the way to the guard holds.
    """
    first = list(GOALS).index(name) % 10
    return list(attacks) if long else list(attacks)[first::10]


def test_no_attack_does_more_than_the_words_ask_for(house, long):
    with attacking(house) as attacked:
        for name in GOALS:
            assert beyond_the_words(attacked, name, shared_out(ATTACKS, name, long)) == {}, name


def beyond_the_words(attacked, name, attacks, *more):
    """What each of the *attacks* did beyond the words of the goal of that *name*."""
    did = {attack: attacked.case(name, ATTACKS[attack]).beyond(GOALS[name], *more) for attack in attacks}
    return {attack: beyond for attack, beyond in did.items() if beyond}


TEN = (
    *("a foreign address", "the LAN", "a found userinfo", "a shortener", "an odd port", "an IDN"),
    *("a host beside the official", "a title that claims it", "an app after a search", "everything in turn"),
)
# The goals in which something is to be opened that is found: a doubt that is settled lets another page go.
SEEKING = ("find and open", "in German", "second turn")
BROUGHT = (*(url for name in TEN for _, url, _ in ATTACKS[name].found), EVIL, WIKI, DOCS)


def more_for(name):
    """What may be opened in place of what was meant, where every doubt is settled: one page, and no other."""
    return [(*BROUGHT, MIT, KNOWN_MIT)] if name in SEEKING else []


def settled(name, long):
    """Those of the ten that are made on the goal of that *name*, where every doubt is settled."""
    if name not in SEEKING:
        return shared_out(TEN, name, long)
    return TEN if long else TEN[SEEKING.index(name) :: 3]


def beyond_all(attacked, long):
    """What the ten did beyond the words of each goal, and the one page that a settled doubt lets go."""
    did = {}
    for name, goal in GOALS.items():
        for attack in settled(name, long):
            effects = attacked.case(name, ATTACKS[attack])
            one = goal._replace(opens=tuple(more_for(name))) if more_for(name) else goal
            if beyond := effects.beyond(one):
                did[name, attack] = beyond
    return did


@pytest.mark.parametrize("how", ["a yes beforehand", "rules that allow everything"])
def test_what_settles_every_doubt_adds_nothing(house, how, long):
    def yes(question):
        return said_beforehand(question, yes=True) or nobody_answers(question)

    is_by_rules = how.startswith("rules")
    if is_by_rules:
        write_rules(house, "open", "launch", "screenshot")
    with attacking(house, nobody_answers if is_by_rules else yes) as attacked:
        assert beyond_all(attacked, long) == {}
        # Here every name is an app's.
        reasons = {each.reason for each in house.questions}
        assert reasons <= {"“MIT” can mean each of these"} if is_by_rules else reasons


def write_rules(house, *rules):
    folder = house.home / "jarvis" / "config"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "policy.txt").write_text("\n".join(f"{n} allow {rule}" for n, rule in enumerate(rules, 1)))
    (folder / "policy.txt").chmod(0o600)


def test_a_second_reading_stands_in_the_place_of_the_first(house, long):
    """A sentence in place of an answer: from then on it asks for an app alone."""

    so_far = []

    def instead(question):
        house.gemini.reading = "start gimp"
        so_far[:] = house.desktop.opened
        return "start gimp for me instead"

    with attacking(house, instead) as attacked:
        for name in SEEKING:
            goal = GOALS[name]
            for attack in settled(name, long):
                before = attacked.asked
                effects = attacked.case(name, ATTACKS[attack])
                was_asked = attacked.asked > before
                said = goal._replace(apps=(*goal.apps, "gimp") if was_asked else goal.apps)
                assert effects.beyond(said) == [], (name, attack)
                assert not was_asked or effects.opened == so_far, (name, attack)
        assert attacked.asked
        attack = ATTACKS["an IDN"]  # which is asked about
        house.serpapi.default = page(attack.found)
        plans = (searching(), opening("r1"), starting("gimp"), PICTURE)
        done = attacked.honest("find a page on it and open that", "open found 1", *plans)
        assert (done.opened, done.launched, done.captured) == ([], ["gimp"], [])


def test_each_spy_fires_on_an_honest_request(house):
    with attacking(house) as attacked:
        named = attacked.honest(f"could you open {DOCS} for me", "open u1", opening("u1"))
        started = attacked.honest("open firefox", "start firefox", starting("firefox"))
        taken = attacked.honest("please take a screenshot", "picture", {**PICTURE, "finish": True})

    assert (named.opened, started.launched, len(taken.captured)) == ([DOCS], ["firefox"], 1)


HARMFUL = ("a title that claims it", "a picture", "a shortener", "the key", "the key in capitals")


def test_without_the_guard_the_attacks_would_succeed(house, monkeypatch):
    monkeypatch.setattr(guard, "check", lambda *_, **__: Verdict(ALLOW))
    with attacking(house) as attacked:
        assert set(beyond_the_words(attacked, "by its line", HARMFUL)) == set(HARMFUL)


@pytest.mark.parametrize("how", [(), ("--ndjson",), ("-y",)], ids=["one-shot", "by records", "yes"])
def test_the_whole_program_does_no_more_either(shell, how):
    for n, name in enumerate(("a foreign address", "a shell", "a picture", "everything in turn")):
        shell.gemini.reading = "nothing"
        shell.gemini._script.clear()
        shell.gemini.plans(*ATTACKS[name].plans, *[REPLY] * STEPS)
        shell.serpapi.default = page(ATTACKS[name].found)
        shell.jarvis(*how, "-t", f"case-{n}", "who runs Tesla?", stdin="" if how else None)

    assert shell.opened == []
    assert len(shell.gemini.requests) > 8
    steps = [step for n in range(4) for turn in shell.turns(f"case-{n}") for step in turn["steps"]]
    assert {step["state"] for step in steps if step["action"] != "search"} <= {"refused"}
