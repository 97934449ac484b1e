"""What an earlier version wrote ends in a plain sentence, and is not lost; what a later one would change."""

import asyncio
import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.errors import StoreFailed
from jarvis.store.open import open_store
from jarvis.store.schema import MIGRATIONS
from tests.conftest import BOTH

HISTORY = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
INSERT INTO schema_version VALUES (9);
CREATE TABLE threads (id TEXT PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE turns (id TEXT PRIMARY KEY, thread TEXT NOT NULL, goal TEXT NOT NULL);
CREATE TABLE steps (turn TEXT NOT NULL, n INTEGER NOT NULL);
CREATE TABLE addresses (thread TEXT NOT NULL, id TEXT NOT NULL);
INSERT INTO turns VALUES ('00000000000000a1', 'default', 'find a');
"""
GOALS = "SELECT goal FROM turns"


def in_file(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as file:
        file.executescript(f"PRAGMA journal_mode = WAL; {HISTORY}")


def goals_in(path):
    with closing(sqlite3.connect(path)) as file:
        return [goal for (goal,) in file.execute(GOALS)]


@pytest.fixture
def data(shell):
    return shell.home / "jarvis" / "data"


@pytest.mark.parametrize("name", ["history.db", "outbox.db"])
def test_an_earlier_file_is_moved_aside_and_that_is_said_once(shell, data, request, name):
    on_server = {"DATABASE_URL": request.getfixturevalue("url")} if name == "outbox.db" else {}
    in_file(data / name)

    first = shell.jarvis("open", "a.example", environment=on_server)
    second = shell.jarvis("open", "b.example", environment=on_server)

    (aside,) = data.glob(f"earlier-*/{name}")
    assert first.stderr == f"An older version of Jarvis wrote {data / name}: it is {aside} now.\n"
    assert [first.status, second.status, second.stderr] == [0, 0, ""]
    assert (goals_in(aside), goals_in(data / name)) == (["find a"], ["open a.example", "open b.example"])
    assert (aside.parent.stat().st_mode & 0o777, list(aside.parent.iterdir())) == (0o700, [aside])


def test_who_needs_a_session_is_told_so_too_and_doctor_looks_only(shell, data):
    in_file(data / "history.db")
    shell.gemini.plans({"action": "reply", "text": "Hello.", "finish": True})

    looked = shell.jarvis("doctor")
    asked = shell.jarvis("what is all this?")

    assert "from an older version of Jarvis: your next request moves it aside" in looked.stdout
    assert (asked.status, asked.stdout) == (0, "Hello.\n")
    assert asked.stderr.count(f"An older version of Jarvis wrote {data / 'history.db'}: it is ") == 1
    assert [turn["goal"] for turn in shell.turns()] == ["what is all this?"]


def test_a_file_that_an_older_jarvis_uses_is_left_where_it_is(shell, data):
    """Where that closes the file at last, SQLite would delete the log of a new one in its place."""
    in_file(data / "history.db")
    with closing(sqlite3.connect(data / "history.db")) as older:
        older.execute(GOALS).fetchall()

        listed = shell.jarvis("threads", "list")
        done = shell.jarvis("open", "a.example")

    assert (listed.status, done.status, shell.opened) == (1, 0, ["https://a.example"])
    assert f"An older version of Jarvis still uses {data / 'history.db'}." in listed.stderr
    assert "hint: Stop it: jarvis brain stop" in listed.stderr
    assert "This is not in history." in done.stderr
    assert goals_in(data / "history.db") == ["find a"]


def test_an_earlier_schema_is_refused_by_the_line_that_makes_a_new_one(shell, own, url):
    own.execute(HISTORY, url=url)

    done = shell.jarvis("threads", "list", environment={"DATABASE_URL": url})

    assert (done.status, done.stdout, own.execute(GOALS, url=url)) == (78, "", [("find a",)])
    assert "jarvis: An older version of Jarvis wrote the history in Postgres (" in done.stderr
    assert ". It stays as it is.\n" in done.stderr
    end, _, command = done.stderr.partition("with ")[2].strip().partition(", and make that schema: ")
    psql, where, _, make = shlex.split(command)
    assert psql == "psql"
    try:
        own.execute(make, url=where)
        there = own.url(options=end.partition("=")[2].replace("%3D", "="))
        assert shell.jarvis("threads", "list", environment={"DATABASE_URL": there}).status == 0
        assert own.execute("SELECT format, version FROM jarvis_format", url=there) == [("jarvis-1", 1)]
    finally:
        own.drop(there)


OLD_THREAD = {"schema": 1, "threads": [["default", 1.0, 1.0, 0, 0, 0]], "turns": [], "steps": []}
FILES = {  # by the file in the config folder: what it holds, and what tells of it
    "aliases.json": (
        '{"mit": {"kind": "site", "target": "https://mit.edu/"}}',
        "aliases.json: it does not hold names, each with its kind and target.",
    ),
    "policy.toml": ("[[deny]]\nopen = 'a.example'\n", "policy.toml, which an older version wrote."),
    "policy.txt": ("allow = ['a.example']\n", "policy.txt: allow = ['a.example']: That isn't a rule."),
}


@pytest.mark.parametrize("name", FILES)
def test_what_the_person_wrote_for_an_earlier_version_is_refused_and_stays(shell, name):
    written, told = FILES[name]
    file = Path(shell.settings.folders.policy).with_name(name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(written)
    file.chmod(0o600)

    done = shell.jarvis("open", "mit")

    assert (done.status, shell.opened, file.read_text()) == (78, [], written)
    assert told in done.stderr


@pytest.mark.parametrize(
    ("command", "record", "told"),
    [("threads", OLD_THREAD, "This thread was"), ("packs", {"schema": 1, "kept": {}}, "This list was")],
)
def test_an_export_of_an_earlier_version_is_told_and_nothing_of_it_is_kept(shell, command, record, told):
    done = shell.jarvis(command, "import", "-", stdin=json.dumps(record))

    assert (done.status, done.stdout) == (1 if command == "threads" else 2, "")
    assert f"{told} exported by an older version of Jarvis." in done.stderr
    assert shell.json("threads", "list") == []


@BOTH
def test_a_later_version_is_applied_once_in_order_and_an_earlier_one_refuses_it(house):
    house.kept(lambda store: store.history.begin("default", "x"))
    later = [
        f"ALTER TABLE threads ADD COLUMN {sql};" for sql in ("a TEXT", "b TEXT; UPDATE threads SET b = id")
    ]

    async def look(_n):
        async with open_store(read_settings(house.environment)) as store:
            return await store.database.run("SELECT a, b, (SELECT version FROM jarvis_format) FROM threads")

    async def look_all():
        return await asyncio.gather(*map(look, range(4)))

    MIGRATIONS.extend(later)
    try:
        assert asyncio.run(look_all()) == [[(None, "default", 3)]] * 4
    finally:
        del MIGRATIONS[-len(later) :]
    with pytest.raises(StoreFailed, match="written by a newer version"):
        house.turns()
