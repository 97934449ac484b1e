"""LangGraph's own suite for checkpointers, on both of them as we wrap them."""

from __future__ import annotations

import asyncio

from langgraph.checkpoint.conformance import checkpointer_test, validate

from jarvis.agent.checkpoints import in_file
from jarvis.agent.checkpoints_postgres import in_postgres
from jarvis.store.postgres import Postgres

BASE = {"put", "put_writes", "get_tuple", "list", "delete_thread"}


def failures(factory, capabilities):
    report = asyncio.run(validate(factory, capabilities=capabilities))
    results = report.to_dict()["results"]
    assert {name for name, result in results.items() if result["detected"]} >= capabilities, results
    return {name: result["failures"] for name, result in results.items() if result["failures"]}


def test_the_one_in_a_file_conforms(tmp_path):
    @checkpointer_test(name="file")
    async def file():
        async with in_file(str(tmp_path / "inflight.db")) as saver:
            yield saver

    assert failures(file, BASE) == {}


def test_the_one_in_postgres_conforms(postgres):
    urls = []

    @checkpointer_test(name="postgres")
    async def server():
        urls.append(postgres.schema())
        database = Postgres(urls[-1], patience=1)
        await database.open()
        yield await in_postgres(database)
        await database.close()

    assert failures(server, BASE | {"prune"}) == {}
    assert len(urls) == 6
    for url in urls:
        postgres.drop(url)
