"""A history that is broken: with its hint followed nothing is lost that can be read, and not a byte is deleted."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sqlite3

import pytest

from jarvis.store.sqlite import Sqlite, at_once
from tests.quick import Quick

BEFORE, IN_LOG = 40, 25
PAGE = 4096
WORDS = "see https://a.example/%d about " + "a long request " * 40


def turns_in(path):
    with contextlib.closing(sqlite3.connect(path)) as file:
        return [n for (n,) in file.execute("SELECT n FROM turns NOT INDEXED ORDER BY n")]


def written(quick, begin, end):
    for n in range(begin, end):
        at_once(quick.history.begin("default", WORDS % n, (f"https://a.example/{n}",)))


@pytest.fixture
def history(shell):
    """Of 65 turns, the last 25 of which are in its log alone, as a crash leaves them."""
    quick = Quick(shell.home / "jarvis")
    written(quick, 1, BEFORE + 1)
    at_once(quick.history.close())
    written(quick, BEFORE + 1, BEFORE + IN_LOG + 1)
    path = quick.settings.folders.history
    left = bytes_of(path)
    at_once(quick.history.close())
    for name, content in left.items():
        with open(name, "wb") as file:
            file.write(content)
    assert len(turns_in_file(path)) == BEFORE  # the fault: the others are in the log
    return path


def bytes_of(path):
    return {name: open(name, "rb").read() for name in (path, f"{path}-wal") if os.path.exists(name)}


def turns_in_file(path):
    """Those that are in the file itself, without its log."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as file:
        return [n for (n,) in file.execute("SELECT n FROM turns ORDER BY n")]


def overwrite(path, at, size):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(b"\xa5" * size)


def header(path):
    overwrite(path, 0, 100)


def first_page(path):
    overwrite(path, 0, PAGE)


def without_log(path):
    os.remove(f"{path}-wal")


def header_without_log(path):
    header(path)
    without_log(path)


def first_page_without_log(path):
    first_page(path)
    without_log(path)


def pages(path):
    """Two in the middle, of turns alone."""
    with open(path, "rb") as file:
        content = file.read()
    starts = range(PAGE, len(content), PAGE)
    turns = [at for at in starts if content[at] == 13 and b"a long request" in content[at : at + PAGE]]
    for at in turns[len(turns) // 2 :][:2]:
        overwrite(path, at, PAGE)


def index(path):
    with contextlib.closing(sqlite3.connect(path)) as file:
        (root,) = file.execute("SELECT rootpage FROM sqlite_master WHERE name LIKE '%turns_2'").fetchone()
    overwrite(path, (root - 1) * PAGE, PAGE)


# How many of the turns are lost with what was damaged.
DAMAGES = {
    pages: 10,
    index: 0,
    header: 0,
    first_page: 0,
    header_without_log: IN_LOG,
    first_page_without_log: IN_LOG,
}


@pytest.mark.parametrize(("damage", "most_lost"), DAMAGES.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_with_the_hint_followed_all_is_there_that_can_be_read(shell, history, damage, most_lost):
    damage(history)
    exported = shell.jarvis("threads", "export")
    failed = shell.jarvis("threads", "show", "default")
    print(exported.stderr, failed.stderr, failed.status, len(exported.stdout))
    done = shell.jarvis("threads", "recover")
    print(done.stdout, done.stderr)
    assert 0
