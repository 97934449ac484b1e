"""A brain that dies in the middle of a turn: another goes on with it, and nobody notices but by the time."""

from __future__ import annotations

import json
import os
import signal
import time

import pytest

from tests.brain.brains import FIRST, HELLO, MIT, MUNICH, SEARCH, in_thread
from tests.cli.test_program import alive
from tests.shell import wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow
FIND = "find the MIT website and open it"


class Killed:
    """A step of a script: kills the brain that asks, and lets it wait for the answer."""

    def __init__(self, home):
        self._home = home
        self.pids = []

    def __call__(self, _asked):
        for pid in self._home.brains:
            self.pids.append(pid)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: not alive(pid))
        return Stall()


@pytest.fixture
def killed(home):
    home.start_brain()
    before = home.cost
    home.search_finds(MIT)
    step = Killed(home)
    yield step
    assert step.pids
    home.before = before


def assert_done(home, done):
    assert (done.status, done.stdout, done.stderr) == (0, f"{MIT}\n", "")
    assert home.opened == [MIT]
    assert len(home.serpapi.requests) == 1
    turn = home.turns("default")[-1]
    assert turn["status"] == "done"
    assert [(step["action"], step["state"]) for step in turn["steps"]] == [
        ("search", "done"),
        ("open_website", "done"),
    ]
    assert len(home.turns("default")) == 2


@pytest.mark.parametrize("plans", [["kill", SEARCH, FIRST], [SEARCH, "kill", FIRST]], ids=["first", "then"])
def test_one_that_dies_while_the_model_is_asked_is_not_noticed(home, killed, plans):
    home.gemini.plans(*[killed if plan == "kill" else plan for plan in plans])

    assert_done(home, home.jarvis(FIND, timeout=60))
