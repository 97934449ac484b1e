"""clear_db.py: shows what it would delete, asks, refuses while a turn is alive, and leaves nothing."""

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
COMMAND = [sys.executable, "-P", str(SCRIPT)]


def environment_of(shell):
    kept = {name: shell.environment[name] for name in ["DATABASE_URL"] if name in shell.environment}
    own = {"PATH": os.environ["PATH"], "JARVIS_HOME": str(shell.home / "jarvis")}
    return own | kept | {"PYTHONPATH": str(SCRIPT.parent)}


def clear(shell, *argv, stdin=""):
    how = {"env": environment_of(shell), "input": stdin, "capture_output": True, "text": True}
    return subprocess.run([*COMMAND, *argv], check=False, **how)


@pytest.fixture
def talked(shell):
    """Two threads with a turn each, and a list with one thing that is left on it."""

    async def write(store):
        for thread in ("one", "two"):
            turn = await store.history.begin(thread, "tell me a secret")
            await store.history.end(turn, "done", "Hello from a secret.")
        lists = lists_in(store.database)
        gift = Item("a secret gift", {}, now=Seen(0.0, dollars("129.00")))
        (item, _), (removed, _) = await lists.add_all("wishlist", [gift, Item("a secret of before", {})])
        await lists.remove(removed)
        await lists.note_price(item, Seen(1.0, dollars("135.00")))

    shell.kept(write)
    return shell


def threads(shell):
    return {thread["id"] for thread in shell.json("threads", "list")}


def is_on_disk(shell, word):
    return any(word in path.read_bytes() for path in (shell.home / "jarvis").rglob("*") if path.is_file())


def as_30_seconds_later(shell):
    """Have nobody hold a thread any more who died: on Postgres that takes as long."""
    shell.kept(lambda store: store.database.run("UPDATE leases SET until = 1"))


@BOTH
def test_a_thread_is_deleted_or_everything_and_no_word_of_it_stays_on_disk(talked):
    one = clear(talked, "two", "--yes")
    assert (one.returncode, threads(talked)) == (0, {"one"})
    assert "This deletes the thread two with 1 turn," in one.stdout

    everything = clear(talked, "--yes")
    assert "1 thread, 1 turn, 0 steps, 0 addresses, 1 thing of your lists," in everything.stdout
    assert (threads(talked), is_on_disk(talked, b"secret")) == (set(), False)
    assert talked.kept(lambda store: store.database.run("SELECT id FROM items")) == []


@BOTH_IF_LONG
def test_it_refuses_while_a_turn_is_alive_and_not_where_one_died(talked):
    talked.gemini.plans(Stall(20))
    with talked.program().start("-t", "one", "hello"):
        wait_until(lambda: talked.gemini.requests)
        done = clear(talked, "--yes")
        assert (done.returncode, threads(talked)) == (1, {"one", "two"})
        assert "A request is under way in the conversation one" in done.stderr

    as_30_seconds_later(talked)
    assert (clear(talked, "--yes").returncode, threads(talked)) == (0, set())


@BOTH
def test_words_that_a_crash_left_in_flight_go_with_their_thread_and_your_lists_stay(talked):
    talked.gemini.plans(Stall(20))
    with talked.program().start("-t", "one", "whisper of something") as running:
        wait_until(lambda: talked.gemini.requests)
        running.send(9)
        running.finish()
    as_30_seconds_later(talked)

    assert talked.jarvis("threads", "delete", "-y", "one").status == 0
    assert (is_on_disk(talked, b"whisper"), threads(talked)) == (False, {"two"})
    left = talked.kept(lambda store: lists_in(store.database).items())
    assert [item.title for item in left] == ["a secret gift"]


@pytest.mark.parametrize("typed", ["yes\r", "y\r", "\r"])
def test_on_a_terminal_only_a_typed_yes_deletes(talked, typed):
    is_yes = typed == "yes\r"
    with talked.program().start("threads", "delete", "one", tty=True) as running:
        running.wait_for("Type yes")
        running.write(typed.encode())
        done = running.finish()
    with on_terminal(COMMAND, environment_of(talked)) as running:
        left = threads(talked)
        running.wait_for("Type yes")
        running.write(typed.encode())
        running.finish()

    assert b"Delete the conversation one (1 request)?" in done.screen
    assert (done.status, b"Deleted one (1 request)." in done.screen) == ((0, True) if is_yes else (4, False))
    assert (left, threads(talked)) == (({"two"}, set()) if is_yes else ({"one", "two"}, {"one", "two"}))


@pytest.mark.parametrize(("how", "tty"), [([], False), (["--json"], True)], ids=["a pipe", "--json"])
def test_where_nobody_can_be_asked_nothing_is_deleted_without_a_yes(talked, how, tty):
    done = talked.jarvis("threads", "delete", "one", *how, tty=tty)
    cleared = clear(talked, stdin="yes\n")

    told = done.stderr + done.stdout + done.screen.decode()
    assert (done.status, cleared.returncode) == (3, 4)
    assert "Delete the conversation one (1 request)? Nothing deleted: can't ask without a terminal." in told
    assert "jarvis threads delete -y one" in told
    assert "Nothing was deleted" in cleared.stderr
    assert threads(talked) == {"one", "two"}
