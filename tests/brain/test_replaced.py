"""The file of history is removed and moved under a brain that stays."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

import pytest

from tests.brain.brains import HELLO
from tests.shell import wait_until

pytestmark = pytest.mark.slow


def asked(path):
    """What was asked in the history at *path*, in order."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        return [goal for (goal,) in file.execute("SELECT goal FROM turns ORDER BY n")]


def test_what_was_removed_or_moved_between_two_turns_is_neither_written_nor_told_any_more(home):
    path = Path(home.settings.folders.history)

    def ask(words):
        home.gemini.plans(HELLO)
        assert home.jarvis(words, timeout=60).stdout == "Hello.\n"
        wait_until(lambda: not Path(f"{path}-wal").exists())  # the brain rests: all is in the file
        return home.brains

    first = ask("what is the first secret?")
    os.remove(path)
    second = ask("what is the second secret?")
    os.rename(path, path.with_name("moved.db"))
    third = ask("what is the third secret?")

    assert first == second == third
    assert asked(path) == ["what is the third secret?"]
    assert asked(path.with_name("moved.db")) == ["what is the second secret?"]
    for words, request in zip(("first", "second", "third"), home.gemini.requests, strict=True):
        told = [word for word in ("first", "second", "third") if f"the {word} secret" in request.prompt]
        assert told == [words]
