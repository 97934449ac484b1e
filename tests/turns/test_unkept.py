"""A plain command whose turn history can't take: it is done all the same, and that it is not kept is told."""

import contextlib
import sqlite3

import pytest

from jarvis.core.errors import StoreFailed
from jarvis.core.events import Notice
from jarvis.store.database import Sqlite, run_sync

pytestmark = pytest.mark.quick

YOUTUBE = "https://www.youtube.com"


def on_file(house, sql):
    run_sync(house.history.database.run(sql))


@contextlib.contextmanager
def full(house):
    on_file(house, "PRAGMA max_page_count = 1")  # which are as many as it has
    kept = house.history.database
    while not house.plain("open a.example").ended.summary["unkept"]:
        pass
    run_sync(kept.close())
    kept.trouble, kept._path = None, kept.name
    on_file(house, "PRAGMA max_page_count = 1")
    house.desktop.opened.clear()
    yield


@contextlib.contextmanager
def read_only(house):
    on_file(house, "PRAGMA query_only = ON")
    yield


@contextlib.contextmanager
def broken(house):
    path = house.home / "jarvis" / "data" / "history.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database" * 100)
    yield
    assert path.read_bytes() == b"this is no database" * 100


@contextlib.contextmanager
def locked(house):
    on_file(house, "SELECT 1")
    with contextlib.closing(sqlite3.connect(house.settings.folders.history)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


@contextlib.contextmanager
def no_folder(house):
    (house.home / "jarvis").mkdir()
    (house.home / "jarvis" / "data").write_text("a file where the folder should be")
    yield


FAULTS = {
    full: "database or disk is full",
    read_only: "attempt to write a readonly database",
    broken: "file is not a database",
    locked: "database is locked",
    no_folder: "The folder",
}


@pytest.mark.parametrize(("fault", "why"), FAULTS.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_what_history_can_not_take_is_done_all_the_same_and_told(house, monkeypatch, fault, why):
    monkeypatch.setattr(Sqlite, "patience", 0.1)
    with fault(house):
        ended = house.plain("open youtube").ended

    assert house.desktop.opened == [YOUTUBE]
    assert (ended.status, ended.exit_status) == ("done", 0)
    assert ended.summary["steps"][0]["state"] == "done"
    assert why in ended.summary["unkept"]
    (told,) = [event.text for event in house.heard if isinstance(event, Notice)]
    assert told == f"This is not in history. {ended.summary['unkept']}"


def test_a_line_of_a_list_that_can_not_be_read_is_not_guessed(house):
    with broken(house), pytest.raises(StoreFailed, match="not a database"):
        house.plain("open 2")

    assert house.desktop.opened == []
