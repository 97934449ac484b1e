"""One brain for all of a person's requests: started on first need, found again, and left."""

import contextlib
import os
import re
import resource
import sqlite3
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.brain.brains import FIRST, HELLO, MIT, SEARCH, command_of
from tests.conftest import BOTH_IF_LONG
from tests.shell import alive, wait_until
from tests.twins.gemini import Stall

pytestmark = pytest.mark.slow


def test_it_is_started_on_first_need_found_again_told_stopped_and_restarted(home):
    none = home.jarvis("brain", "status")
    home.gemini.plans(HELLO, HELLO, Stall())
    first = home.jarvis("what is all this?", tty=True)
    brains = home.brains
    second = home.jarvis("what is all this?", tty=True)
    assert home.brains == brains
    told = home.jarvis("brain", "status")
    with home.program().start("-t", "stopped", "what is all this?") as running:
        wait_until(lambda: len(home.gemini.requests) == 3)
        stopped = home.jarvis("brain", "stop")
        ended = running.finish()
    assert not any(map(alive, brains))
    restarted = home.jarvis("brain", "restart", timeout=60)
    (pid,) = home.brains

    assert (none.status, "No background process is running" in none.stdout) == (1, True)
    assert [first.status, second.status, told.status, stopped.status, restarted.status] == [0] * 5
    assert b"starting (first use takes a few seconds)" in first.screen
    assert b"starting" not in second.screen
    assert told.stdout.startswith(f"process {brains[0]}, Jarvis ")
    assert "for these settings" in told.stdout
    assert stopped.stdout == f"Stopped process {brains[0]}.\n"
    assert restarted.stdout.endswith(f"Started process {pid}.\n")
    assert (ended.status, "Terminated." in ended.stderr) == (143, True)
    assert [turn["status"] for turn in home.turns("stopped")] == ["interrupted"]


def test_other_settings_are_another_brains_and_the_old_one_leaves(home):
    first = home.start_brain()
    home.gemini.plans(HELLO)

    home.configure('model = "gemini-2.5-flash"\n')

    assert home.jarvis("what is all this?", timeout=60).stdout == "Hello.\n"
    assert "gemini-2.5-flash" in home.gemini.requests[1].path
    wait_until(lambda: not alive(first))


def test_it_is_its_persons_alone_with_no_terminal_folder_session_or_key_of_ours(warm):
    (pid,) = warm.brains

    assert stat.S_IMODE(warm.socket.stat().st_mode) == 0o700
    assert stat.S_IMODE(warm.runtime.stat().st_mode) == 0o700
    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert {os.readlink(f"/proc/{pid}/fd/{n}") for n in range(3)} == {os.devnull}
    assert b"jarvis.brain" in command_of(pid)
    assert b"key-of-the-tests" not in command_of(pid)


def test_two_requests_at_once_start_one_brain(home):
    home.gemini.plans(HELLO, HELLO)

    with ThreadPoolExecutor(2) as both:
        asked = [both.submit(home.jarvis, "-t", name, "what is all this?", timeout=60) for name in "ab"]
        done = [each.result() for each in asked]

    assert [each.stdout for each in done] == ["Hello.\n"] * 2
    assert len(home.brains) == 1


@BOTH_IF_LONG
def test_what_is_asked_in_a_thread_before_a_brain_is_ready_is_done_in_that_order(home):
    asked = [f"what is number {n}?" for n in range(4)]
    home.gemini.plans(*[HELLO] * 4)

    with contextlib.ExitStack() as undo:
        for words in asked:
            waits = undo.enter_context(home.program().start("-t", "one", words, tty=True))
            waits.wait_for("starting")
        wait_until(lambda: len(home.gemini.requests) == 4)

    assert [turn["goal"] for turn in home.turns("one")] == asked


def test_it_leaves_by_itself_when_nobody_has_needed_it_for_long(home):
    home.gemini.plans(HELLO)

    soon = {"JARVIS_BRAIN_MINUTES": "0.02"}
    assert home.jarvis("what is all this?", environment=soon, timeout=60).stdout == "Hello.\n"

    wait_until(lambda: home.brains == [])
    assert list(home.runtime.glob("*.sock")) == []


@BOTH_IF_LONG
def test_it_does_nothing_while_nobody_needs_it(home):
    pid = home.start_brain()

    def runs():
        """How often each of its threads was run."""
        tasks = sorted(Path(f"/proc/{pid}/task").glob("*/status"))
        return [re.findall(r"ctxt_switches:\s*(\d+)", task.read_text()) for task in tasks]

    def is_at_rest():
        before = runs()
        time.sleep(3)  # longer than any beat
        return runs() == before

    wait_until(is_at_rest)


@pytest.mark.parametrize("brain", ["on", "off"])
def test_what_has_read_a_file_leaves_nothing_in_the_temporary_folder(home, tmp_path, brain):
    (tmp_path / "notes.txt").write_text("Water the plums.")
    home.gemini.plans(
        {"action": "read", "address": "f1", "finish": False}, {"action": "reply", "text": "Watered."}
    )

    with TemporaryDirectory() as temporary:  # a socket's path must be short
        where = {"JARVIS_BRAIN": brain, "TMPDIR": temporary}
        assert home.jarvis(f"sum up {tmp_path}/notes.txt", environment=where, timeout=60).status == 0
        assert "Water the plums." in home.gemini.requests[-1].prompt
        home.jarvis("brain", "stop", environment=where)

        wait_until(lambda: home.brains == [])
        assert os.listdir(temporary) == []


def test_on_a_full_disk_it_is_told_and_the_brain_serves_on(warm):
    (pid,) = warm.brains
    limits = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        full = warm.jarvis("-t", "full", "what is all this?")
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, limits)
    warm.gemini.plans(HELLO)

    assert full.status == 1
    assert "Check that there is space" in full.stderr
    assert warm.jarvis("-t", "full", "what is all this?").stdout == "Hello.\n"


def test_a_lock_on_the_file_of_turns_under_way_is_told_and_the_brain_lives_on(home):
    pid = home.start_brain()
    home.search_finds(MIT)
    home.gemini.plans(SEARCH, FIRST)
    with closing(sqlite3.connect(home.settings.folders.inflight, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        locked = home.jarvis("find the MIT website and open it")
    home.gemini.plans(HELLO)

    assert (locked.status, home.opened) == (1, [])
    assert "Can't save the request: database is locked." in locked.stderr
    assert home.jarvis("what is all this?").stdout == "Hello.\n"
    assert home.brains == [pid]
