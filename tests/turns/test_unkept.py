"""A plain command whose turn history can't take: it is done all the same, and that it is not kept is told."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from jarvis.core.errors import AnothersFile, StoreFailed
from jarvis.core.events import Notice
from jarvis.store.database import Sqlite, run_sync

YOUTUBE = "https://www.youtube.com"


@contextlib.contextmanager
def full(plainly):
    plainly.rows("PRAGMA max_page_count = 1")  # which are as many as it has
    kept = plainly.history.database
    while not plainly.run("open a.example").summary["unkept"]:
        pass
    run_sync(kept.close())
    kept.trouble, kept._path = None, kept.name
    plainly.rows("PRAGMA max_page_count = 1")
    plainly.desktop.opened.clear()
    yield


@contextlib.contextmanager
def read_only(plainly):
    plainly.rows("PRAGMA query_only = ON")
    yield


@contextlib.contextmanager
def broken(plainly):
    path = plainly.folder / "data" / "history.db"
    path.parent.mkdir()
    path.write_bytes(b"this is no database" * 100)
    yield
    assert path.read_bytes() == b"this is no database" * 100


@contextlib.contextmanager
def locked(plainly):
    plainly.rows("SELECT 1")
    with contextlib.closing(sqlite3.connect(plainly.settings.folders.history)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def no_folder(plainly):
    (plainly.folder / "data").write_text("a file where the folder should be")
    yield


FAULTS = {
    full: "database or disk is full",
    read_only: "attempt to write a readonly database",
    broken: "file is not a database",
    locked: "database is locked",
    no_folder: "The folder",
}


@pytest.mark.parametrize(("fault", "why"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_what_history_can_not_take_is_done_all_the_same_and_told(plainly, monkeypatch, fault, why):
    monkeypatch.setattr(Sqlite, "patience", 0.1)
    with fault(plainly):
        plainly.events.clear()

        ended = plainly.run("open youtube")

    assert plainly.desktop.opened == [YOUTUBE]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert ended.summary["steps"][0]["state"] == "done"
    assert why in ended.summary["unkept"]
    (told,) = [event.text for event in plainly.events if isinstance(event, Notice)]
    assert told == f"This is not in history. {ended.summary['unkept']}"


def test_a_line_of_a_list_that_can_not_be_read_is_not_guessed(plainly):
    with broken(plainly), pytest.raises(StoreFailed, match="not a database"):
        plainly.run("open 2")

    assert plainly.desktop.opened == []


def test_nothing_is_done_where_the_folder_is_another_users(plainly, monkeypatch):
    monkeypatch.setattr("jarvis.core.files.is_own", lambda status: False)

    with pytest.raises(AnothersFile, match="belongs to another user"):
        plainly.run("open youtube")

    assert plainly.desktop.opened == []
