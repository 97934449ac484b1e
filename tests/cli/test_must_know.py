"""What a person must know of their history and permissions is heard on every surface, but under -q."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.policy.test_approval import MUNICH, OPEN, SEARCH

SURFACES = {"a pipe": (), "an object": ("--json",), "records": ("--ndjson",), "quiet": ("-q",)}


def notices(surface, stdout):
    """What a program reads of it; None: this surface is for people."""
    if surface == "an object":
        return json.loads(stdout)["notices"]
    if surface == "records":
        return [each["text"] for each in map(json.loads, stdout.splitlines()) if each["event"] == "notice"]
    return None


def test_that_something_is_not_in_history(shell):
    shell.jarvis("open", "a.example")
    (file,) = (shell.home / "jarvis").rglob("history.db")
    with closing(sqlite3.connect(file)) as newer, newer:
        newer.execute("UPDATE jarvis_format SET version = 99")

    for surface, options in SURFACES.items():
        done = shell.jarvis(*options, "open", "b.example")

        assert (done.status, shell.opened[-1]) == (0, "https://b.example")
        assert ("This is not in history" in done.stderr) == (surface != "quiet")
        told = notices(surface, done.stdout)
        assert told is None or ["This is not in history" in text for text in told] == [True]


@pytest.mark.parametrize("surface", ["a pipe", "an object"])
def test_what_is_allowed_from_now_on(shell, surface):
    shell.search_finds(MUNICH, "https://b.example/")
    shell.gemini.plans(SEARCH, OPEN)
    question = shell.json("find the ticket shop and open it")["question"]["id"]

    done = shell.jarvis(*SURFACES[surface], "--answer", f"{question}=a")

    assert (done.status, shell.opened) == (0, [MUNICH])
    assert ("Saved rule 1" in done.stderr) == (surface != "quiet")
    told = notices(surface, done.stdout)
    assert told is None or ["Saved rule 1" in text for text in told] == [True]
