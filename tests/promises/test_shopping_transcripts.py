"""What a person sees who opens, asks, shops, plans a trip or keeps a portfolio: commands, and their screens.

tests/data/shopping_WIDTHxHEIGHT.txt holds the screens, by sessions. Seconds are any, and it is noon; trips
are of next May, whichever that is, or of October where that May is too near or too far ahead.
Where what is printed was changed on purpose, have them written anew, and read the difference:
JARVIS_RENEW_SCREENS=1 scripts/test --long -n0 tests/promises/test_shopping_transcripts.py
"""

from __future__ import annotations

import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.packs.trip.travels import NAME
from tests.person import Person
from tests.twins.ghostfolio import TOKEN, GhostfolioTwin

from . import portfolio_sessions, shopping_sessions, trip_sessions
from .everyday_sessions import EVERYDAY
from .shopping_sessions import Session

pytestmark = pytest.mark.slow

SESSIONS = {**EVERYDAY, **shopping_sessions.SESSIONS, **trip_sessions.TRIPS, **portfolio_sessions.PORTFOLIO}
SIZES = [(80, 24), (40, 20), (200, 50)]
SECONDS = re.compile(r"\d+\.\d s")
MOMENT = re.compile(r"\b1[23]:\d\d\b")  # past noon, as the clock of these people is set
DAY = re.compile(r"\b\d{1,2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b")
WEEKDAY = re.compile(r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?=\d)")
YEAR = re.compile(r"\b20\d\d\b")
PORT = re.compile(r"(?<=127\.0\.0\.1:)\d{5}")
ON = re.compile(r"20\d\d-\d\d-\d\d")
CHART = re.compile("[▁▂▃▄▅▆▇█]+|(?<=[┤│]).*|(?<=└).*\n.*")  # which grows each day
DATA = Path(__file__).parents[1] / "data"
COMMAND = "$ jarvis "


@pytest.fixture
def shopper(shell):
    """Return what runs a session at a terminal of a size, and gives the screens of its commands."""
    # A zone in which it is noon: what is told of a table does not change with the day.
    shell.environment |= {"TZ": f"NOON{datetime.now(UTC).hour - 12:+d}", "JARVIS_THREAD": "default"}

    def screens(session: Session, commands: list[str], size: tuple[int, int]) -> list[str]:
        shell.gemini.plans(*session.plans)
        shell.serpapi.sells(**session.sells)
        lines = []
        for command in commands:
            typed = shlex.split(command.removeprefix(COMMAND).replace(" May", f" {NAME}"))
            words = typed[-1]
            shell.gemini.reading = session.readings.get(words, "nothing")
            with Person(shell.program(**shell.installed(*session.apps)), *typed, size=size) as person:
                if words in session.keys:
                    person.at_question()
                    person.type(session.keys[words])
                status = person.finish().status
                lines += [command, *looked_at(person.lines), *([f"[exit {status}]"] if status else [])]
        return lines

    return screens


def is_always_tried(name: str, size: tuple[int, int]) -> bool:
    return size == SIZES[0] or (size == SIZES[1] and name in (*EVERYDAY, "several things and a budget"))


@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(
            *(name, size),
            id=f"{name}-{size[0]}x{size[1]}",
            marks=() if is_always_tried(name, size) else pytest.mark.long,
        )
        for name in SESSIONS
        for size in SIZES
    ],
)
def test_a_person_sees(shell, shopper, name, size):
    session, lines = SESSIONS[name], written(size)[name]

    with GhostfolioTwin(base="EUR", USD="0.9") as ghost:
        if session.server:
            session.server(ghost, shell.home)
            shell.environment |= {"GHOSTFOLIO_URL": ghost.url, "GHOSTFOLIO_TOKEN": TOKEN}
        seen = shopper(session, [line for line in lines if line.startswith(COMMAND)], size)

    if "JARVIS_RENEW_SCREENS" in os.environ:
        renew(size, {**written(size), name: seen})
    assert seen == written(size)[name]
    assert tuple(shell.opened) == session.opened


def written(size: tuple[int, int]) -> dict[str, list[str]]:
    """Return the lines of each session at a *size*."""
    text = (DATA / f"shopping_{size[0]}x{size[1]}.txt").read_text(encoding="utf-8")
    parts = [part.rstrip("\n").split("\n") for part in re.split(r"^# ", text, flags=re.MULTILINE)[1:]]
    return {name: lines for name, *lines in parts}


def renew(size: tuple[int, int], sessions: dict[str, list[str]]) -> None:
    """Write the lines of each session, to be read before they are kept."""
    text = "\n\n".join("\n".join([f"# {name}", *lines]) for name, lines in sessions.items())
    (DATA / f"shopping_{size[0]}x{size[1]}.txt").write_text(f"{text}\n", encoding="utf-8")


def looked_at(lines: list[str]) -> list[str]:
    """Return the lines of a screen without the empty ones at its end, with any seconds as none."""
    if not (text := "\n".join(lines).rstrip("\n")):
        return []
    text = CHART.sub("▁", re.sub(rf"\b{NAME}\b", "May", text))
    text = PORT.sub("33333", ON.sub("2027-01-31", MOMENT.sub("12:00", SECONDS.sub("0.0 s", text))))
    is_trip = WEEKDAY.search(text) or YEAR.search(text)
    return (YEAR.sub("2027", WEEKDAY.sub("Day ", text)) if is_trip else DAY.sub("22 Nov", text)).split("\n")
