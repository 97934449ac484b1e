"""Plain commands beside a Postgres: they never wait for it, and the next session brings them there."""

import asyncio
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.events import TableShown
from jarvis.core.follow_ups import apply_follow_up
from jarvis.core.tables import FollowUp, Table
from jarvis.core.types import Address, Found
from jarvis.store.addresses import tables_in
from jarvis.store.open import open_store
from jarvis.store.outbox import server_of
from tests.shell import Shell, wait_until
from tests.steps import keep_found, start_step, taken
from tests.store.test_answers import QUESTION, URL, unanswered
from tests.tabled import COLUMNS, product

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture
def database_url(url):
    return url


def turns(shell, *more):
    return shell.json("threads", "show", *more)


def test_a_plain_command_does_not_ask_the_server(shell):
    """One that takes every connection and never answers would be waited for."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(0.2)
        url = f"postgresql://me@127.0.0.1:{silent.getsockname()[1]}/db"
        done = shell.jarvis("open", "a.example", environment={"DATABASE_URL": url})

        assert (done.status, done.stdout) == (0, "https://a.example\n")
        with pytest.raises(TimeoutError):
            silent.accept()


@pytest.fixture
def stored(tmp_path, database_url):
    """What does its work on an open store."""
    settings = read_settings({"JARVIS_HOME": str(tmp_path), "DATABASE_URL": database_url})

    def run(work):
        async def opened_work():
            async with open_store(settings) as store:
                return await work(store)

        return asyncio.run(opened_work())

    return run


async def plain(store, words="open a.example", *typed, **more):
    """Begin and end a plain command."""
    turn = await store.outbox.begin("default", words, typed, **more)
    await store.outbox.end(turn, "done", "Sent.")


def test_what_was_delivered_already_is_not_delivered_twice(stored):
    """A crash between the delivery and its note here: the same parcel comes again."""

    async def work(store):
        await plain(store)
        await store.outbox.deliver(store.database)
        first = await store.database.run("SELECT id, n FROM turns")
        await store.outbox.database.run(
            "INSERT INTO turns (id, thread, n, goal, status, started_at)"
            " VALUES (?, 'default', 1, 'open a.example', 'done', 1)",
            first[0][0],
        )
        bind = "INSERT INTO destinations VALUES (?, ?)"
        await store.outbox.database.run(bind, first[0][0], store.outbox.server)
        await store.outbox.deliver(store.database)
        left = await store.outbox.database.run("SELECT count(*) FROM turns")
        return first, await store.database.run("SELECT id, n FROM turns"), left

    first, second, left = stored(work)

    assert first == second != []
    assert left == [(0,)]


def test_what_was_said_piped_in_asked_and_done_is_delivered_with_the_list_as_it_was_shown(stored):
    listed = [Address("r1", "https://a.example/", "A", "", "found", "its host is the name", "A")]

    async def work(store):
        for intent in (["open site Café"], []):
            await plain(store, "open it", material="a mail", intent=intent)
        await store.outbox.keep_list("default", listed)
        await store.outbox.deliver(store.database)
        kept = await store.database.run("SELECT goal, piped, intent, own, reply FROM turns ORDER BY n")
        return kept, (await store.outbox.listed("default"))[0][0]

    kept, line = stored(work)

    assert kept == [
        ("open it", "a mail", '["open site Café"]', 1, "Sent."),
        ("open it", "a mail", "[]", 1, "Sent."),
    ]
    assert line == listed[0]


def test_a_question_with_its_rule_and_reason_is_delivered_under_the_addresses_of_there(stored):
    async def work(store):
        turn = await store.history.begin("default", "earlier", [URL])
        await store.history.end(turn, "done")
        turn = await unanswered(store.outbox)
        await start_step(store.outbox, turn, 1, "open_website", {"address": "u1"}, URL, "rule 7", "Because.")
        await store.outbox.deliver(store.database)
        steps = await store.database.run("SELECT rule, why, arguments FROM steps")
        return turn, steps, await taken(store.database, QUESTION["id"])

    turn, steps, asking = stored(work)

    assert steps == [("rule 7", "Because.", '{"address": "u2"}')]
    assert (asking.id, asking.question) == (turn.id, {**QUESTION, "arguments": {"address": "u2"}})


LIST = Table("product", COLUMNS[:2], tuple(product(f"o{n}", f"Switch {n}", f"{n}.00") for n in (1, 2, 3)))
DEAREST = apply_follow_up(LIST, FollowUp("dearest"))


async def asked(store, history, table, words):
    """Begin and end a turn of *history* that shows *table*."""
    turn = await history.begin("default", words)
    shown = [row.id for row in table.rows]
    await history.end(turn, "done", shown=shown, tables=[TableShown(table, 1)])
    listed = await store.history.listed("default")
    return turn, listed


@pytest.mark.parametrize("is_late", [False, True])
def test_what_was_asked_of_a_list_is_delivered_and_is_no_list_where_a_later_one_was_shown(stored, is_late):
    """Another machine showed the later one: its person counts its lines."""

    async def work(store):
        await asked(store, store.history, LIST, "find a Switch")
        await asked(store, store.outbox, DEAREST, "dearest first")
        if is_late:
            turn = await store.history.begin("default", "find a game")
            await keep_found(store.history, turn, 1, [Found("https://a.example/", "A")])
            await store.history.end(turn, "done", "See [1].", shown=["r1"])
        await store.outbox.deliver(store.database)
        kept = await store.database.run("SELECT tables FROM turns WHERE goal = 'dearest first'")
        return await store.history.listed("default"), kept[0][0]

    (lines, tables), kept = stored(work)

    assert [line.id for line in lines] == (["r1"] if is_late else ["o3", "o2", "o1"])
    assert tables == (() if is_late else (TableShown(DEAREST, 1),))
    assert tables_in(kept) == (TableShown(DEAREST, 1),)


def test_what_is_for_one_server_is_delivered_to_no_other(tmp_path, gemini, serpapi, postgres):
    urls = [postgres.schema(), postgres.schema()]
    shells = [Shell(tmp_path, gemini, serpapi, url) for url in urls]
    for shell, words in zip(shells, ("a.example", "b.example"), strict=True):
        assert shell.jarvis("open", words).status == 0

    goals = [[turn["goal"] for turn in turns(shell)] for shell in (shells[1], shells[0], shells[1])]

    assert goals == [["open b.example"], ["open a.example"], ["open b.example"]]
    for url in urls:
        postgres.drop(url)


SAME = (
    "postgresql://me:secret@db.example:5432/jarvis?sslmode=require",
    "postgres://me@db.example:5432/jarvis",
    "postgresql://me:other@db.example:5432/jarvis?connect_timeout=3",
)
OTHERS = (
    "postgresql://me@db.example/jarvis",
    "postgresql://you@db.example:5432/jarvis",
    "postgresql://me@db.example:5432/another",
    "postgresql://me@elsewhere.example:5432/jarvis",
    "postgresql://me@db.example:5432/jarvis?options=-csearch_path%3Dmine",
    "postgresql:///jarvis?host=/run/postgresql",
    "host=db.example dbname=jarvis user=me password=secret",
    "host=db.example dbname=another user=me password=secret",
)


def test_a_server_is_known_by_its_place_and_not_by_how_one_gets_there():
    places = [server_of(url) for url in (*SAME, *OTHERS)]

    assert len(set(places[: len(SAME)])) == 1
    assert len(set(places)) == 1 + len(OTHERS)
    assert "secret" not in " ".join(places)


def test_a_plain_command_that_was_killed_is_told_and_delivered(shell):
    """Its step had started: whether the browser got the address, nobody knows."""
    (shell.home / "opener").write_text('#!/bin/sh\necho $$ > "$HOME/opener-pid"\nsleep 30\n')
    with shell.program().start("open", "a.example") as running:
        wait_until((shell.home / "opener-pid").exists)
        running.send(signal.SIGKILL)
        running.finish()
    shell.gemini.plans(HELLO)

    done = shell.jarvis("hello")

    assert "It is not known whether this happened: open website https://a.example" in done.stderr
    assert [(t["goal"], t["status"]) for t in turns(shell)] == [
        ("open a.example", "interrupted"),
        ("hello", "done"),
    ]


@pytest.mark.slow
def test_a_server_that_is_down_holds_up_questions_and_not_plain_commands(tmp_path, gemini, serpapi, own, url):
    shell = Shell(tmp_path, gemini, serpapi, url)
    own.stop()
    opened = shell.jarvis("open", "a.example")
    asked = shell.jarvis("hello")
    own.start()
    gemini.plans(HELLO)
    later = shell.jarvis("hello")

    assert (opened.status, opened.stdout) == (0, "https://a.example\n")
    assert asked.status == 69
    assert asked.stderr.count("\n") == 2  # the line and its hint
    assert "can't be reached" in asked.stderr
    assert "DATABASE_URL" in asked.stderr
    assert shell.cost == (1, 0)  # of the later one
    assert later.status == 0
    assert [turn["goal"] for turn in turns(shell)] == ["open a.example", "hello"]


def test_where_history_goes_is_told_before_it_goes_elsewhere_than_before(shell, postgres):
    """Once for each place, without a password; and of a database in which other programs have tables."""
    name = postgres.database()
    shared = postgres.url(name, password="hunter22")
    postgres.execute("CREATE TABLE invoices (n INTEGER)", url=shared)
    theirs, file = {"DATABASE_URL": shared}, {"DATABASE_URL": ""}
    shell.gemini.plans(*[{"action": "reply", "text": "Hello.", "finish": True}] * 7)
    told = []
    for place in ({}, {}, theirs, theirs, file, file, {}):
        shell.jarvis("open", "a.example", environment=place)
        done = shell.jarvis("hello", environment=place)
        told += [line.partition("history goes to ")[2] for line in done.stderr.splitlines()]
        assert "hunter22" not in done.stderr
    server = f"Postgres (local, {name}), where other programs have tables too."
    assert told == [server, f"{shell.home}/jarvis/data/history.db.", "Postgres (local, postgres)."]


def test_who_shares_tables_is_told_so_once(shell, tmp_path, gemini, serpapi, database_url):
    (tmp_path / "bo").mkdir()
    other = Shell(tmp_path / "bo", gemini, serpapi, database_url)
    gemini.plans(*[HELLO] * 6)

    told = [who.jarvis("hello").stderr for who in (shell, other, shell, other, shell)]

    assert [" is shared with " in each for each in told] == [False, True, True, False, False]
    assert f":{shell.home}/jarvis/data. Unless that is you, they can read" in told[1]


def test_sessions_that_come_to_another_place_at_once_all_come(shell):
    file = Path(shell.settings.folders.server)

    def at_once(_):
        return shell.kept(lambda store: store.threads.all())

    with ThreadPoolExecutor(4) as four:
        for _ in range(8):
            file.unlink(missing_ok=True)
            assert list(four.map(at_once, range(4))) == [[]] * 4

    assert file.read_text()
