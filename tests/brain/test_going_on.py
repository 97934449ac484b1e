"""A brain that dies or hangs in the middle of a turn: another goes on with it, and only the time tells.

Where it may die is swept in test_gone_on.py, in one process; here real ones are killed.
"""

import json
import os
import signal

import pytest

from jarvis.brain.protocol import Tell, encode
from jarvis.core.events import TurnEnded
from tests.brain.brains import FIRST, HELLO, MIT, MUNICH, READY, SEARCH, Impostor, Resident
from tests.person import CTRL_C
from tests.shell import alive, wait_until
from tests.twins.gemini import GeminiTwin, Stall
from tests.twins.serpapi import SerpApiTwin

pytestmark = pytest.mark.slow
FIND = "find the MIT website and open it"


class Mortal(Resident):
    """A home whose brains are killed as a script has it."""

    killed = 0

    def kill(self, number=signal.SIGKILL):
        for pid in self.brains:
            os.kill(pid, number)
            self.killed += 1
            if number == signal.SIGKILL:
                wait_until(lambda pid=pid: not alive(pid))

    def dies(self, _asked):
        """A step of a script."""
        self.kill()
        return Stall()

    def is_told_to_end(self, _asked):
        self.kill(signal.SIGTERM)
        return Stall()


@pytest.fixture(scope="module")
def _mortal(tmp_path_factory):
    with GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        home = Mortal(tmp_path_factory.mktemp("home"), gemini, serpapi)
        yield home
        home.stop()


@pytest.fixture
def mortal(_mortal):
    """A home with a brain, which the test kills."""
    if not _mortal.brains:
        _mortal.start_brain()
    (_mortal.home / "opened").unlink(missing_ok=True)
    _mortal.killed = 0
    yield _mortal
    assert _mortal.killed
    assert _mortal.gemini.unexpected == _mortal.serpapi.unexpected == []


def blocking(home):
    """Have the opener wait for somebody to write to what is returned."""
    blocks, opener = home.home / "blocks", home.home / "opener"
    if not blocks.exists():
        os.mkfifo(blocks)
    before = opener.read_text()
    opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> {home.home}/opened\ncat {blocks} > /dev/null\n')

    def let_go():
        opener.write_text(before)
        wait_until(opens)

    def opens():
        try:
            os.close(os.open(blocks, os.O_WRONLY | os.O_NONBLOCK))
        except OSError:  # it does not read yet
            return False
        return True

    return let_go


@pytest.mark.parametrize(
    "dying",
    [
        [SEARCH, 1, FIRST],  # after the search
        [SEARCH, 0, FIRST],  # by SIGTERM
    ],
    ids=["after the search", "told to end"],
)
def test_that_it_died_is_not_noticed(mortal, request, dying):
    thread, before = request.node.callspec.id.replace(" ", "-"), len(mortal.serpapi.requests)
    mortal.search_finds(MIT)
    ends = {1: mortal.dies, 0: mortal.is_told_to_end}
    mortal.gemini.plans(*[ends[plan] if plan in (0, 1) else plan for plan in dying])

    done = mortal.jarvis("-t", thread, FIND, timeout=60)

    assert (done.status, done.stdout, done.stderr) == (0, f"{MIT}\n", "")
    assert len(mortal.serpapi.requests) - before == 1
    assert_opened_once(mortal, thread)


def assert_opened_once(home, thread, url=MIT):
    assert home.opened == [url]
    (turn,) = home.turns(thread)
    assert turn["status"] == "done"
    assert [(each["action"], each["state"]) for each in turn["steps"]] == [
        ("search", "done"),
        ("open_website", "done"),
    ]


def test_a_desktop_that_is_at_work_is_waited_for_and_counts(mortal):
    let_go = blocking(mortal)
    mortal.search_finds(MIT)
    mortal.gemini.plans(SEARCH, FIRST)

    with mortal.program().start("--json", "-t", "at-work", FIND) as running:
        wait_until(lambda: mortal.opened)
        mortal.kill()
        wait_until(lambda: mortal.brains)  # another one, which waits
        let_go()
        done = running.finish()

    told = json.loads(done.stdout)
    assert (done.status, told["status"], told["thread"]) == (0, "done", "at-work")
    assert told["reply"] in (f"Sent {MIT} to your browser.", f"Your browser is starting: {MIT}")
    assert_opened_once(mortal, "at-work")


def test_ctrl_c_ends_waiting_for_the_desktop_and_tells_what_it_was_at(mortal):
    let_go = blocking(mortal)
    mortal.search_finds(MIT)
    mortal.gemini.plans(SEARCH, FIRST)

    with mortal.program().start("-t", "given-up", FIND, tty=True) as running:
        wait_until(lambda: mortal.opened)
        mortal.kill()
        running.wait_for("another one goes on")
        running.write(CTRL_C.encode())
        done = running.finish()
    let_go()

    said = " ".join(done.screen.decode().split())
    assert done.status == 130
    assert f"It is not known whether this happened: open website {MIT}" in said
    assert "jarvis threads show given-up" in said


def test_an_answer_is_asked_for_once(mortal):
    """Whether it died before they answered or after: the question that stands stays."""
    mortal.search_finds(MUNICH)
    mortal.gemini.plans(SEARCH, FIRST, FIRST)

    with mortal.program().start("-t", "asking", "find the ticket shop and open it", tty=True) as running:
        running.wait_for("? details")
        mortal.kill()
        running.write(b"y\n")
        done = running.finish()

    assert done.status == 0
    assert done.screen.count(b"Open this site?") == 1
    assert_opened_once(mortal, "asking", MUNICH)


def test_what_is_on_stdout_is_there_once_whenever_the_first_one_died(home):
    """It has printed all it had to, and dies just before it would have said that this was the end."""
    impostor = Impostor(home)
    home.gemini.plans(HELLO)
    with home.program().start("-t", "once", "--json", "what is all this?") as running:
        client, _ = impostor._socket.accept()
        with client, client.makefile("rb") as heard:
            client.sendall(READY)
            heard.readline()
            client.sendall(encode(Tell.of(TurnEnded("done", 0, {}))))
            impostor.close()
        done = running.finish()

    assert done.status == 0
    assert home.brains
    (said,) = done.stdout.splitlines()
    assert json.loads(said)["reply"] == "Hello."


def test_one_that_hangs_is_given_up(mortal):
    mortal.search_finds(MIT)

    def hangs(_asked):
        mortal.kill(signal.SIGSTOP)
        return Stall()

    mortal.gemini.plans(SEARCH, hangs, FIRST)
    done = mortal.jarvis("-t", "hangs", FIND, timeout=60)

    assert (done.status, done.stdout, done.stderr) == (0, f"{MIT}\n", "")
    assert_opened_once(mortal, "hangs")
