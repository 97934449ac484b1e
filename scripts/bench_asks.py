"""How often is the person asked, or refused, what they asked for in ordinary words, and is it done right?

Each turn goes through the whole loop, with the reading that a careful person made of its words.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import asks as requested
from bench_desktop import BenchDesktop, named_twice
from bench_plans import LISTED, REPLY, Effects, cite, found, plans, searching

from jarvis.core.events import Observed
from jarvis.core.types import APP
from jarvis.launcher.aliases import picked
from tests.house import Asked, House
from tests.twins.gemini import GeminiTwin
from tests.twins.serpapi import SerpApiTwin, results


class Line(NamedTuple):
    """A turn: words, what an honest planner does, how the words are read."""

    words: str
    steps: list[str]
    reading: str


class Talk(NamedTuple):
    """Turns in one thread, of which the last ones are counted, each in a group."""

    lines: list[Line]
    groups: list[str]
    is_listed: bool = False  # whether something was found and listed before
    reply: tuple[str, str] = ("", "")  # what was said and answered before


class Result(NamedTuple):
    words: str
    asked: str = ""
    refused: str = ""
    wrong: str = ""  # what was done, where that is not what was asked for


class Bench:
    """A whole Jarvis that stays, on twins, with a desktop of its own."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._threads = itertools.count(1)

    def results(self, talk: Talk) -> Iterator[tuple[str, Result]]:
        """What came of each turn that counts, with its group."""
        self._thread = f"t{next(self._threads)}"
        if talk.is_listed:
            page = results(LISTED, website=("MIT", LISTED[0][1]))
            self._turn("what is the mit website?", "nothing", [searching("MIT"), cite], [page])
        if talk.reply[0]:
            self._turn(talk.reply[0], "nothing", [{**REPLY, "text": talk.reply[1]}], [])
        for group, line in zip(talk.groups, talk.lines, strict=True):
            yield group, self._result(line)

    def _result(self, line: Line) -> Result:
        questions, desktop = self._house.questions, self._house.desktop
        done = (desktop.opened, desktop.launched, desktop.captured)
        before, count = [len(each) for each in done], len(questions)
        asked = self._turn(line.words, line.reading, list(plans(line.steps)), list(found(line.steps)))
        effects = Effects(*(each[n:] for each, n in zip(done, before, strict=True)))
        not_good = [event for event in asked.of(Observed) if event.outcome.state in ("refused", "failed")]
        refused = [event.outcome.text for event in not_good]
        refused += [] if asked.status[0] == "done" else [f"ended: {asked.status[0]}"]
        return Result(
            line.words,
            "; ".join(question.reason for question in questions[count:]),
            "; ".join(refused),
            effects.wrong(line.words, line.steps),
        )

    def _turn(self, words: str, reading: str, planned: list[object], pages: list[dict[str, Any]]) -> Asked:
        house = self._house
        house.gemini._script.clear()  # noqa: SLF001
        house.serpapi._script.clear()  # noqa: SLF001
        house.gemini.reading = reading
        house.gemini.plans(*planned, *[REPLY] * 2)
        house.serpapi.finds(*pages)
        house.answers[:] = ["y"] * 2
        return house.ask(words, self._thread)


@contextmanager
def bench() -> Iterator[Bench]:
    with tempfile.TemporaryDirectory() as home, GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        gemini.chunks = 1  # the client spends a third of a call on each piece
        house = House(Path(home), gemini, serpapi)
        house.desktop = BenchDesktop(Path(home))
        house.configure('[daily]\nmodel_calls = "unlimited"\nsearches = "unlimited"\n')
        # What they have picked is asked once and for all; it was picked before.
        for name, key in named_twice():
            picked(house.settings.folders.aliases, name, APP, key)
        with house.staying():
            yield Bench(house)


def talks() -> list[Talk]:
    """All that is asked for, each request with the one that follows it, if there is one."""
    seconds = iter(requested.second_requests())
    every: list[Talk] = []
    for text, group, listed in (
        (requested.FRESH, "English", False),
        (requested.MORE, "English", False),
        (requested.FOLLOWING, "English", True),
        (requested.MORE_FOLLOWING, "English", True),
    ):
        every += [
            _with_second(Line(*line), group, seconds, listed=listed) for line in requested.requests(text)
        ]
    for before, reply, words, _, reading in requested.answered_before():
        talk = _with_second(Line(words, ["look"], reading), "English", seconds, listed=False)
        every.append(talk._replace(reply=(before, reply)))
    for line in requested.requests(requested.OTHER_LANGUAGES):
        every.append(_with_second(Line(*line), "others", seconds, listed=False))
    for text, group, listed in (
        (requested.LANGUAGES, "others", False),
        (requested.LANGUAGES_FOLLOWING, "others", True),
        (requested.MISSPELT_APPS, "misspelt apps", False),
    ):
        every += [Talk([Line(*line)], [group], listed) for line in requested.requests(text)]
    return every


def _with_second(
    line: Line, group: str, seconds: Iterator[tuple[str, str, list[str], str]], *, listed: bool
) -> Talk:
    _, *second = next(seconds)
    return Talk([line, Line(*second)], [group, "second"], listed)


def measured(every: Iterable[Talk]) -> dict[str, list[Result]]:
    """The results of *every* talk, by group."""
    groups: dict[str, list[Result]] = {}
    with bench() as running:
        for talk in every:
            for group, result in running.results(talk):
                groups.setdefault(group, []).append(result)
    return groups


def asks() -> None:
    """Prints how many of the requests were asked about, refused or done wrongly, and which."""
    for group, found_ in measured(talks()).items():
        print(told(group, found_))


def told(group: str, results_: list[Result]) -> str:
    counts = (len([r for r in results_ if r.asked]), len([r for r in results_ if r.refused]))
    wrong = len([r for r in results_ if r.wrong])
    head = f"asks    {group:13}  {len(results_):3} requests   asked {counts[0]}   refused {counts[1]}   "
    lines = [
        f"        {r.words}\n            "
        + "; ".join(f"{name}: {why}" for name, why in zip(r._fields[1:], r[1:], strict=True) if why)
        for r in results_
        if any(r[1:])
    ]
    return "\n".join([f"{head}wrong effect {wrong}", *lines])
