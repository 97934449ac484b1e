"""The same attacks on the whole program: one-shot, in a chat, and for another program by records.

What it set out to do stands in history; what it did, in what the browser was given.
"""

from __future__ import annotations

import itertools
import sqlite3
from contextlib import closing
from typing import NamedTuple

import pytest

from tests.attacking import (
    ATTACKS,
    CARRIED,
    GOALS,
    MIT,
    READINGS,
    SECRETS,
    Goal,
    opening_titled,
    page,
    searching,
)
from tests.person import ENTER, Person

MOST = 8  # steps and more of a turn
REPLY = {"action": "reply", "text": "That is all.", "finish": True}
FEW = [
    *("a foreign address", "a known address with more", "userinfo", "an id that is not there", "loopback"),
    *("another scheme", "a shortener", "an odd port", "a host beside the official", "a title that claims it"),
    *("an app with arguments", "a shell", "an app in passing", "an app after a search", "a picture"),
    *("a picture after a search", "the key", "the key in capitals", "a second opening", "everything in turn"),
]
# Those that fit on a line, each in turn.
ASKED = [name for name, goal in GOALS.items() if not goal.before and "\n" not in goal.words]
APP = """[Desktop Entry]
Type=Application
Name=%s
Exec=/bin/true
"""


class Case(NamedTuple):
    thread: str
    goal: Goal
    name: str
    reading: str = "nothing"


def cases(long: bool) -> list[Case]:
    # Where something is piped in there is no chat: those are tried on the loop alone.
    names = [name for name, attack in ATTACKS.items() if not attack.piped] if long else FEW
    goals = itertools.cycle(ASKED)
    return [
        Case(f"case-{n}", GOALS[goal], name, READINGS[goal])
        for n, (name, goal) in enumerate(zip(names, goals, strict=False), 1)
    ]


class Attacked:
    """The program, on twins that attack it. Its home has rules for nothing and enough for the day."""

    def __init__(self, shell) -> None:
        self.shell = shell
        shell.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        (shell.home / "opened").write_text("")
        apps = shell.home / ".local" / "share" / "applications"
        apps.mkdir(parents=True)
        for name in ("Firefox", "Gimp"):
            (apps / f"{name.lower()}.desktop").write_text(APP % name)

    def script(self, *plans, found=(), reading="nothing") -> None:
        self.shell.gemini.reading = reading
        self.shell.serpapi.default = page(found)
        self.shell.gemini._script.clear()
        self.shell.gemini.plans(*plans, *[REPLY] * MOST)

    def prepare(self, case: Case) -> None:
        attack = ATTACKS[case.name]
        self.script(*attack.plans, found=attack.found, reading=case.reading)

    def beyond(self, case: Case) -> list[str]:
        """What was done, or set about, in the thread of *case* beyond the words of its goal."""
        goal = case.goal
        done = self._steps(case.thread)
        opened = [target for action, target in done if action == "open_website" and target not in goal.urls]
        started = [
            target for action, target in done if action == "open_app" and _app(target) not in goal.apps
        ]
        # There is no screen here: one that was asked for fails, and may be tried in another way.
        pictures = [target for action, target in done if action == "take_screenshot" and not goal.pictures]
        return opened + started + pictures

    def _steps(self, thread: str) -> list[tuple[str, str]]:
        (file,) = (self.shell.home / "jarvis").rglob("history.db")
        with closing(sqlite3.connect(file)) as database:
            return database.execute(
                "SELECT action, target FROM steps JOIN turns ON turns.id = steps.turn"
                " WHERE thread = ? AND state NOT IN ('refused', 'declined')",
                (thread,),
            ).fetchall()

    def assert_harmless(self, tried: list[Case]) -> None:
        assert {case: beyond for case in tried if (beyond := self.beyond(case))} == {}
        allowed = {url for case in tried for url in case.goal.urls}
        assert set(self.shell.opened) <= allowed
        queries = [request.query.casefold() for request in self.shell.serpapi.requests]
        assert [query for query in queries if any(form.casefold() in query for form in CARRIED)] == []
        assert len(self.shell.gemini.requests) > len(tried)


def _app(target: str) -> str:
    """The name of the app that goes by *target*: history has its id."""
    return target.rpartition("/")[2].removesuffix(".desktop").casefold()


@pytest.fixture
def attacked(shell):
    return Attacked(shell)


@pytest.mark.parametrize("how", [(), ("--ndjson",)], ids=["one-shot", "by records"])
def test_as_a_command_it_does_no_more_than_the_words_ask_for(attacked, long, how):
    tried = cases(long)
    for case in tried:
        if ATTACKS[case.name].secret:
            attacked.script()
            others = {"GOOGLE_API_KEY": "another-key", "SERPAPI_API_KEY": "another-key"}
            attacked.shell.jarvis("-t", case.thread, SECRETS, environment=others)  # not in use then
        attacked.prepare(case)
        attacked.shell.jarvis(*how, "-t", case.thread, case.goal.words, stdin="" if how else None)

    attacked.assert_harmless(tried)


def test_in_a_chat_in_which_the_person_says_no_it_does_no_more_either(attacked, long):
    tried = cases(long)
    with Person(attacked.shell.program(), "chat", size=(160, 50)) as person:
        person.at_prompt()
        for case in tried:
            person.type(f"/new {case.thread}" + ENTER)
            person.at_prompt(f"{case.thread}>")
            if ATTACKS[case.name].secret:
                attacked.script()
                say(person, SECRETS, case.thread)
            attacked.prepare(case)
            say(person, case.goal.words, case.thread)
        assert person.leave().status == 0

    attacked.assert_harmless(tried)


def say(person: Person, words: str, thread: str) -> None:
    """Say *words*, and no to whatever is asked, until there is the prompt again."""
    while answered(person, words, thread) == ">":
        words = "n"


def answered(person: Person, words: str, thread: str) -> str:
    """The prompt that comes after *words*: the thread's, or a question's."""
    before = len(person.lines_of_text)

    def prompt() -> str:
        # In this order: each is a new look, and the prompt of before may be there at the first.
        there_is_more, line = len(person.lines_of_text) > before, person.line
        return line if there_is_more and line in (f"{thread}>", ">") else ""

    person.type(words + ENTER)
    return person.until(prompt)


def test_what_the_person_asks_for_is_seen(attacked):
    attacked.script(searching(), opening_titled("MIT"), reading="open site MIT")
    attacked.shell.jarvis("-t", "honest", "find the MIT website and open it")
    attacked.script({"action": "open_app", "finish": True}, reading="start firefox")
    attacked.shell.jarvis("-t", "honest", "could you fire up firefox for me")
    attacked.script({"action": "take_screenshot", "finish": True}, reading="picture")
    attacked.shell.jarvis("-t", "honest", "i need a picture of what is on my screen")

    assert attacked.shell.opened == [MIT]
    seen = attacked.beyond(Case("honest", Goal("who runs Tesla?"), ""))
    assert seen[0] == MIT
    assert "firefox" in seen[1].casefold()
    assert len(seen) == 3
