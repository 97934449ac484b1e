"""History in a file of one's own: who may read it, and what becomes of it in bad times."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import pytest
from langgraph.checkpoint.base import empty_checkpoint

from jarvis.agent.graph import savers_for
from jarvis.core.errors import StoreFailed
from jarvis.core.files import try_lock
from jarvis.core.text import digest
from jarvis.store.database import Sqlite
from jarvis.store.history import History
from tests.shell import wait_until

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


def overwritten(file):
    file.write_bytes(b"this is no database" * 1000)


def torn(file):
    """All of its pages but the first two are another's."""
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xa5" * (len(whole) - 8192))


@pytest.mark.parametrize("fault", [overwritten, torn])
def test_a_broken_history_is_told_left_as_it_is_and_moved_away_by_its_hint(house, fault):
    house.model_plans(HELLO, HELLO)
    house.ask("hello")
    file = Path(house.settings.folders.history)
    fault(file)
    broken = file.read_bytes()

    for _ in range(2):
        with pytest.raises(StoreFailed) as failure:
            house.ask("hello again")
    subprocess.run(failure.value.hint.removeprefix("To begin a new one: "), shell=True, check=False)
    asked = house.ask("hello again")

    assert (Path(f"{file}.broken") / "history.db").read_bytes() == broken
    assert asked.status == ("done", 0)
    assert [turn["goal"] for turn in house.turns()] == ["hello again"]


def test_only_what_is_known_to_have_ended_is_swept(tmp_path):
    """What else is kept there may be of a turn that begins just now, or another program's."""

    async def swept():
        history = History(Sqlite(str(tmp_path / "history.db")))
        turn = await history.begin("default", "x")
        await history.end(turn, "done")
        async with savers_for(history.database, str(tmp_path / "inflight.db")) as savers:
            for name in (turn.id, "new"):
                config = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}
                await savers.make().aput(config, empty_checkpoint(), {}, {})
            await savers.sweep(history)
            return [each.config["configurable"]["thread_id"] async for each in savers.make().alist(None)]

    assert asyncio.run(swept()) == ["new"]


@pytest.mark.parametrize("steps", [1, 2])
@pytest.mark.parametrize("when", ["opens", "closes"])
def test_a_turn_may_be_cut_while_its_file_opens_or_closes(tmp_path, monkeypatch, when, steps):
    """The library's own thread must not speak to a loop that is closed by then. steps: of the loop before."""
    faults: list[object] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    history = History(Sqlite(str(tmp_path / "history.db")))
    others = set(threading.enumerate())

    async def cut():
        now = asyncio.Event()

        async def used():
            if when == "opens":
                now.set()
            async with savers_for(history.database, str(tmp_path / "inflight.db")):
                now.set()

        task = asyncio.create_task(used())
        await now.wait()
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):  # or it has closed by then
            await task

    asyncio.run(cut())
    for thread in set(threading.enumerate()) - others:
        thread.join()
    assert faults == []


def test_words_that_a_reader_keeps_on_the_disk_are_told(house):
    house.model_plans(HELLO)
    house.ask("hello")

    async def work(store):
        await store.database.run("UPDATE turns SET goal = 'hello again'")  # so that the log has something
        await store.database.run("PRAGMA busy_timeout = 300")
        with contextlib.closing(sqlite3.connect(store.database.name, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
            with pytest.raises(StoreFailed, match=r"are still in .*-wal") as failure:
                await store.delete("default")
        return failure.value.hint

    assert "then that file is deleted" in house.kept(work)


@pytest.mark.parametrize(
    ("file", "argv", "said"),
    [
        ("history.db", ("open", "a.example"), "https://a.example\n"),
        ("history.db", ("what is all this?",), "Hello.\n"),
        ("inflight.db", ("what is all this?",), "Hello.\n"),
    ],
)
def test_who_comes_as_another_process_makes_the_files_waits_for_it(shell, file, argv, said):
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True, mode=0o700)
    shell.gemini.plans(HELLO)
    with contextlib.closing(sqlite3.connect(data / file, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        with shell.program().start(*argv) as running:
            wait_until(lambda: has_open(running.pid, data / file))
            another.execute("ROLLBACK")
            done = running.finish()

    assert (done.stdout, done.stderr, done.status) == (said, "", 0)
    assert [turn["status"] for turn in shell.turns()] == ["done"]


def has_open(pid, file):
    return file in [link.resolve() for link in Path(f"/proc/{pid}/fd").iterdir()]


@pytest.mark.parametrize("is_first", [True, False])
def test_while_a_plain_command_is_at_it_its_turn_is_neither_closed_nor_deleted(shell, is_first):
    """Nor if another one was at it in the same thread as it began."""
    (shell.home / "opener").write_text('#!/bin/sh\ntouch "$HOME/opening"\nsleep 30\n')
    opening, state = shell.home / "opening", Path(shell.settings.folders.state)
    lock = try_lock(str(state / "locks" / digest("none" if is_first else "default")))
    with shell.program().start("open", "a.example"):
        if not is_first:
            time.sleep(0.5)  # in which it would be opened
            assert not opening.exists()
        os.close(lock)
        wait_until(opening.exists)
        shown = shell.jarvis("threads", "show")
        deleted = shell.jarvis("threads", "delete", "-y", "default")

    assert (shown.stderr, "open" in shown.stdout) == ("", True)
    assert deleted.status == 1
    assert "A request is under way in the conversation default. Nothing was deleted" in deleted.stderr
    assert len(shell.json("threads", "list")) == 1
