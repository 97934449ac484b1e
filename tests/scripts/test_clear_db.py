"""clear_db.py: shows what it would delete, asks, refuses while a turn is alive, and leaves nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jarvis.packs.shop.keep import Item, Seen, lists_in
from tests.conftest import BOTH, BOTH_IF_LONG
from tests.running import on_terminal
from tests.shell import wait_until
from tests.tabled import dollars
from tests.twins.gemini import Stall

SCRIPT = Path(__file__).parents[2] / "clear_db.py"
HELLO = {"action": "reply", "text": "Hello from a secret.", "finish": True}


def environment_of(shell):
    environment = {"PATH": os.environ["PATH"], "JARVIS_HOME": str(shell.home / "jarvis")}
    database = {name: shell.environment[name] for name in ["DATABASE_URL"] if name in shell.environment}
    return {**environment, **database, "PYTHONPATH": str(SCRIPT.parent)}


def clear(shell, *argv, stdin=""):
    return subprocess.run(
        [sys.executable, "-P", str(SCRIPT), *argv],
        env=environment_of(shell),
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def talked(shell):
    """Two threads with a turn each, as turns leave them."""

    async def write(store):
        for thread in ("one", "two"):
            turn = await store.history.begin(thread, "tell me a secret")
            await store.history.end(turn, "done", HELLO["text"])

    shell.kept(write)
    return shell


def threads(shell):
    return {thread["id"] for thread in shell.json("threads", "list")}


@BOTH
def test_one_thread_is_deleted(talked):
    done = clear(talked, "one", "--yes")

    assert done.returncode == 0, done
    assert "This deletes the thread one with 1 turn," in done.stdout
    assert threads(talked) == {"two"}


@BOTH
def test_everything_is_deleted_and_no_word_of_it_stays_on_disk(talked):
    talked.gemini.plans(HELLO)
    talked.jarvis("-t", "one", "tell me another secret")

    done = clear(talked, "--yes")

    assert "2 threads, 3 turns, 0 steps, 0 addresses" in done.stdout
    assert threads(talked) == set()
    left = b"".join(path.read_bytes() for path in (talked.home / "jarvis").rglob("*") if path.is_file())
    assert b"secret" not in left


@BOTH
def test_your_own_lists_outlive_a_thread_and_nothing_else(talked):
    async def keep(store):
        lists = lists_in(store.database)
        gift = Item("a secret gift", {}, now=Seen(0.0, dollars("129.00")))
        before = Item("a secret of before", {})
        (item, _), (removed, _) = await lists.add_all("wishlist", [gift, before])
        await lists.remove(removed)
        await lists.note_price(item, Seen(1.0, dollars("135.00")))

    talked.kept(keep)

    deleted = talked.jarvis("threads", "delete", "-y", "one")
    left = talked.kept(lambda store: lists_in(store.database).items())
    done = clear(talked, "--yes")

    assert (deleted.status, deleted.stderr) == (0, "")
    assert [item.title for item in left] == ["a secret gift"]
    assert "1 thread, 1 turn, 0 steps, 0 addresses, 1 thing of your lists," in done.stdout
    assert talked.kept(lambda store: store.database.run("SELECT id FROM items")) == []
    files = (path.read_bytes() for path in (talked.home / "jarvis").rglob("*") if path.is_file())
    assert b"secret" not in b"".join(files)


def test_without_a_terminal_and_without_yes_nothing_is_deleted(talked):
    done = clear(talked, stdin="yes\n")

    assert done.returncode == 4
    assert "Nothing was deleted" in done.stderr
    assert threads(talked) == {"one", "two"}


@pytest.mark.parametrize(
    ("answer", "left"), [(b"yes\r", set()), (b"y\r", {"one", "two"}), (b"\r", {"one", "two"})]
)
def test_on_a_terminal_only_a_typed_yes_deletes(talked, answer, left):
    with on_terminal([sys.executable, "-P", str(SCRIPT)], environment_of(talked)) as running:
        running.wait_for("Type yes")
        running.write(answer)
        running.finish()

    assert threads(talked) == left


@BOTH_IF_LONG
def test_it_refuses_while_a_turn_is_alive(talked):
    talked.gemini.plans(Stall(20))
    with talked.program().start("-t", "one", "hello"):
        wait_until(lambda: talked.gemini.requests)
        done = clear(talked, "--yes")

        assert done.returncode == 1
        assert "A turn is under way in the thread one" in done.stderr
    assert threads(talked) == {"one", "two"}


@BOTH_IF_LONG
def test_a_turn_that_died_does_not_stand_in_the_way(talked):
    talked.gemini.plans(Stall(20))
    with talked.program().start("-t", "one", "hello") as running:
        wait_until(lambda: talked.gemini.requests)
        running.send(9)
        running.finish()

    assert clear(talked, "--yes").returncode == 0
    assert threads(talked) == set()


@pytest.mark.parametrize(
    ("typed", "left"), [("yes\r", {"two"}), ("y\r", {"one", "two"}), ("\r", {"one", "two"})]
)
def test_on_a_terminal_a_thread_is_deleted_once_yes_is_typed(talked, typed, left):
    with talked.program().start("threads", "delete", "one", tty=True) as running:
        running.wait_for("Type yes")
        running.write(typed.encode())
        done = running.finish()

    assert b"This deletes the thread one with 1 turn." in done.screen
    assert (b"Deleted one: 1 turn." in done.screen) == (left == {"two"})
    assert done.status == (0 if left == {"two"} else 4)
    assert threads(talked) == left


@pytest.mark.parametrize(("how", "tty"), [([], False), (["--json"], False), (["--json"], True)])
def test_where_nobody_can_be_asked_nothing_is_deleted_without_a_yes(talked, how, tty):
    done = talked.jarvis("threads", "delete", "one", *how, tty=tty)

    told = done.stderr + done.stdout + done.screen.decode()
    assert done.status == 3
    assert "This deletes the thread one with 1 turn. Nothing was deleted: there is nobody to ask." in told
    assert "jarvis threads delete -y one" in told
    assert threads(talked) == {"one", "two"}


@BOTH
def test_words_that_a_crash_left_in_flight_are_deleted_with_their_thread(talked):
    talked.gemini.plans(Stall(20))
    with talked.program().start("-t", "one", "whisper of something") as running:
        wait_until(lambda: talked.gemini.requests)
        running.send(9)
        running.finish()
    talked.kept(lambda store: store.database.run("UPDATE leases SET until = 1"))  # as 30 s later

    assert talked.jarvis("threads", "delete", "-y", "one").status == 0

    left = b"".join(path.read_bytes() for path in (talked.home / "jarvis").rglob("*") if path.is_file())
    assert b"whisper" not in left
    assert threads(talked) == {"two"}
