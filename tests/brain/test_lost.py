"""A brain that died or hangs: the next request has another. In the middle of one: test_going_on.py."""

from __future__ import annotations

import os
import signal

import pytest

from tests.brain.brains import HELLO
from tests.cli.test_program import alive
from tests.shell import wait_until

pytestmark = pytest.mark.slow


def test_after_a_brain_was_killed_the_next_request_has_a_fresh_one(home):
    first = home.start_brain()
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not alive(first))
    assert list(home.runtime.glob("*.sock"))  # a stale one
    second = home.start_brain()

    assert second != first


def test_a_brain_that_hangs_is_replaced_before_anything_was_asked(home):
    first = home.start_brain()
    os.kill(first, signal.SIGSTOP)
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", timeout=60)

    assert (done.status, done.stdout) == (0, "Hello.\n")
    assert not alive(first)
    assert len(home.gemini.requests) == 2
