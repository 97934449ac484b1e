"""A turn in flight: what another brain could go on from is kept, as long as the turn lasts, and no more."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
from types import SimpleNamespace

import psycopg
import pytest

from jarvis.actions import Hands, catalogue, planned
from jarvis.actions.base import Services
from jarvis.agent.checkpoints import checkpointer
from jarvis.agent.graph import build_graph
from jarvis.cli.in_process import OneShot
from jarvis.core.concurrency import run_async
from jarvis.core.errors import ActionFailed
from jarvis.core.events import Acting, Observed, Planned, TurnEnded
from jarvis.packs.open_actions import OpenActions
from jarvis.store.open import opened
from jarvis.turns import build
from jarvis.turns.session import Words
from tests.conftest import BOTH
from tests.twins.gemini import Stall, bad_key
from tests.twins.serpapi import results

FIND = {"action": "search", "query": "x"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}


async def found_by_another(settings):
    """Return the state of the only turn in flight, as another process reads it."""
    async with opened(settings) as store, checkpointer(store.database, settings.folders.inflight) as saver:
        graph = build_graph(Services(), OpenActions(planned(), ()), settings.budgets, saver.durable)
        [turn] = await saver.durable.kept()
        return await graph.aget_state({"configurable": {"thread_id": turn}})


@BOTH
def test_another_process_finds_where_the_model_is_asked_again(house):
    read = []

    def meanwhile(_asked):
        read.append(asyncio.run(found_by_another(house.settings)))
        return OPEN

    house.search_finds("https://a.example/", "https://b.example/")
    house.model_plans(FIND, meanwhile)

    asked = house.ask("find x and open it")

    assert asked.status == ("done", 0)
    [state] = read
    assert state.next == ("planner",)
    assert [(step["plan"]["action"], step["outcome"]["state"]) for step in state.values["steps"]] == [
        ("search", "done")
    ]
    assert [each["url"] for each in state.values["addresses"]] == ["https://a.example/", "https://b.example/"]
    # What is older than the step is there too, though no earlier checkpoint was written.
    assert state.values["goal"] == "find x and open it"
    assert state.values["plan"]["action"] == "search"
    assert (state.values["calls"], len(state.values["tokens"])) == (1, 2)
    assert state.values["intent"]


@BOTH
@pytest.mark.slow
def test_it_is_there_before_the_model_is_asked(house, blocked):
    """However slowly it is written: what a brain that dies in that call had found would be lost."""
    order = []

    def slow(_asked):
        blocked(lambda: order.append("let in"))
        return results([("A", "https://a.example/", "s")])

    def asked_again(_asked):
        order.append("asked")
        return OPEN

    house.serpapi.finds(slow)
    house.model_plans(FIND, asked_again)

    assert house.ask("find x and open it").status == ("done", 0)
    assert order == ["let in", "asked"]


@pytest.fixture
def blocked(house):
    """Keep everybody from writing what is durable for half a second, and then call what it is given."""

    def block(then):
        if house.is_on_a_server:
            theirs = psycopg.connect(house.environment["DATABASE_URL"])
            theirs.execute("LOCK TABLE checkpoints IN EXCLUSIVE MODE")
        else:
            theirs = sqlite3.connect(
                house.settings.folders.inflight, isolation_level=None, check_same_thread=False
            )
            theirs.execute("BEGIN IMMEDIATE")

        def let_in():
            then()
            theirs.close()

        threading.Timer(0.5, let_in).start()

    return block


DIES = ActionFailed("It can't be opened.")


@pytest.mark.parametrize(
    ("words", "plans", "writes"),
    [
        ("hello", [HELLO], 0),
        ("open https://a.example/", [{**OPEN, "address": "u1"}], 0),
        ("find x and open it", [FIND, OPEN], 1),
        ("find x", [FIND, HELLO], 1),
        ("find x and open it", [FIND, {**FIND, "query": "y"}, OPEN], 2),
        ("open https://dies.example/", [{**OPEN, "address": "u1"}, FIND, HELLO], 2),
    ],
)
def test_a_step_is_written_once_where_the_model_is_asked_again(house, words, plans, writes):
    house.desktop.fails["https://dies.example/"] = DIES
    for _ in plans:
        house.search_finds("https://b.example/")
    house.model_plans(*plans)
    said = []

    async def turn():
        async with build.session(house.settings) as session:
            session._parts.saver.durable.conn.set_trace_callback(said.append)
            await session.turn(Words(words), "default", front(house))

    run_async(turn())

    assert len(house.gemini.planning) == len(plans)
    assert sum(sql.startswith("INSERT") for sql in said) == writes
    # Where nothing was written, nothing is asked for.
    assert any(sql.startswith("DELETE") for sql in said) == bool(writes)
    assert bool(said) == bool(writes)


def front(house, tell=lambda event: None):
    return OneShot(
        SimpleNamespace(streams=False, tell=tell), Hands(house.desktop, catalogue()), house._answer
    )


def test_finding_and_opening_writes_little(house):
    urls = [f"https://site-{n}.example/a/page/of/some/length?with=more&n={n}" for n in range(20)]
    house.search_finds(*urls)
    house.search_finds(*urls)
    log = f"{house.settings.folders.inflight}-wal"
    with house.staying():
        house.model_plans(FIND, OPEN, FIND, OPEN)
        house.ask("find x and open it")
        before = os.path.getsize(log)
        house.ask("find x and open it")
        written = os.path.getsize(log) - before

    assert 0 < written <= 120 * 1024


MUNICH = "https://xn--mnchen-3ya.example/"


@pytest.mark.parametrize(
    ("found", "plans", "at", "status"),
    [
        ("https://a.example/", [HELLO], None, "done"),
        ("https://a.example/", [FIND, OPEN], None, "done"),
        ("https://a.example/", [FIND, bad_key()], None, "failed"),
        (MUNICH, [FIND, OPEN], None, "needs_answer"),
        ("https://a.example/", [FIND, Stall()], None, "failed"),  # out of time
        ("https://a.example/", [FIND, OPEN], Planned, "interrupted"),
        ("https://a.example/", [FIND, OPEN], Observed, "interrupted"),
        ("https://a.example/", [FIND, OPEN], Acting, "interrupted"),
    ],
)
@pytest.mark.slow
def test_nothing_of_a_turn_is_left_when_it_has_ended(house, found, plans, at, status):
    """at: the event at which they interrupt it."""
    if isinstance(plans[-1], Stall):
        house.configure("[budgets]\nseconds = 1\n")
    house.search_finds(found)
    house.model_plans(*plans)
    ended = []

    def tell(event):
        if isinstance(event, TurnEnded):
            ended.append(event.status)
        elif at and isinstance(event, at):
            asyncio.current_task().cancel()

    async def turn():
        async with build.session(house.settings) as session:
            saver = session._parts.saver
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.ensure_future(
                    session.turn(Words("find x and open it"), "default", front(house, tell))
                )
            return saver.storage, saver.writes, saver.blobs, saver._written, await saver.durable.kept()

    assert run_async(turn()) == ({}, {}, {}, set(), set())
    assert ended == [status]
