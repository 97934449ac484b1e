"""Ctrl-C, and clients that are killed: the brain stays, and nothing is done that was not said."""

import signal
import time

import pytest

from jarvis.store.database import file_lock, run_sync
from tests.brain.brains import FIRST, LONG, MUNICH, SEARCH, in_thread
from tests.person import CTRL_C
from tests.shell import wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow


def test_ctrl_c_ends_the_turn_and_the_brain_stays(warm):
    asked = len(warm.gemini.requests)
    warm.gemini.plans(Stall())

    with warm.program().start("what is all this?", tty=True) as running:
        wait_until(lambda: len(warm.gemini.requests) == asked + 1)
        before = time.monotonic()
        running.write(CTRL_C.encode())
        done = running.finish()

    assert done.status == 130
    assert time.monotonic() - before < LONG
    assert b"Interrupted." in done.screen
    assert b"hint: " not in done.screen  # nothing was done that could be looked at
    assert_free(warm, "default")


def assert_free(shell, thread):
    """Nobody is at work in *thread*, or not for long any more."""
    deadline = time.monotonic() + LONG
    while not (lock := run_sync(file_lock(str(shell.home / "jarvis" / "state"), thread))):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    run_sync(lock.aclose())


def test_a_client_that_is_killed_in_a_question_has_not_said_yes(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("killed-asking"), tty=True) as running:
        running.wait_for("? details")
        running.send(signal.SIGKILL)
        running.finish()
    assert_free(warm, "killed-asking")

    assert warm.opened == []
    (turn,) = warm.turns("killed-asking")
    assert turn["status"] == "needs_answer"
    assert [step["state"] for step in turn["steps"]] == ["done"]
