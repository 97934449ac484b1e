"""Histories of earlier versions, as those wrote them: taken over on both databases, nothing invented."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import zlib

import pytest

from jarvis.config.settings import Daily
from jarvis.packs.shop.keep import Item, Seen, lists_in
from jarvis.store.addresses import tables_in
from jarvis.store.database import statements
from jarvis.store.schema import VERSION
from jarvis.store.transfer import exported, imported
from jarvis.store.usage import Ledger, Used
from tests.conftest import BOTH
from tests.tabled import dollars

# As SQLite has it; each of the next ones is what its migration made of the one before.
FIRST = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE threads (id TEXT PRIMARY KEY, created_at REAL NOT NULL, used_at REAL NOT NULL,
    turns INTEGER NOT NULL DEFAULT 0, typed INTEGER NOT NULL DEFAULT 0, found INTEGER NOT NULL DEFAULT 0);
CREATE TABLE turns (id TEXT PRIMARY KEY, thread TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
    status TEXT NOT NULL, reply TEXT NOT NULL DEFAULT '', shown TEXT, error TEXT, usage TEXT, pid INTEGER,
    started_at REAL NOT NULL, ended_at REAL, UNIQUE (thread, n));
CREATE INDEX turns_shown ON turns (thread, n) WHERE shown IS NOT NULL;
CREATE INDEX turns_open ON turns (thread) WHERE status = 'open';
CREATE TABLE steps (turn TEXT NOT NULL, n INTEGER NOT NULL, action TEXT NOT NULL, arguments TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
    started_at REAL NOT NULL, ended_at REAL, PRIMARY KEY (turn, n)) WITHOUT ROWID;
CREATE TABLE addresses (thread TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
    source TEXT NOT NULL, official TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL,
    opened INTEGER, PRIMARY KEY (thread, id)) WITHOUT ROWID;
CREATE INDEX addresses_turn ON addresses (thread, turn, step);
CREATE INDEX addresses_opened ON addresses (thread, opened) WHERE opened IS NOT NULL;
INSERT INTO schema_version VALUES (1);
INSERT INTO threads VALUES ('default', 1.0, 1.0, 1, 0, 1);
INSERT INTO turns VALUES
    ('00000000000000a1', 'default', 1, 'find a', 'done', 'Here [1].', '["r1"]', NULL, NULL, 1, 1.0, 2.0);
INSERT INTO steps VALUES
    ('00000000000000a1', 1, 'search', '{"query": "a"}', 'a', 'done', 'Found 1 address.', 1.0, 2.0);
INSERT INTO addresses VALUES ('default', 'r1', 'https://a.example/', 'A', 'found', '', 1, 1, NULL);
"""
SECOND = f"""
{FIRST.replace("INSERT INTO schema_version VALUES (1)", "INSERT INTO schema_version VALUES (2)")}
ALTER TABLE addresses ADD COLUMN shown INTEGER;
UPDATE addresses SET shown = 1;
CREATE TABLE usage (day TEXT NOT NULL, thread TEXT NOT NULL, model_calls INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, thread)) WITHOUT ROWID;
CREATE TABLE people (name TEXT PRIMARY KEY, warned INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
"""
THIRD = f"""
{SECOND.replace("INSERT INTO schema_version VALUES (2)", "INSERT INTO schema_version VALUES (3)")}
ALTER TABLE turns ADD COLUMN question TEXT;
ALTER TABLE turns ADD COLUMN asked TEXT;
CREATE INDEX turns_asked ON turns (asked) WHERE asked IS NOT NULL;
ALTER TABLE steps ADD COLUMN rule TEXT NOT NULL DEFAULT '';
ALTER TABLE steps ADD COLUMN why TEXT NOT NULL DEFAULT '';
ALTER TABLE addresses ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
CREATE TABLE allowed (thread TEXT NOT NULL, effect TEXT NOT NULL, name TEXT NOT NULL,
    PRIMARY KEY (thread, effect, name)) WITHOUT ROWID;
UPDATE steps SET rule = 'a search', why = 'I look.';
UPDATE addresses SET official = 'its host is the name', place = 1;
INSERT INTO allowed VALUES ('default', 'captures', '');
INSERT INTO allowed VALUES ('default', 'opens', 'github.com');
"""
FOURTH = f"""
{THIRD.replace("INSERT INTO schema_version VALUES (3)", "INSERT INTO schema_version VALUES (4)")}
ALTER TABLE turns ADD COLUMN piped TEXT NOT NULL DEFAULT '';
ALTER TABLE turns ADD COLUMN intent TEXT;
ALTER TABLE turns ADD COLUMN own INTEGER NOT NULL DEFAULT 0;
ALTER TABLE addresses ADD COLUMN official_name TEXT NOT NULL DEFAULT '';
DELETE FROM allowed;
"""
FIFTH = f"""
{FOURTH.replace("INSERT INTO schema_version VALUES (4)", "INSERT INTO schema_version VALUES (5)")}
ALTER TABLE threads ADD COLUMN title TEXT NOT NULL DEFAULT '';
UPDATE threads SET title = 'find a';
"""
LISTED = """[{"kind": "product", "columns": [{"key": "title", "label": "product", "kind": "text", "rank": 0},
{"key": "price", "label": "price", "kind": "money", "rank": 0}],
"rows": [["o1", "https://shop.example/o1", "merchant", "Lantern", ["29.00", "USD"]]],
"order": "given", "left_out": {"over 50.00 USD": 9}, "note": "", "seen_at": "2026-01-31T14:02:10Z",
"foot": [], "page": [0, 10], "asked": [], "private": [{}], "first": 1}]"""
SIXTH = f"""
{FIFTH.replace("INSERT INTO schema_version VALUES (5)", "INSERT INTO schema_version VALUES (6)")}
ALTER TABLE threads ADD COLUMN offers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN tables BYTEA;
CREATE TABLE kept (id TEXT PRIMARY KEY, list TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL,
    cells TEXT NOT NULL, url TEXT NOT NULL, added_at DOUBLE PRECISION NOT NULL, removed_at DOUBLE PRECISION)
    WITHOUT ROWID;
CREATE UNIQUE INDEX kept_once ON kept (list, url) WHERE removed_at IS NULL AND url != '';
CREATE TABLE prices (kept TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, amount TEXT NOT NULL,
    currency TEXT NOT NULL, source TEXT NOT NULL, PRIMARY KEY (kept, at)) WITHOUT ROWID;
UPDATE threads SET offers = 1;
UPDATE turns SET tables = X'{zlib.compress(LISTED.encode()).hex()}';
INSERT INTO usage VALUES ('2026-01-31', 'default', 2, 1, 300, 40);
INSERT INTO kept VALUES ('k1', 'wishlist', 'product', 'Lantern', '{{"title": "Lantern"}}',
    'https://shop.example/o1', 3.0, NULL);
INSERT INTO kept VALUES ('k2', 'gifts', 'product', 'A 3" \\ lamp', '{{}}', '', 4.0, NULL);
INSERT INTO kept VALUES ('k3', 'gifts', 'product', 'Removed', '{{}}', '', 5.0, 6.0);
INSERT INTO prices VALUES ('k1', 3.0, '29.00', 'USD', 'Glow "&" Sons'), ('k1', 4.5, '28.00', 'USD', ''),
    ('k1', 6.0, '27.00', 'USD', ''), ('k3', 6.0, '1.00', 'USD', '');
"""
SEVENTH = f"""
{SIXTH.replace("INSERT INTO schema_version VALUES (6)", "INSERT INTO schema_version VALUES (7)")}
ALTER TABLE turns ADD COLUMN pid_since TEXT;
ALTER TABLE steps ADD COLUMN untold INTEGER NOT NULL DEFAULT 0;
CREATE INDEX steps_untold ON steps (turn) WHERE untold = 1;
"""
BODIES = (
    {
        "title": "Lantern",
        "url": "https://shop.example/o1",
        "cells": {"title": "Lantern"},
        "then": {"at": 3.0, "amount": "29.00", "currency": "USD"},
        "now": {"at": 6.0, "amount": "27.00", "currency": "USD"},
    },
    {"title": 'A 3" \\ lamp', "url": "", "cells": {}, "then": None, "now": None},
)
EIGHTH = f"""
{SEVENTH.replace("INSERT INTO schema_version VALUES (7)", "INSERT INTO schema_version VALUES (8)")}
CREATE TABLE items (pack TEXT NOT NULL, list TEXT NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL,
    at DOUBLE PRECISION NOT NULL, PRIMARY KEY (pack, list, id)) WITHOUT ROWID;
INSERT INTO items VALUES
    ('shop', 'wishlist', 'https://shop.example/o1', '{json.dumps(BODIES[0])}', 3.0),
    ('shop', 'gifts', 'k2', '{json.dumps(BODIES[1])}', 4.0);
DROP TABLE prices;
DROP TABLE kept;
"""
LISTED_THINGS = [
    Item(
        "Lantern",
        {"title": "Lantern"},
        "https://shop.example/o1",
        Seen(6.0, dollars("27.00")),
        Seen(3.0, dollars("29.00")),
        "https://shop.example/o1",
        "wishlist",
        3.0,
    ),
    Item('A 3" \\ lamp', {}, "", None, None, "k2", "gifts", 4.0),
]
WRITTEN = {1: FIRST, 2: SECOND, 3: THIRD, 4: FOURTH, 5: FIFTH, 6: SIXTH, 7: SEVENTH, 8: EIGHTH}
EACH = pytest.mark.parametrize("written", WRITTEN)
OPEN = {"action": "open_website", "address": "r1", "finish": True}


def in_file(path, text):
    path.parent.mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.executescript(f"PRAGMA journal_mode = WAL; {text}")


@pytest.fixture
def old(tmp_path, database_url, request):
    """What writes the history of a version to where Jarvis looks for its own."""

    def write(text):
        if not database_url:
            in_file(tmp_path / "jarvis" / "data" / "history.db", text)
            return
        text = re.sub(r"\s+WITHOUT ROWID", "", text).replace("REAL", "DOUBLE PRECISION").replace("X'", "'\\x")
        request.getfixturevalue("postgres").execute(text, url=database_url)

    return write


def test_every_version_before_this_one_is_among_them():
    assert set(WRITTEN) >= {*range(1, VERSION)}


@BOTH
@EACH
def test_all_that_it_wrote_is_read(house, old, written):
    """In the list, the thread, the search and an export, which another history takes; and what was kept."""
    old(WRITTEN[written])

    async def read(store):
        return (
            await store.threads.all(),
            await store.threads.search("address"),
            await store.threads.turns("default"),
        )

    async def work(store):
        before, record = await read(store), await exported(store.database, "default")
        kept = await lists_in(store.database).items()
        used = await Ledger(store.database, Daily()).since("2026-01-01")
        await store.delete("default")
        taken = await imported(store.database, record)
        return before, taken, await read(store), kept, used

    before, taken, after, kept, used = house.kept(work)

    assert taken == ("default", 1)
    for threads, found, (turn,) in (before, after):
        title = "find a" if written > 4 else ""
        assert [(each.id, each.turns, each.created_at, each.title) for each in threads] == [
            ("default", 1, 1.0, title)
        ]
        assert [(each.thread, each.goal, each.reply) for each in found] == [
            ("default", "find a", "Here [1].")
        ]
        assert (turn.goal, turn.status, turn.reply) == ("find a", "done", "Here [1].")
        assert (turn.started_at, turn.ended_at) == (1.0, 2.0)
        (step,) = turn.steps
        assert (step.n, step.plan.action, step.plan.arguments) == (1, "search", {"query": "a"})
        assert step.outcome[:3] == ("done", "Found 1 address.", "a")
        rows = [row for listed in tables_in(turn.tables) for row in listed.table.rows]
        assert [row.cells["title"] for row in rows] == ["Lantern"] * (written > 5)
    assert house.rows("SELECT id, url, title FROM addresses") == [("r1", "https://a.example/", "A")]
    assert kept == LISTED_THINGS * (written > 5)
    assert used == [Used("2026-01-31", "default", 2, 1, 300, 40)] * (written > 5)


def columns_here(house):
    """The tables with their columns."""
    if house.settings.database_url:
        sql = "SELECT table_name, column_name FROM information_schema.columns"
        return set(house.rows(f"{sql} WHERE table_schema = current_schema()"))
    return set(house.rows(OF_FILE))


OF_FILE = (
    "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
)


@BOTH
@EACH
def test_it_goes_on_as_a_new_history_and_what_it_did_not_write_down_is_not_made_up(house, old, written):
    """Whose words a goal holds was not kept apart: they may be what was piped in."""
    with contextlib.closing(sqlite3.connect(":memory:")) as new:
        for statement in statements(0):
            new.execute(statement)
        columns = set(new.execute(OF_FILE))

    old(WRITTEN[written])

    assert columns_here(house) == columns
    assert house.rows("SELECT version FROM schema_version") == [(VERSION,)]
    assert house.rows("SELECT piped, intent, own, question, asked FROM turns") == [("", None, 0, None, None)]
    is_late = written > 2
    known = ("a search", "I look.") if is_late else ("", "")
    assert house.rows("SELECT rule, why FROM steps") == [known]
    vouched = ("its host is the name", "", 1) if is_late else ("", "", 0)
    assert house.rows("SELECT official, official_name, place FROM addresses") == [vouched]
    assert house.rows("SELECT shown, tables IS NULL FROM turns") == [('["r1"]', written < 6)]
    title = "find a" if written > 4 else ""
    assert house.rows("SELECT title, offers FROM threads") == [(title, int(written > 5))]

    house.model_plans(OPEN)
    assert house.ask("open it").status == ("done", 0)
    assert house.desktop.opened == ["https://a.example/"]
    assert [turn["goal"] for turn in house.turns()] == ["find a", "open it"]


def test_a_plain_turn_that_an_earlier_version_left_here_is_handed_over(tmp_path, shell, url):
    in_file(tmp_path / "jarvis" / "data" / "outbox.db", THIRD)

    done = shell.jarvis("--json", "threads", "show", environment={"DATABASE_URL": url})

    (turn,) = json.loads(done.stdout)
    assert (turn["goal"], turn["piped"], turn["intent"]) == ("find a", "", None)
    assert turn["steps"][0]["outcome"] == "Found 1 address."
