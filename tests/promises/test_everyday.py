"""Ordinary requests, planned by an honest model: none is refused, hardly any asked about, and all done right.

The tables have the words, the reading that a careful person made of them, and the hosts that they lead to.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from jarvis.core.events import StepFinished
from jarvis.core.types import AppsFound
from jarvis.core.urls import typed_addresses
from tests.twins.serpapi import results
from tests.wordings import lines_of

pytestmark = pytest.mark.slow

LISTED = [
    ("MIT", "https://www.mit.edu/", "The Institute."),
    ("MIT - Wikipedia", "https://en.wikipedia.org/wiki/MIT", "An article."),
    ("MIT OpenCourseWare", "https://ocw.mit.edu/", "Courses."),
]
OTHERS = [(f"Other {n}", f"https://other{n}.example/", "Another.") for n in range(3)]
REPLY = {"action": "reply", "text": "Done.", "finish": True}


class Honest(NamedTuple):
    """What an honest model plans for a request, what its searches find, and what is done in the end."""

    plans: list[object]
    pages: list[dict[str, object]]
    opened: list[str]
    started: list[str]
    pictures: int


def honest(words: str, reading: str, hosts: list[str], *, is_listed: bool) -> Honest:
    """is_listed: LISTED was found before, and is not searched for."""
    known = {url.split("/")[2]: url for _, url, _ in LISTED} if is_listed else {}
    all_ = Honest([], [], [], [], reading.count("picture"))
    leads = iter(hosts)
    for part in reading.replace("open lines", "open line 1; open line 2; open line 3").split("; "):
        match part.split(maxsplit=2):
            case ["open", "line", number]:
                all_.plans.append(opening(f"r{number}"))
                all_.opened.append(LISTED[int(number) - 1][1])
            case ["open", "site" | "found" as kind, name]:
                host = next(leads)
                if host not in known:
                    all_.plans.append(searching(host))
                    all_.pages.append(page(host, name if kind == "site" else ""))
                all_.plans.append(opening_on(host))
                all_.opened.append(known.get(host, f"https://{host}/"))
            case ["open", typed]:
                all_.plans.append(opening(typed))
                all_.opened.append(typed_addresses(words)[int(typed[1:]) - 1])
            case ["start", *name]:
                all_.plans.append({"action": "open_app"})
                all_.started.append(" ".join(name))
            case ["picture"]:
                all_.plans.append({"action": "take_screenshot"})
    return all_


def page(host: str, site: str) -> dict[str, object]:
    """A page of results that begins with *host*, which the search knows as the site of that name, if any."""
    url = f"https://{host}/"
    return results([(site or host, url, "About it."), *OTHERS], website=(site, url) if site else None)


def searching(what: str) -> dict[str, object]:
    return {"action": "search", "query": what}


def opening(address: str) -> dict[str, object]:
    return {"action": "open_website", "address": address}


def opening_on(host: str) -> object:
    bare = re.escape(host.removeprefix("www."))

    def plan(asked):
        found, known = (
            re.findall(rf"^\[({kind}\d+)\] .*(?:\(|//(?:www\.)?){bare}\b", asked.prompt, re.MULTILINE)
            for kind in "rs"
        )
        return opening([*known, *found][-1])

    return plan


def listing(asked):
    """A reply that lists what was found first, in its order."""
    return {**REPLY, "text": " ".join(f"[r{n}]" for n in range(1, len(LISTED) + 1))}


class Everyday:
    """Requests of one person, each in a thread of its own."""

    def __init__(self, house) -> None:
        self.house = house
        self.threads = 0
        self.wrong: dict[str, object] = {}  # words → how they ended, what was done, what should have been

    def ask_all(self, table: str, *, is_listed: bool = False) -> None:
        for line in lines_of(table):
            words, reading, *hosts = line.split(" | ")
            self.threads += 1
            if is_listed:
                found = results(LISTED, website=("MIT", LISTED[0][1]))
                self._turn("what is the mit website?", "nothing", [searching("MIT"), listing], [found])
            model = honest(words, reading, " ".join(hosts).split(), is_listed=is_listed)
            self._request(words, reading, model)

    def _request(self, words, reading, model) -> None:
        desktop = self.house.desktop
        desktop.opened, desktop.launched, desktop.captured = [], [], []
        # No app is called as a site that they ask for.
        desktop.apps = {part[len("open site ") :]: AppsFound() for part in reading.split("; ")}
        asked = self._turn(words, reading, model.plans, model.pages)
        bad = [event.outcome.text for event in asked.of(StepFinished) if event.outcome.state != "done"]
        opened, should_open = ([url.rstrip("/") for url in urls] for urls in (desktop.opened, model.opened))
        did = (opened, desktop.launched, len(desktop.captured))
        should = (should_open, model.started, model.pictures)
        if bad or asked.status != ("done", 0) or did != should:
            self.wrong[words] = asked.status, bad, did, should

    def _turn(self, words, reading, plans, pages):
        house = self.house
        house.gemini._script.clear()
        house.serpapi._script.clear()
        house.gemini.reading = reading
        house.gemini.plans(*plans, REPLY, REPLY)
        house.serpapi.finds(*pages)
        house.answers[:] = ["y"] * 2
        return house.ask(words, f"t{self.threads}")


def test_ordinary_requests_are_neither_asked_about_nor_refused_and_done_right(house):
    house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
    house.gemini.chunks = 1
    everyday = Everyday(house)
    with house.staying():
        everyday.ask_all("everyday.txt")
        everyday.ask_all("everyday_following.txt", is_listed=True)

    assert everyday.threads > 100
    assert everyday.wrong == {}
    assert len(house.questions) <= 2, [question.reason for question in house.questions]
