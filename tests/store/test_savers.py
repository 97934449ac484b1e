"""LangGraph's own suite for checkpointers: on a turn's own, and on what is durable of it."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path

import psycopg
import pytest
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.conformance import checkpointer_test, validate

from jarvis.agent.checkpoints import InFlight, in_file
from jarvis.agent.checkpoints_postgres import in_postgres
from jarvis.store.postgres import Postgres


def failures(factory, capabilities):
    report = asyncio.run(validate(factory, capabilities=capabilities))
    results = report.to_dict()["results"]
    assert {name for name, result in results.items() if result["detected"]} >= capabilities, results
    return {name: result["failures"] for name, result in results.items() if result["failures"]}


def test_a_turns_own_conforms(tmp_path):
    @checkpointer_test(name="in flight")
    async def in_flight():
        async with in_file(str(tmp_path / "inflight.db")) as saver:
            yield InFlight(saver)

    assert failures(in_flight, {"put", "put_writes", "get_tuple", "list", "delete_thread"}) == {}


def test_the_one_in_a_file_writes_what_can_be_read(tmp_path):
    @checkpointer_test(name="file")
    async def file():
        async with in_file(str(tmp_path / "inflight.db")) as saver:
            yield saver

    assert failures(file, {"put"}) == {}


def test_the_one_in_postgres_writes_what_can_be_read(postgres):
    urls = []

    @checkpointer_test(name="postgres")
    async def server():
        urls.append(postgres.schema())
        database = Postgres(urls[-1], patience=1)
        await database.open()
        yield await in_postgres(database)
        await database.close()

    assert failures(server, {"put"}) == {}
    assert urls
    for url in urls:
        postgres.drop(url)


def test_a_turn_that_is_written_waits_for_no_other_one(postgres):
    """LangGraph's own saver would have it wait: it lets in one call at a time."""
    url = postgres.schema()

    async def written():
        database = Postgres(url, patience=1)
        await database.open()
        saver, checkpoint = await in_postgres(database), empty_checkpoint()

        def write(turn):
            return asyncio.ensure_future(
                saver.aput({"configurable": {"thread_id": turn, "checkpoint_ns": ""}}, checkpoint, {}, {})
            )

        with psycopg.connect(url) as theirs:
            row = ("held up", "", checkpoint["id"], "{}")
            theirs.execute(
                "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint)"
                " VALUES (%s, %s, %s, %s)",
                row,
            )
            held_up = write("held up")
            while not postgres.execute("SELECT 1 FROM pg_locks WHERE NOT granted"):
                assert not held_up.done()
                await asyncio.sleep(0.01)
            await write("another")
            were_waiting = not held_up.done()
            theirs.rollback()
        await held_up
        kept = await saver.kept()
        await database.close()
        return were_waiting, kept

    assert asyncio.run(written()) == (True, {"held up", "another"})
    postgres.drop(url)


def overwritten(path):
    path.write_bytes(b"this is no database" * 1000)


def halved(path):
    """Its log is without the file that it belongs to, and that is another's."""
    path.write_bytes(path.read_bytes()[:5000] + b"\xa5" * 20_000)


@pytest.mark.parametrize("fault", [overwritten, halved, Path.unlink], ids=lambda fault: fault.__name__)
def test_a_file_that_is_broken_or_gone_is_made_anew(house, fault):
    """What it held counted for turns that were under way alone; before a turn and in the middle of one."""
    inflight = Path(house.settings.folders.inflight)
    steps = {"action": "search", "query": "x"}, {"action": "open_website", "address": "r1", "finish": True}

    def breaks(step):
        def planned(_):
            fault(inflight)
            return step

        return planned

    with house.staying():
        for plans in (steps, [breaks(steps[0]), breaks(steps[1])], steps):
            house.search_finds("https://a.example/")
            house.model_plans(*plans)
            assert house.ask("find x and open it").status == ("done", 0)
    fault(inflight)
    house.search_finds("https://a.example/")
    house.model_plans(*steps)
    assert house.ask("find x and open it").status == ("done", 0)

    with contextlib.closing(sqlite3.connect(inflight)) as file:
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
