"""A Postgres that is not ours alone: other programs' tables, other processes, people who press Ctrl-C."""

from __future__ import annotations

import asyncio
import signal
import time

import pytest

from jarvis.core.errors import SettingsError
from jarvis.store.postgres import Postgres
from tests.house import House
from tests.shell import Shell, wait_until
from tests.twins.gemini import Stall

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture
def house(tmp_path, gemini, serpapi, url):
    return House(tmp_path, gemini, serpapi, url)


def test_what_was_under_way_is_deleted_with_its_thread_and_nothing_else(house, own, url):
    house.model_plans(HELLO, HELLO)
    house.ask("hello")
    house.ask("hello", thread="other")
    rows = own.execute("SELECT id, thread FROM turns", url=url)
    for turn in ("theirs", *(id_ for id_, _ in rows)):
        own.execute("INSERT INTO checkpoints VALUES (%s, '', 'c', NULL, NULL, '{}', '{}')", turn, url=url)

    deleted = [house.kept(lambda store: store.delete("default")) for _ in range(2)]

    kept = {row[0] for row in own.execute("SELECT thread_id FROM checkpoints", url=url)}
    assert deleted == [1, 0]
    assert kept == {"theirs", *(id_ for id_, thread in rows if thread == "other")}


@pytest.mark.parametrize("table", ["schema_version (version INTEGER)", "threads (id INTEGER, title TEXT)"])
def test_tables_of_another_program_are_told_and_left_as_they_are(house, own, url, table):
    own.execute(f"CREATE TABLE {table}", url=url)
    look = (
        "SELECT relname, attname FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid"
        " WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND attnum > 0"
    )
    before = own.execute(look, url=url)

    with pytest.raises(SettingsError, match=table.split()[0]) as failure:
        house.ask("hello")

    assert "schema of its own" in failure.value.hint
    assert own.execute(look, url=url) == before


def test_who_waits_for_a_thread_keeps_no_transaction_open_meanwhile(own, url):
    """Behind a pooler, that would be a server connection that those at work need."""

    async def work():
        databases = [Postgres(url, 5), Postgres(url, 5)]
        for database in databases:
            await database.open()
        one, other = databases
        taken = [await one.lock("default"), await other.lock("default")]
        open_ = own.execute(OPEN_TRANSACTIONS)
        await taken[0].aclose()
        taken.append(await other.lock("default"))
        for end in (taken[2].aclose(), *(database.close() for database in databases)):
            await end
        return [bool(lock) for lock in taken], open_

    assert asyncio.run(work()) == ([True, False, True], [(1,)])


OPEN_TRANSACTIONS = (
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE state = 'idle in transaction' AND application_name LIKE 'jarvis%'"
)


def test_ctrl_c_is_heard_while_the_database_is_away(tmp_path, gemini, serpapi, own, url):
    shell = Shell(tmp_path, gemini, serpapi, url)
    gemini.plans(Stall(30))
    with shell.program().start("hello") as running:
        wait_until(lambda: gemini.requests)
        own.stop()
        try:
            before = time.monotonic()
            running.send(signal.SIGINT)
            done = running.finish(40)
            seconds = time.monotonic() - before
        finally:
            own.start()

    assert done.status == 130
    assert seconds < 20, "it was given the whole patience"
