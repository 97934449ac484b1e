"""A Postgres that goes away, comes back, refuses or is full: one clear line, and nothing lost or doubled."""

import asyncio
import signal
import time

import pytest

from jarvis.config.settings import read_settings
from jarvis.core.errors import SettingsError, StoreFailed
from jarvis.store.open import open_store
from tests.house import House
from tests.shell import Shell, wait_until
from tests.twins.gemini import Stall

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture
def house(tmp_path, gemini, serpapi, url):
    return House(tmp_path, gemini, serpapi, url)


def hung_up_on(server):
    hung_up = server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid != pg_backend_pid() AND application_name LIKE 'jarvis%'"
    )
    return len(hung_up) > 0


def test_what_it_refuses_is_told_as_a_setting_that_is_wrong_without_the_password(house, own):
    host = f"?host={own.root}"
    refused = {
        f"postgresql://nobody-here@/postgres{host}": "nobody-here",
        f"postgresql://postgres:hunter22@/no_such_database{host}": "no_such_database",
        "postgresql://me:hunter22@b@h/db": "Can't read DATABASE_URL",
        "postgresql://me:hunter22@h/db?schema=x": "Postgres does not know: schema",
        own.url(options="-csearch_path=nonesuch"): "search_path",
    }
    for url, said in refused.items():
        house.environment["DATABASE_URL"] = url

        with pytest.raises(SettingsError, match=said) as failure:
            house.ask("hello")

        assert failure.value.exit_status == 78
        assert "hunter22" not in f"{failure.value.message} {failure.value.hint}"


def test_one_that_may_not_be_written_to_is_told_so(house):
    house.rows("SELECT 1")  # its tables are there
    house.environment["DATABASE_URL"] += "%20-cdefault_transaction_read_only%3Don"

    with pytest.raises(StoreFailed, match="read-only") as failure:
        house.ask("hello")

    assert "may write" in failure.value.hint
    assert house.cost == (0, 0)


def test_many_that_start_at_once_set_it_up_once(own, url, tmp_path):
    async def start(n):
        from jarvis.agent.graph import savers_for

        settings = read_settings({"JARVIS_HOME": str(tmp_path / str(n)), "DATABASE_URL": url})
        async with open_store(settings) as store, savers_for(store.database, "") as savers:
            await store.history.begin("default", f"from {n}")
            return [each async for each in savers.make().alist(None)]

    async def start_all():
        return await asyncio.gather(*(start(n) for n in range(6)))

    assert asyncio.run(start_all()) == [[]] * 6
    assert own.execute("SELECT count(*), max(n) FROM turns", url=url) == [(6, 6)]
    assert own.execute("SELECT count(*) FROM jarvis_format", url=url) == [(1,)]


# It is not ours alone: other programs' tables, other processes, people who press Ctrl-C.


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


@pytest.mark.parametrize("table", ["jarvis_format (version INTEGER)", "threads (id INTEGER, title TEXT)"])
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
