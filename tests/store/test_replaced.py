"""The file of history, removed, moved or replaced under whoever has it: nothing goes into the void."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from jarvis.core.types import Address
from jarvis.store.history import History
from jarvis.store.outbox import Outbox
from jarvis.store.sqlite import Sqlite, at_once, empty_log

OLD, NEW, OTHER = "an old request", "a new request", "a request of the backup"


def asked(path):
    """What was asked in the history at *path*, in order."""
    file = Sqlite(str(path))
    try:
        return [goal for (goal,) in at_once(file.run("SELECT goal FROM turns ORDER BY n"))]
    finally:
        at_once(file.close())


def ask(file, *goals):
    for goal in goals:
        at_once(History(file).begin("default", goal))


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "history.db")


@pytest.fixture
def backup(tmp_path):
    file = Sqlite(str(tmp_path / "backup.db"))
    ask(file, OTHER)
    at_once(file.close())
    return file.name


def removed(path, backup):
    os.remove(path)
    return []


def moved_away(path, backup):
    os.rename(path, f"{path}.mine")
    return []


def another_moved_there(path, backup):
    os.replace(backup, path)
    return [OTHER]


def away_and_another_there(path, backup):
    os.rename(path, f"{path}.mine")
    return another_moved_there(path, backup)


def copied_over(path, backup):
    shutil.copyfile(backup, path)
    return [OTHER]


def emptied(path, backup):
    os.truncate(path, 0)
    return []


MOVES = (removed, moved_away, another_moved_there, away_and_another_there)


@pytest.mark.parametrize("change", [*MOVES, copied_over])
def test_at_rest_it_may_become_any_other(path, backup, change):
    """As the brain has it between two turns."""
    file = Sqlite(path)
    ask(file, OLD)
    at_once(file.rest())
    assert not os.path.exists(f"{path}-wal")

    there = change(path, backup)
    ask(file, NEW)
    at_once(file.close())

    assert asked(path) == [*there, NEW]
    if os.path.exists(f"{path}.mine"):
        assert asked(f"{path}.mine") == [OLD]


@pytest.mark.parametrize("change", MOVES)
@pytest.mark.parametrize("is_first", [True, False], ids=["it comes first", "another process comes first"])
def test_with_its_newest_turns_in_its_log_it_may_be_moved(path, backup, change, is_first):
    """As it is until the brain rests; what another process asks first is a plain command."""
    file, plain = Sqlite(path), Sqlite(path)
    ask(file, OLD)
    assert os.path.getsize(f"{path}-wal")

    there = change(path, backup)
    both = (file, plain) if is_first else (plain, file)
    ask(both[0], NEW)
    ask(both[1], NEW)
    at_once(file.close())
    at_once(plain.close())

    assert asked(path) == [*there, NEW, NEW]
    if change is moved_away:
        assert asked(f"{path}.mine") == [OLD]


def test_what_another_process_writes_while_it_lets_go_stays(path, monkeypatch):
    """The file is removed; its log is still emptied as a plain command makes a new one."""
    brain, plain, came = Sqlite(path), Sqlite(path), []

    def slowly(connection):
        empty_log(connection)
        came.append(ask(plain, NEW)) if not came else None

    ask(brain, OLD)
    os.remove(path)
    monkeypatch.setattr("jarvis.store.sqlite.empty_log", slowly)
    ask(brain, NEW)
    at_once(plain.close())
    at_once(brain.close())

    assert came
    assert asked(path) == [NEW, NEW]


@pytest.mark.slow
def test_another_process_that_closes_it_takes_no_log_away(path):
    """As in a chat without a brain, where plain commands and the others each have the file open."""
    plain, others = Sqlite(path), Sqlite(path)
    ask(plain, OLD)
    ask(others, OLD)

    look = "import sqlite3, sys; file = sqlite3.connect(sys.argv[1]); file.execute('SELECT * FROM turns')"
    subprocess.run([sys.executable, "-c", f"{look}.fetchall(); file.close()", path], check=True)
    ask(plain, NEW)

    assert os.path.getsize(f"{path}-wal")  # else what is new is in a file without a name
    at_once(plain.close())
    at_once(others.close())
    assert asked(path) == [OLD, OLD, NEW]


def test_the_outbox_may_be_removed_too(path):
    """It has tables of its own."""
    outbox = Outbox(Sqlite(path))
    at_once(outbox.database.rest())
    os.remove(path)
    line = Address("r1", "https://a.example")

    at_once(outbox.keep_list("default", [line]))

    assert at_once(outbox.addresses.last_list("default"))[0] == [line]
    at_once(outbox.close())


@pytest.mark.slow
@pytest.mark.parametrize("change", [*MOVES, emptied])
def test_a_log_that_nobody_closed_counts_for_no_other_file(path, backup, change):
    """As a plain command leaves it, and whoever was killed; the log is kept."""
    abandoned(path)

    there = change(path, backup)
    plain = Sqlite(path)
    ask(plain, NEW)
    at_once(plain.close())

    assert asked(path) == [*there, NEW]
    os.rename(f"{path}.left-wal", f"{path}.mine-wal")
    if os.path.exists(f"{path}.mine"):
        assert asked(f"{path}.mine") == [OLD]


def abandoned(path):
    """Ask in a process that ends without closing anything."""
    if not (child := os.fork()):
        ask(Sqlite(path), OLD)
        os._exit(0)
    os.waitpid(child, 0)
    assert os.path.getsize(f"{path}-wal")


@pytest.mark.slow
def test_a_log_of_its_own_counts_whatever_folder_it_is_in_by_then(tmp_path, path):
    abandoned(path)
    shutil.copytree(tmp_path, tmp_path / "copied")
    os.mkdir(tmp_path / "moved")
    for part in ("", "-wal", "-shm", "-log-of"):
        os.rename(f"{path}{part}", tmp_path / f"moved/history.db{part}")

    assert [asked(tmp_path / folder / "history.db") for folder in ("copied", "moved")] == [[OLD]] * 2
