"""What the words are read from holds nothing that the person did not type, whatever was done before."""

from __future__ import annotations

import contextlib
import json
import random
import re
import sqlite3

import pytest

from jarvis.agent.reading import Reading
from jarvis.store.database import _MIGRATIONS
from tests.conftest import BOTH
from tests.marked import KINDS, STRANGE, Dialogue, find_and_open, marks, question, talk

THREADS = 4
# As a program of an older version wrote it: what was piped in stands behind the words.
OLD = """
CREATE TABLE schema_version (version INTEGER NOT NULL); {tables};
INSERT INTO schema_version VALUES ({version});
INSERT INTO threads (id, created_at, used_at, turns, typed, found) VALUES ('old', 1.0, 1.0, 1, 0, 1);
INSERT INTO turns (id, thread, n, goal, status, reply, shown, started_at, ended_at)
    VALUES ('t1', 'old', 1, 'what is this? xqpiped1z', 'done', 'xqreply2z [1]', '["r1"]', 1.0, 2.0);
INSERT INTO steps (turn, n, action, arguments, target, state, outcome, started_at, ended_at)
    VALUES ('t1', 1, 'search', '{{"query": "xqquery3z"}}', 'xqquery3z', 'done', 'xqoutcome4z', 1.0, 2.0);
INSERT INTO addresses (thread, id, url, title, source, official, turn, step)
    VALUES ('old', 'r1', 'https://xqhost5z.example/', 'xqtitle6z', 'found', '', 1, 1);
"""
IN_OLD = {"xqpiped1z", "xqreply2z", "xqoutcome4z", "xqhost5z", "xqtitle6z"}


@pytest.fixture
def dialogue(house, shell):
    return Dialogue(house, shell)


def readings(dialogue):
    """How many were made with a plan, and how many by themselves."""
    with_plan = sum("action" in request.schema["properties"] for request in dialogue.read)
    return with_plan, len(dialogue.read) - with_plan


@BOTH
def test_nothing_foreign_stands_where_the_words_are_read(dialogue, long):
    """Some 60 turns, or 120, in threads in which each kind of turn comes after others."""
    threads = THREADS if long else THREADS // 2
    with dialogue.house.staying():
        for n in range(threads):
            dialogue.begin()
            rest = list(KINDS)
            random.Random(n).shuffle(rest)
            for kind in (KINDS[n], *rest):
                kind(dialogue)

    assert dialogue.leaked == []
    assert dialogue.turns >= threads * len(KINDS) > threads * 27
    # They were asked, and gave each sort of answer.
    assert len(dialogue.house.questions) >= threads * 7
    with_plan, alone = readings(dialogue)
    assert (with_plan >= threads - 1, alone >= threads * 15) == (True, True)
    # It was there to leak.
    assert {re.sub("xq|[0-9]+z", "", mark) for mark in dialogue.elsewhere} >= set(STRANGE)


@BOTH
def test_nothing_of_an_import_stands_there_whatever_its_file_says(dialogue, shell):
    dialogue.begin("told")
    for kind in (question, find_and_open):
        kind(dialogue)
    record = json.loads(shell.jarvis("threads", "export", "told").stdout)
    names = record["columns"]["turns"].split()
    for row in record["turns"]:
        row[names.index("goal")] = dialogue.mark("goal")
        row[names.index("intent")] = json.dumps([f"open site {dialogue.mark('intent')}"])
        row[names.index("own")] = 1
    text = json.dumps(record)
    shell.jarvis("threads", "delete", "told", "--yes")
    told = shell.jarvis("threads", "import", "--as", "imported", "-", stdin=text)
    dialogue.begin("imported")
    for kind in (find_and_open, question, find_and_open, talk):
        kind(dialogue)

    assert told.stdout == "Imported imported: 2 turns.\n"
    assert dialogue.leaked == []
    assert readings(dialogue) == (1, 3)
    assert dialogue.elsewhere & marks(text) >= marks(
        " ".join(row[names.index("goal")] for row in record["turns"])
    )


@BOTH
@pytest.mark.parametrize("version", [1, 2, 3])
def test_nothing_of_older_rows_stands_there(dialogue, request, version):
    lines = "".join(_MIGRATIONS[:version]).format(compact="").splitlines()
    script = OLD.format(tables="\n".join(line.split("  --")[0] for line in lines), version=version)
    if url := dialogue.house.environment.get("DATABASE_URL"):
        request.getfixturevalue("postgres").execute(script, url=url)
    else:
        path = dialogue.house.home / "jarvis" / "data" / "history.db"
        path.parent.mkdir(parents=True)
        with contextlib.closing(sqlite3.connect(path)) as old:
            old.executescript(script)

    dialogue.begin("old")
    for kind in (find_and_open, question, find_and_open):
        kind(dialogue)

    assert dialogue.leaked == []
    assert readings(dialogue) == (0, 2)
    assert dialogue.elsewhere >= IN_OLD


def test_what_leaks_is_caught(dialogue, monkeypatch):
    honest = Reading.prompt.fget
    leaking = property(lambda self: "\n".join([honest(self), *(each.reply for each in self._earlier)]))
    monkeypatch.setattr(Reading, "prompt", leaking)

    dialogue.begin()
    for kind in (question, find_and_open):
        kind(dialogue)

    (words, leaked), *_ = dialogue.leaked
    assert words.startswith("open the site of")
    assert {re.sub("[0-9]+z", "", mark) for mark in leaked} == {"xqreply"}
