"""A turn whose end its database can't take: what was shown is kept, and is in history later, once."""

from __future__ import annotations

import contextlib
import sqlite3
from json import loads

import psycopg
import pytest

from jarvis.core.events import Notice, Unsure
from tests.far import Far
from tests.house import House

MIT = "https://web.mit.edu/"
ODD = "https://xn--mnchen-3ya.example/"
BOTH = "find the MIT website and open it"
FIND = {"action": "search", "query": "MIT official website"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
NOT_YET = {**OPEN, "finish": False}
OPEN_ODD = {**OPEN, "address": "r2"}
OPEN_TYPED = {**OPEN, "address": "u1"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
SEE = {"action": "reply", "text": "See [r2].", "finish": True}
KEPT = "Kept on this machine until the server takes it."
FOUND = ("search", "done")
OPENED = ("open_website", "done")


@pytest.fixture
def far(postgres):
    url = postgres.schema()
    with Far(url) as far:
        yield far
    postgres.drop(url)


@pytest.fixture
def house(far, tmp_path, gemini, serpapi):
    house = House(tmp_path, gemini, serpapi, far.url)
    house.configure("[budgets]\ndatabase_seconds = 0.1\n")
    return house


def away(house, far, words, plans, at):
    """Ask *words*; the server goes at plan number *at*, or else while the hands act; then it is back."""
    fired = []

    def go(answer=None):
        far.stop()
        fired.append(True)
        return answer

    house.search_finds(MIT, ODD)
    house.model_plans(*((lambda _, plan=plan: go(plan)) if n == at else plan for n, plan in enumerate(plans)))
    house.desktop.meanwhile = go if at is None else lambda: None
    asked = house.ask(words)
    house.desktop.meanwhile = lambda: None
    far.start()
    assert fired == [True]
    return asked


@contextlib.contextmanager
def outbox(house):
    with contextlib.closing(sqlite3.connect(house.settings.folders.outbox)) as file, file:
        yield file


def written_unheard(far, n):
    """Have step *n* written as begun, as by a server that went before it could say so."""
    row = "SELECT id, %s, 'open_website', '{}', %s, 'started', 1 FROM turns WHERE status = 'open'"
    with psycopg.connect(far.url, autocommit=True) as server:
        begun = f"INSERT INTO steps (turn, n, action, arguments, target, state, started_at) {row}"
        assert server.execute(begun, (n, MIT)).rowcount == 1


def everything(house):
    tables = ("threads", "turns", "steps", "addresses", "usage", "checkpoints")
    return [house.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables]


# words, plans, at which of them the server goes, or else while the hands act; the turn's status, steps, reply
PHASES = {
    "in the first call": ("hello", [HELLO], 0, ("done", 0), [], "Hello."),
    "in it, before an opening": (f"please open {MIT}", [OPEN_TYPED], 0, ("failed", 69), [], ""),
    "in it, before a search": ("what is MIT?", [FIND], 0, ("failed", 69), [("search", "failed")], ""),
    "after a search": ("what is MIT?", [FIND, SEE], 1, ("done", 0), [FOUND], "See [1]."),
    "after it, before an opening": (BOTH, [FIND, OPEN], 1, ("failed", 69), [FOUND], ""),
    "while the hands act": (BOTH, [FIND, OPEN], None, ("failed", 69), [FOUND, OPENED], ""),
    "while they act, and more is to do": (BOTH, [FIND, NOT_YET], None, ("failed", 69), [FOUND, OPENED], ""),
    "before a question": (BOTH, [FIND, OPEN_ODD], 1, ("failed", 69), [FOUND], ""),
}


@pytest.mark.parametrize("phase", PHASES)
def test_what_was_shown_is_in_history_once_the_server_is_back(house, far, tmp_path, phase):
    """Though another machine closed the turn meanwhile, and who delivers its end dies before noting that."""
    words, plans, at, status, steps, reply = PHASES[phase]
    asked = away(house, far, words, plans, at)
    with outbox(house) as file:
        kept = file.execute("SELECT * FROM endings").fetchall()
        listed = [
            line["id"] for (lines,) in file.execute("SELECT addresses FROM lists") for line in loads(lines)
        ]
    if phase.endswith("before an opening"):
        written_unheard(far, len(steps) + 1)
    elsewhere = house.elsewhere(str(tmp_path / "elsewhere"))
    closed = elsewhere.rows("SELECT status FROM turns")
    house.model_plans(HELLO)
    later = house.ask("hello again")
    once = everything(house)
    with outbox(house) as file:
        file.execute("INSERT INTO endings VALUES (?, ?, ?, ?)", *kept)

    turn = house.turns()[0]
    assert (asked.status, asked.steps) == (status, steps)
    assert len([notice for notice in asked.of(Notice) if notice.text.startswith(KEPT)]) == 1
    assert closed == [("interrupted",)]
    assert (turn["status"], turn["reply"]) == (status[0], reply)
    assert [(step["action"], step["state"]) for step in turn["steps"]] == steps
    assert later.of(Unsure) == []
    assert all(text in house.prompts[-1] for text in (reply, *(s["outcome"] for s in turn["steps"])))
    assert listed == (["r2"] if "[1]" in reply else [])
    assert len(house.desktop.opened) == steps.count(OPENED)
    assert everything(house) == once
    with outbox(house) as file:
        assert file.execute("SELECT * FROM endings").fetchall() == []


def test_an_end_that_the_server_refuses_or_another_is_to_have_holds_up_no_other(house):
    ending = "UPDATE turns SET status = 'done', reply = ?, usage = '{}' WHERE id = ?"

    async def work(store):
        turns = [await store.history.begin(thread, "hello") for thread in ("a", "b", "c")]
        for turn, sql in zip(turns, (ending, "SELECT no_such_column WHERE ? = ?", ending), strict=True):
            await store.outbox.endings.keep(store.database.name, turn, [(sql, "Hello.", turn.id)])
        other = await store.history.begin("d", "hello")
        await store.outbox.endings.keep("another server", other, [(ending, "Hello.", other.id)])
        await store.outbox.deliver(store.database)
        rows = await store.database.run("SELECT thread, status, reply FROM turns ORDER BY thread")
        find = "SELECT thread FROM endings"
        left = await store.outbox.database.run(find)
        await store.delete("b")
        return rows, left, await store.outbox.database.run(find)

    rows, left, after = house.kept(work)

    assert rows == [("a", "done", "Hello."), ("b", "open", ""), ("c", "done", "Hello."), ("d", "open", "")]
    assert (left, after) == ([("b",), ("d",)], [("d",)])
