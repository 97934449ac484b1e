"""A Postgres that goes away, comes back, refuses or is full: one clear line, and nothing lost or doubled."""

from __future__ import annotations

import asyncio
import os
import signal
import threading

import psycopg
import pytest

from jarvis.config.settings import read_settings
from jarvis.core.errors import ServiceUnreachable, SettingsError, StoreFailed
from jarvis.core.events import Notice
from jarvis.store.open import opened
from jarvis.store.postgres import Postgres
from tests.house import House
from tests.postgres import Server
from tests.shell import Shell

FIND = {"action": "search", "query": "x"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


@pytest.fixture(scope="module")
def own():
    """A server that may be killed."""
    with Server() as server:
        yield server


@pytest.fixture
def house(tmp_path, gemini, serpapi, own):
    url = own.schema()
    yield House(tmp_path, gemini, serpapi, url)
    own.drop(url)


@pytest.fixture
def shell(house, tmp_path, gemini, serpapi):
    """On the same place."""
    return Shell(tmp_path, gemini, serpapi, house.environment["DATABASE_URL"])


def killed_and_restarted(server):
    before = server.pid
    server.stop(signal.SIGKILL)
    server.start()
    return server.pid != before


def away_for_a_while(server):
    server.stop(signal.SIGINT)
    threading.Timer(2.0, server.start).start()
    return True


def hung_up_on(server):
    hung_up = server.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE pid != pg_backend_pid() AND application_name LIKE 'jarvis%'"
    )
    return len(hung_up) > 0


@pytest.mark.parametrize(
    ("step", "fault"),
    [
        ("plan", killed_and_restarted),
        ("plan", hung_up_on),
        ("search", away_for_a_while),
        ("choose", killed_and_restarted),
        ("choose", away_for_a_while),
        ("open", killed_and_restarted),
        ("open", hung_up_on),
    ],
)
def test_the_turn_goes_on_when_it_is_back(house, own, fault, step):
    """Only the saver of its checkpoint waits for nobody: then what was done is told, and so is the outage."""
    fired = []

    def then(answer):
        def meanwhile(_asked=None):
            fired.append(fault(own))
            return answer

        return meanwhile

    page = {"organic_results": [{"title": "A", "link": "https://a.example/", "snippet": "s"}]}
    house.serpapi.finds(then(page) if step == "search" else page)
    house.model_plans(then(FIND) if step == "plan" else FIND, then(OPEN) if step == "choose" else OPEN)
    if step == "open":
        house.desktop.meanwhile = then(None)

    asked = house.ask("find x and open it")

    assert fired == [True]
    assert asked.status == (("failed", 69) if step == "open" else ("done", 0)), asked.summary["error"]
    assert house.desktop.opened == ["https://a.example/"]
    assert house.cost == (2, 1)
    assert [step["state"] for step in asked.summary["steps"]] == ["done", "done"]
    assert [(t["status"], [s["state"] for s in t["steps"]]) for t in house.turns()] == [
        (asked.status[0], ["done", "done"])
    ]
    assert house.rows("SELECT count(*) FROM checkpoints") == [(0,)]
    away = [notice for notice in asked.of(Notice) if "can't be reached" in notice.text]
    assert len(away) == 0 if fault is hung_up_on else len(away) <= 2


def test_one_that_is_down_at_the_start_is_told_before_anything_is_begun(house, own):
    own.stop()
    try:
        with pytest.raises(ServiceUnreachable, match="can't be reached") as failure:
            house.ask("hello")
    finally:
        own.start()

    assert failure.value.exit_status == 69
    assert "DATABASE_URL" in failure.value.hint
    assert house.cost == (0, 0)
    assert house.rows("SELECT count(*) FROM turns") == [(0,)]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://nobody-here@/postgres", "nobody-here"),
        ("postgresql://postgres@/no_such_database", "no_such_database"),
        ("postgresql://me:a@b@h/db", "can't be read"),
    ],
)
def test_what_it_refuses_is_told_as_a_setting_that_is_wrong(house, own, url, said):
    if url.startswith(("postgresql://nobody", "postgresql://postgres")):
        url = f"{url}?host={own.root}"
    house.environment["DATABASE_URL"] = url

    with pytest.raises(SettingsError, match=said) as failure:
        house.ask("hello")

    assert failure.value.exit_status == 78


def test_tables_that_are_gone_under_a_warm_brain_are_told_and_the_next_one_makes_them_anew(house):
    with house.staying(), psycopg.connect(house.environment["DATABASE_URL"], autocommit=True) as server:
        house.model_plans(HELLO, HELLO)
        house.ask("hello")
        there = server.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        ).fetchall()
        for (name,) in there:
            server.execute(f"DROP TABLE {name}")

        with pytest.raises(StoreFailed, match="does not exist") as told:
            house.ask("hello")
    asked = house.ask("hello again")

    assert {("turns",), ("checkpoints",)} < set(there)
    assert "jarvis brain stop" in told.value.hint
    assert asked.status == ("done", 0)
    assert [turn["goal"] for turn in house.turns()] == ["hello again"]


def test_one_that_may_not_be_written_to_is_told_so(house, own):
    house.rows("SELECT 1")  # its tables are there
    house.environment["DATABASE_URL"] += "%20-cdefault_transaction_read_only%3Don"

    with pytest.raises(StoreFailed, match="read-only") as failure:
        house.ask("hello")

    assert "may write" in failure.value.hint
    assert house.cost == (0, 0)


@pytest.mark.slow
def test_a_disk_that_fills_up_is_told_and_what_was_there_stays(tmp_path, gemini, serpapi):
    """No file of this server may grow beyond two megabytes, as if there were no room."""
    with Server(initdb=("--wal-segsize=1",), largest_file=2 << 20) as server:
        house = House(tmp_path, gemini, serpapi, server.schema())
        house.model_plans(HELLO)
        house.ask("hello")

        async def fill(store):
            for n in range(200):
                await store.history.begin("default", f"{n} {os.urandom(20_000).hex()}")

        with pytest.raises(StoreFailed, match="could not extend file") as failure:
            house.kept(fill)

        server.stop()
        server.largest_file = 0
        server.start()
        turns = house.turns()
    assert failure.value.hint
    assert (turns[0]["goal"], turns[0]["reply"]) == ("hello", "Hello.")
    assert [turn["n"] for turn in turns] == list(range(1, len(turns) + 1))


def test_many_that_start_at_once_set_it_up_once(own, tmp_path):
    url = own.schema()

    async def start(n):
        from jarvis.agent.graph import savers_for

        settings = read_settings({"JARVIS_HOME": str(tmp_path / str(n)), "DATABASE_URL": url})
        async with opened(settings) as store, savers_for(store.database, "") as savers:
            await store.history.begin("default", f"from {n}")
            return [each async for each in savers.make().alist(None)]

    async def start_all():
        return await asyncio.gather(*(start(n) for n in range(6)))

    assert asyncio.run(start_all()) == [[]] * 6
    assert own.execute("SELECT count(*), max(n) FROM turns", url=url) == [(6, 6)]
    assert own.execute("SELECT count(*) FROM schema_version", url=url) == [(1,)]
    own.drop(url)


def test_who_waits_to_set_it_up_keeps_no_index_from_being_built(own, tmp_path):
    """The building of one waits for the end of every transaction that it met in a statement."""
    url = own.schema()
    settings = read_settings({"JARVIS_HOME": str(tmp_path), "DATABASE_URL": url})
    others, done = [], []

    async def build(database):
        async with database.connection() as connection:
            for n in range(200):
                sql = f"CREATE INDEX CONCURRENTLY i{n} ON turns (thread)"
                await asyncio.wait_for(connection.execute(sql), 20)
                if n < 40:
                    others.append(asyncio.create_task(database.alone(set_up)))
        assert not any(other.done() for other in others)

    async def set_up(_):
        done.append(True)

    async def build_while_others_wait():
        async with opened(settings) as store:
            await store.database.alone(lambda _: build(store.database))
            await asyncio.gather(*others)

    asyncio.run(build_while_others_wait())
    assert done == [True] * 40
    own.drop(url)


def test_the_password_is_in_no_message(own, tmp_path):
    url = f"postgresql://postgres:hunter22@/no_such_database?host={own.root}"

    async def start():
        async with opened(read_settings({"JARVIS_HOME": str(tmp_path), "DATABASE_URL": url})):
            raise AssertionError("it opened")

    with pytest.raises(SettingsError) as failure:
        asyncio.run(start())

    assert "hunter22" not in f"{failure.value.message} {failure.value.hint}"


def test_one_that_stops_answering_is_not_waited_for_without_end(house, own):
    """Its connections stay open, and nothing comes: the time for an answer runs out, then it goes on."""
    frozen = []

    def freeze(_asked):
        frozen.extend(own.processes())
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        threading.Timer(7.0, thaw).start()
        return FIND

    def thaw():
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)

    house.search_finds("https://a.example/")
    house.model_plans(freeze, OPEN)

    asked = house.ask("find x and open it")

    assert len(frozen) > 2
    assert asked.status == ("done", 0), asked.summary["error"]
    assert house.desktop.opened == ["https://a.example/"]
    assert any("can't be reached" in notice.text for notice in asked.of(Notice))
    assert [turn["status"] for turn in house.turns()] == ["done"]


def test_one_that_is_given_up_and_many_that_wait_take_no_connection_from_others(own, monkeypatch):
    """The server is well, but for one answer; all connections are in use for longer than one may take."""
    monkeypatch.setattr("jarvis.store.postgres.WAIT", 0.2)
    waits = []

    async def asked(database):
        began = asyncio.get_running_loop().time()
        await database.run("SELECT pg_sleep(0.02)")
        waits.append(asyncio.get_running_loop().time() - began)

    async def work():
        database = Postgres(own.url(), patience=0, most=4)
        slow = database.run("SELECT pg_sleep(2)")
        try:
            return await asyncio.gather(slow, *(asked(database) for _ in range(150)), return_exceptions=True)
        finally:
            await database.close()

    given_up, *others = asyncio.run(work())

    assert isinstance(given_up, ServiceUnreachable)
    assert [outcome for outcome in others if outcome is not None] == []
    assert max(waits) > 0.2


def test_connections_that_were_closed_while_nobody_had_them_cost_one_attempt(own):
    async def work():
        database = Postgres(own.url(), patience=0)
        await asyncio.gather(*(database.run("SELECT pg_sleep(0.1)") for _ in range(6)))
        closed = hung_up_on(own)
        try:
            return closed, await database.run("SELECT 1")
        finally:
            await database.close()

    assert asyncio.run(work()) == (True, [(1,)])


def test_a_turn_whose_time_runs_out_while_it_is_away_says_so(house, own):
    house.configure("[budgets]\nseconds = 3\n")

    def stop(_asked):
        own.stop()
        threading.Timer(6, own.start).start()
        return FIND

    house.search_finds("https://a.example/")
    house.model_plans(stop)

    assert house.ask("find x and open it").status == ("failed", 124)
    assert [turn["status"] for turn in house.turns()] == ["failed"]


@pytest.mark.slow
def test_a_server_that_is_full_is_shared_by_ours_and_waited_for():
    """It has room for three clients: ours need more, and then others have them all."""
    with Server("max_connections=6", "superuser_reserved_connections=3") as server:
        server.execute("CREATE ROLE someone LOGIN")
        url = server.url().replace("postgres@", "someone@")

        async def work():
            database = Postgres(url, patience=45)
            shared = await asyncio.gather(*(database.run("SELECT pg_sleep(0.01)") for _ in range(40)))
            await database.close()
            database, others = Postgres(url, patience=1), [psycopg.connect(url) for _ in range(3)]
            try:
                await database.run("SELECT 1")
            except ServiceUnreachable as error:
                return len(shared), error
            finally:
                await database.close()
                for other in others:
                    other.close()

        answered, error = asyncio.run(work())

    assert answered == 40
    assert "too many" in error.message or "remaining connection slots" in error.message
