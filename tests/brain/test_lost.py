"""A brain that dies or hangs: told in a line, and the next request has another."""

from __future__ import annotations

import os
import signal
import time

import pytest

from jarvis.brain.connection import PATIENCE
from tests.brain.brains import HELLO, LONG
from tests.cli.test_program import alive
from tests.shell import wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow


def test_after_a_brain_was_killed_the_next_request_has_a_fresh_one(home):
    first = home.start_brain()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not alive(first))
    assert list(home.runtime.glob("*.sock"))  # a stale one
    second = home.start_brain()

    assert second != first


def lost(home, number):
    """A request whose brain is sent that signal in the middle: the brain, the result, seconds since then."""
    brain = home.start_brain()
    home.gemini.plans(Stall())
    with home.program().start("what is all this?") as running:
        wait_until(lambda: len(home.gemini.requests) == 2)
        os.kill(brain, number)
        before = time.monotonic()
        done = running.finish()
        return brain, done, time.monotonic() - before


def test_a_brain_that_is_killed_in_the_middle_is_told(home):
    _, done, _ = lost(home, signal.SIGKILL)

    assert done.status == 1
    assert done.stderr.splitlines() == [
        "jarvis: The process that plans and searches has stopped.",
        "  hint: What was done so far is kept. Ask again: a new one is started.",
    ]
    home.start_brain()


def test_a_brain_that_hangs_is_replaced_before_anything_was_asked(home):
    first = home.start_brain()
    os.kill(first, signal.SIGSTOP)
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", timeout=60)

    assert (done.status, done.stdout) == (0, "Hello.\n")
    assert not alive(first)
    assert len(home.gemini.requests) == 2


def test_a_brain_that_hangs_in_the_middle_is_told_within_five_seconds(home):
    brain, done, seconds = lost(home, signal.SIGSTOP)

    assert PATIENCE < 5
    assert seconds < LONG
    assert done.status == 1
    assert "does not answer" in done.stderr
    assert not alive(brain)
