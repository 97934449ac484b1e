"""What the person is asked, as history keeps it: questions, rules and reasons."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys

import pytest

from jarvis.settings import read
from jarvis.store.columns import COLUMNS
from jarvis.store.history import History
from jarvis.store.opened import opened
from jarvis.store.outbox import Outbox
from jarvis.store.schema import VERSION
from jarvis.store.transfer import exported, imported
from jarvis.turn import Found, Outcome
from tests.conftest import BOTH

URL = "https://a.example/"
QUESTION = {"id": "q1-a1b2c3d4e5f6", "text": "Open it ?", "arguments": {"address": "u1"}, "target": URL}


async def unanswered(history, thread="default", question=QUESTION):
    turn = await history.begin(thread, "open it", [URL])
    await history.end(turn, "needs_answer", question=question)
    return turn


@BOTH
def test_a_question_is_taken_once_with_all_that_it_takes_to_answer_it(house):
    async def work(store):
        turn = await unanswered(store.history)
        ids = (QUESTION["id"], QUESTION["id"], "q1-000000000000", "", "%")
        return turn, [await store.history.take_question(id_) for id_ in ids]

    turn, taken = house.kept(work)

    assert taken == [(turn.id, "default", "open it", QUESTION, "", True, 1), None, None, None, None]


TAKER = """
import json, sys
from jarvis.aside import run
from jarvis.settings import read
from jarvis.store.opened import opened

async def take():
    async with opened(read(json.loads(sys.argv[1]))) as store:
        print("ready", flush=True)
        sys.stdin.readline()
        print(await store.history.take_question(sys.argv[2]) is not None)

run(take())
"""


@BOTH
def test_of_many_who_answer_at_once_one_gets_it(house):
    house.kept(lambda store: unanswered(store.history))
    takers = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", TAKER, json.dumps(house.environment), QUESTION["id"]],
            env={**os.environ, "PYTHONPATH": os.getcwd()},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    assert {taker.stdout.readline() for taker in takers} == {"ready\n"}
    for taker in takers:
        taker.stdin.write("\n")
        taker.stdin.flush()

    assert sorted(taker.communicate(timeout=60)[0] for taker in takers) == ["False\n"] * 3 + ["True\n"]


class Twice:
    """A database whose connection is lost after each statement was done: it is done again."""

    def __init__(self, database):
        self._database = database
        self.lost = 0

    async def run(self, sql, *arguments):
        await self._database.run(sql, *arguments)
        self.lost += 1
        return await self._database.run(sql, *arguments)


@BOTH
def test_what_is_written_twice_after_a_lost_connection_comes_to_the_same(house):
    async def work(store):
        await unanswered(store.history)
        twice = History(Twice(store.database))
        taken = await twice.take_question(QUESTION["id"])
        later = await store.history.take_question(QUESTION["id"])
        return twice.database.lost, taken.question, later

    assert house.kept(work) == (1, QUESTION, None)



@BOTH
def test_no_question_moves_with_an_export(house):
    """Whoever wrote the file could otherwise say yes in the person's name."""

    async def work(store):
        turn = await unanswered(store.history)
        await store.history.start_step(
            turn, 1, "open_website", {"address": "u1"}, URL, "rule 7", "It is official."
        )
        record = json.loads(json.dumps(await exported(store.database, "default")))
        await store.threads.delete("default")
        await imported(store.database, record)
        kept = await store.database.run("SELECT rule, why FROM steps")
        return record, kept, await store.history.take_question(QUESTION["id"])

    record, kept, question = house.kept(work)

    assert kept == [("rule 7", "It is official.")]
    assert question is None
    assert QUESTION["id"] not in json.dumps(record)
    assert "allowed" not in record


@BOTH
def test_an_export_of_the_version_before_is_imported(house):
    async def work(store):
        turn = await store.history.begin("default", "find a")
        await store.history.start_step(turn, 1, "search", {"query": "a"}, "a")
        await store.history.addresses.keep_found(turn, 1, [Found(URL, "A")])
        await store.history.end_step(turn, 1, Outcome("done", "Found 1 address."))
        await store.history.end(turn, "done", "Here.", shown=["r1"])
        now = json.loads(json.dumps(await exported(store.database, "default")))
        before = {
            **now,
            "turns": [row[:-3] for row in now["turns"]],
            "steps": [row[:-2] for row in now["steps"]],
            "addresses": [row[:-2] for row in now["addresses"]],
        }
        await store.threads.delete("default")
        told = await imported(store.database, before)
        return told, now, json.loads(json.dumps(await exported(store.database, "default")))

    told, now, again = house.kept(work)

    assert told == ("default", 1)
    # Its place is not known; and what a file says was shown, and is their own words, is not believed.
    shown = list(COLUMNS["addresses"]).index("shown")
    assert again["addresses"] == [[*now["addresses"][0][:shown], None, 0, ""]]
    listed = list(COLUMNS["turns"]).index("shown")
    assert again["turns"] == [
        [*row[:listed], None, *row[listed + 1 : -3], "", None, 0] for row in now["turns"]
    ]
    assert (again["steps"], again["threads"]) == (now["steps"], now["threads"])


@BOTH
def test_the_place_of_an_address_is_that_in_the_search_that_found_it_last(house):
    async def work(store):
        turn = await store.history.begin("default", "open b.example", ["https://b.example/"])
        keep = store.history.addresses.keep_found
        first = await keep(turn, 1, [Found(URL), Found("https://c.example/")])
        await keep(turn, 2, [Found("https://d.example/"), Found(URL)], first)
        return await store.database.run("SELECT id, step, place FROM addresses ORDER BY id")

    assert house.kept(work) == [("r1", 2, 2), ("r2", 1, 2), ("r3", 2, 1), ("u1", 0, 0)]


@pytest.fixture
def server(postgres):
    url = postgres.schema()
    yield url
    postgres.drop(url)


def test_the_outbox_delivers_rule_reason_and_question(tmp_path, server):
    settings = read({"JARVIS_HOME": str(tmp_path), "DATABASE_URL": server})

    async def work():
        async with opened(settings) as store:
            turn = await store.history.begin("default", "earlier", [URL])
            await store.history.end(turn, "done")
        outbox = Outbox(settings.folders.outbox)
        turn = await unanswered(outbox)
        await outbox.start_step(turn, 1, "open_website", {"address": "u1"}, URL, "rule 7", "Asked for.")
        await outbox.close()
        async with opened(settings) as store:
            steps = await store.database.run("SELECT rule, why, arguments FROM steps")
            return turn, steps, await store.history.take_question(QUESTION["id"])

    turn, steps, taken = asyncio.run(work())

    assert steps == [("rule 7", "Asked for.", '{"address": "u2"}')]
    renamed = {**QUESTION, "arguments": {"address": "u2"}}
    assert taken == (turn.id, "default", "open it", renamed, "", True, 2)



# As the second version wrote it.
SECOND = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE threads (id TEXT PRIMARY KEY, created_at DOUBLE PRECISION NOT NULL,
    used_at DOUBLE PRECISION NOT NULL, turns INTEGER NOT NULL DEFAULT 0, typed INTEGER NOT NULL DEFAULT 0,
    found INTEGER NOT NULL DEFAULT 0);
CREATE TABLE turns (id TEXT PRIMARY KEY, thread TEXT NOT NULL, n INTEGER NOT NULL, goal TEXT NOT NULL,
    status TEXT NOT NULL, reply TEXT NOT NULL DEFAULT '', shown TEXT, error TEXT, usage TEXT, pid INTEGER,
    started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION, UNIQUE (thread, n));
CREATE INDEX turns_shown ON turns (thread, n) WHERE shown IS NOT NULL;
CREATE INDEX turns_open ON turns (thread) WHERE status = 'open';
CREATE TABLE steps (turn TEXT NOT NULL, n INTEGER NOT NULL, action TEXT NOT NULL, arguments TEXT NOT NULL,
    target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL, outcome TEXT NOT NULL DEFAULT '',
    started_at DOUBLE PRECISION NOT NULL, ended_at DOUBLE PRECISION, PRIMARY KEY (turn, n));
CREATE TABLE addresses (thread TEXT NOT NULL, id TEXT NOT NULL, url TEXT NOT NULL, title TEXT NOT NULL,
    source TEXT NOT NULL, official TEXT NOT NULL, turn INTEGER NOT NULL, step INTEGER NOT NULL,
    opened INTEGER, shown INTEGER, PRIMARY KEY (thread, id));
CREATE INDEX addresses_turn ON addresses (thread, turn, step);
CREATE INDEX addresses_opened ON addresses (thread, opened) WHERE opened IS NOT NULL;
CREATE TABLE usage (day TEXT NOT NULL, thread TEXT NOT NULL, model_calls INTEGER NOT NULL DEFAULT 0,
    searches INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, thread));
CREATE TABLE people (name TEXT PRIMARY KEY, warned INTEGER NOT NULL DEFAULT 0);
INSERT INTO schema_version VALUES (2);
INSERT INTO threads VALUES ('default', 1.0, 1.0, 1, 0, 1);
INSERT INTO turns VALUES
    ('t1', 'default', 1, 'find a', 'done', 'Here [1].', '["r1"]', NULL, NULL, 1, 1.0, 2.0);
INSERT INTO steps VALUES ('t1', 1, 'search', '{"query": "a"}', 'a', 'done', 'Found 1 address.', 1.0, 2.0);
INSERT INTO addresses VALUES ('default', 'r1', 'https://a.example/', 'A', 'found', '', 1, 1, NULL, 1);
"""


@BOTH
def test_the_history_of_the_second_version_is_taken_over(house, database_url, request):
    if database_url:
        request.getfixturevalue("postgres").execute(SECOND, url=database_url)
    else:
        path = house.home / "jarvis" / "data" / "history.db"
        path.parent.mkdir(parents=True)
        with contextlib.closing(sqlite3.connect(path)) as old:
            old.executescript(f"PRAGMA journal_mode = WAL; {SECOND}")
    house.model_plans({"action": "open_website", "address": "r1", "finish": True})

    asked = house.ask("open it")

    assert house.desktop.opened == ["https://a.example/"]
    assert asked.status == ("done", 0)
    assert [turn["goal"] for turn in house.turns()] == ["find a", "open it"]
    assert house.rows("SELECT version FROM schema_version") == [(VERSION,)]
    assert house.rows("SELECT rule, why FROM steps WHERE turn = 't1'") == [("", "")]
    assert house.rows("SELECT question, asked, own, intent FROM turns WHERE id = 't1'") == [(None, None, 0, None)]
