"""What comes near a name: the person picks, once. Nothing is ever taken for it."""

from __future__ import annotations

import asyncio
import time

import pytest

from jarvis.desktop.apps import App
from jarvis.near import near
from jarvis.phrases import called, said
from jarvis.store.habits import habits
from jarvis.turn import Outcome

APPS = [
    App(id_, f"/menu/{id_}", (name,), generic, (program,))
    for id_, name, generic, program in (
        ("firefox", "Firefox", ("Web Browser",), "firefox"),
        ("code", "Visual Studio Code", ("Text Editor",), "code"),
        ("calculator", "Calculator", (), "gnome-calculator"),
        ("libreoffice-calc", "LibreOffice Calc", ("Spreadsheet",), "libreoffice"),
        ("libreoffice-writer", "LibreOffice Writer", ("Word Processor",), "libreoffice"),
        ("spotify", "Spotify", (), "spotify"),
        ("calendar", "Calendar", (), "gnome-calendar"),
        ("steam", "Steam", (), "steam"),
    )
]
OPENED = ["https://gitea.example.com/jarvis", "http://wiki.lan/"]


def titles(words, used=None):
    meant = said(words)
    named = called(meant)
    return [each.title for each in near(meant, named, APPS, OPENED, used or {})] if named else []


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("launch firfox", ["Firefox"]),
        ("start spotfy", ["Spotify"]),
        ("start visual studio", ["Visual Studio Code"]),
        ("launch vsc", ["Visual Studio Code"]),
        ("start calen", ["Calendar"]),
        ("start the text editor", ["Visual Studio Code"]),
        ("launch stream", ["Steam"]),
        ("go to redit", ["reddit.com"]),
        ("open the youtub website", ["youtube.com"]),
        ("open gitea", ["gitea.example.com"]),
        ("go to wiki", ["wiki.lan"]),
    ],
)
def test_a_slip_a_beginning_initials_and_a_host_of_before_come_near(words, first):
    assert titles(words)[:1] == first


def test_rivals_within_reach_are_listed_and_no_others():
    assert titles("start cal") == ["Calendar", "Calculator"]
    assert titles("start libreoffice") == ["LibreOffice Calc", "LibreOffice Writer"]
    assert titles("start word") == ["LibreOffice Writer"]


@pytest.mark.parametrize(
    "words",
    [
        *("open the acme website", "open langgraph docs", "start it", "open my heart", "launch a rocket"),
        *("open the second one", "who won?", "start over from the beginning", "don't open spotfy", "open x"),
        *("open spotfy and play a song", "open spotfy in chrome", "start xpotify"),
    ],
)
def test_most_words_come_near_nothing(words):
    assert titles(words) == []


def test_what_is_used_more_of_late_stands_first():
    assert titles("start cal", {"Calculator": 2.5, "Calendar": 1.0})[0] == "Calculator"
    assert titles("start cal", {"Calculator": 1.0, "Calendar": 2.5})[0] == "Calendar"


def test_habits_fade(quick):
    day = 86400
    uses = [("Calculator", 40), ("Calculator", 41), ("Calculator", 42), ("Calendar", 1), ("Calendar", 2)]

    async def work():
        for target, _ in uses:
            turn = await quick.history.begin("default", "start it")
            await quick.history.start_step(turn, 1, "open_app", {"app": target}, target)
            await quick.history.end_step(turn, 1, Outcome("done", "Started."))
        turn = await quick.history.begin("default", "start another")
        await quick.history.start_step(turn, 1, "open_app", {"app": "Steam"}, "Steam")
        await quick.history.end_step(turn, 1, Outcome("failed", "Gone."))
        for n, (_, days) in enumerate(uses, 1):
            where = "WHERE turn = (SELECT id FROM turns WHERE n = ?)"
            at = time.time() - days * day
            await quick.history.database.run(f"UPDATE steps SET started_at = ? {where}", at, n)
        return await habits(quick.history.database)

    found = asyncio.run(work())

    assert found.keys() == {"Calculator", "Calendar"}
    assert 0.3 < found["Calculator"] < 0.5 < 1.8 < found["Calendar"] < 2
