"""A history that is broken: with its hint followed all is there that can be read, and nothing is deleted."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import sqlite3
from pathlib import Path

import pytest

from jarvis.cli.commands import recover
from jarvis.core.errors import StoreFailed
from jarvis.core.files import alone
from jarvis.store.history import History
from jarvis.store.recovery import recovered, write
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
    at_once(quick.history.database.run("UPDATE turns SET status = 'done' WHERE n >= ?", begin))


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
    return {name: Path(name).read_bytes() for name in (path, f"{path}-wal") if os.path.exists(name)}


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


def first_page_without_log(path):
    overwrite(path, 0, PAGE)
    os.remove(f"{path}-wal")


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


def exported(done):
    return {turn[2] for line in done.stdout.splitlines() for turn in json.loads(line)["turns"]}


ALL = BEFORE + IN_LOG
# How many turns can be read, at least; and whether it is told that some can't.
DAMAGES = {pages: (ALL - 10, True), index: (ALL, False), first_page_without_log: (BEFORE, False)}


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda each: each.__name__)
def test_with_the_hint_followed_all_is_there_that_can_be_read(shell, history, damage):
    damage(history)
    least, is_told = DAMAGES[damage]
    at_first = recovered(history).turns  # before SQLite looks at it, which may merge the log

    readable = shell.jarvis("threads", "export")
    failed = shell.jarvis("threads", "show", "default")
    hint = re.search("hint: .*: (jarvis .*)", failed.stderr)
    assert failed.status == 1
    assert hint, failed.stderr
    done = shell.jarvis(*shlex.split(hint[1])[1:])

    assert at_first == len(exported(readable))
    assert least <= len(exported(readable)) < ALL + (not is_told)
    assert done.stdout == f"Recovered 1 thread with {len(exported(readable))} turns.\n"
    assert (readable.status, done.status) == (int(is_told), int(is_told))
    for told in (readable.stderr, done.stderr):
        assert (f"can't be read: {ALL - len(exported(readable))} turns of default." in told) == is_told
    assert recovered(f"{history}.broken").turns == len(exported(readable))
    assert {turn["n"] for turn in shell.turns("default")} == exported(readable)
    deleted = shell.jarvis("threads", "delete", "-y", "default")
    assert f"Its words may also be in {history}.broken, which was set aside." in deleted.stderr


def test_where_nothing_can_be_read_it_is_kept_and_one_goes_on(shell, history):
    os.remove(f"{history}-wal")
    Path(history).write_bytes(b"this is no database" * 100)

    done = shell.jarvis("threads", "recover")

    assert (done.status, done.stdout) == (1, "Recovered 0 threads with 0 turns.\n")
    assert "can't be read: all of it." in done.stderr
    assert Path(f"{history}.broken").read_bytes() == b"this is no database" * 100
    assert shell.json("threads", "list") == []


def test_a_broken_header_takes_nothing_of_the_log(shell, history):
    """The log has the first page as it was: SQLite mends the file from it."""
    overwrite(history, 0, 100)

    assert exported(shell.jarvis("threads", "export")) == set(range(1, ALL + 1))


def test_what_is_not_broken_is_left_as_it_is(shell, history):
    done = shell.jarvis("threads", "recover")

    assert (done.status, done.stdout) == (2, "")
    assert "is not broken. Nothing was changed." in done.stderr
    assert len(turns_in_file(history)) == ALL  # its log is in it now


def test_a_turn_that_is_written_meanwhile_is_not_left_behind(history, monkeypatch):
    pages(history)
    came = []

    async def slowly(found, database):
        brain = History(Sqlite(history))
        came.append(await brain.begin("default", "meanwhile"))
        await brain.close()
        await write(found, database)

    monkeypatch.setattr(recover, "write", slowly)
    with pytest.raises(StoreFailed, match="Nothing was changed"):
        recover.in_place(history)
    assert came

    monkeypatch.undo()
    found, _ = recover.in_place(history)
    assert came[0].n in {row["n"] for row in found.tables["turns"]}


def test_two_at_once_do_not_recover_into_one_file(shell, history):
    pages(history)
    with alone(f"{history}.recovered.lock"):
        done = shell.jarvis("threads", "recover")

    assert (done.status, done.stdout) == (1, "")
    assert "is locked by another program" in done.stderr
    assert not os.path.exists(f"{history}.broken")
