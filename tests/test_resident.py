"""The brain that stays: one for all of a person's requests, started on first need, found again, and left."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jarvis.store.locks import FileLock
from tests.person import CTRL_C, Person
from tests.shell import Shell, wait_until
from tests.test_program import alive
from tests.twins.gemini import GeminiTwin, Stall
from tests.twins.serpapi import SerpApiTwin

MIT = "https://web.mit.edu/"
SEARCH = {"action": "search", "query": "MIT official website"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
OPEN = {"action": "open_website", "address": "u1", "finish": True}
FIRST = {"action": "open_website", "address": "r1", "finish": True}
ON = {"JARVIS_BRAIN": "on"}


class Resident(Shell):
    """A home where requests are served by the brain that stays."""

    def program(self, **environment):
        return super().program(**{**ON, **environment})

    @property
    def runtime(self) -> Path:
        return self.home / "jarvis" / "runtime"

    @property
    def brains(self) -> list[int]:
        """Their processes: those that hold a lock."""
        pids = [int(lock.read_text().split()[0] or 0) for lock in self.runtime.glob("*.lock") if lock.read_text()]
        return [pid for pid in pids if alive(pid) and b"--resident" in command_of(pid)]

    def stop(self) -> None:
        for pid in self.brains:
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.brains)


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.fixture
def home(tmp_path, gemini, serpapi, database_url):
    """Of a brain of its own, for what it does not outlive."""
    shell = Resident(tmp_path, gemini, serpapi, database_url)
    yield shell
    shell.stop()


@pytest.fixture(scope="module")
def _shared(tmp_path_factory):
    with GeminiTwin() as gemini, SerpApiTwin() as serpapi:
        shell = Resident(tmp_path_factory.mktemp("home"), gemini, serpapi)
        yield shell
        shell.stop()


@pytest.fixture
def warm(_shared):
    """A brain that is there already, and which the test leaves as it was."""
    if not _shared.brains:
        _shared.gemini.plans(HELLO)
        assert _shared.jarvis("are you there now?").stdout == "Hello.\n"
    (_shared.home / "opened").unlink(missing_ok=True)
    before = _shared.brains
    yield _shared
    assert _shared.brains == before
    assert _shared.gemini.unexpected == _shared.serpapi.unexpected == []


def test_the_first_request_starts_it_and_the_next_ones_find_it(home):
    home.gemini.plans(HELLO, HELLO)

    first = home.jarvis("what is all this?", tty=True)
    brains = home.brains
    second = home.jarvis("what is all this?", tty=True)

    assert (first.status, second.status) == (0, 0)
    assert first.screen.count(b"starting (first use takes a few seconds)") == 1
    assert b"starting" not in second.screen
    assert len(brains) == 1
    assert home.brains == brains


def test_only_its_person_can_get_at_it(warm):
    (path,) = warm.runtime.glob("*.sock")

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(warm.runtime.stat().st_mode) == 0o700


def test_it_has_no_terminal_no_folder_and_no_session_of_ours(warm):
    (pid,) = warm.brains

    assert os.getsid(pid) == pid
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert {os.readlink(f"/proc/{pid}/fd/{n}") for n in range(3)} == {os.devnull}


def test_no_key_is_in_its_command_line_nor_crosses_the_socket(warm):
    (pid,) = warm.brains
    said = command_of(pid)

    assert b"--resident" in said
    assert b"key-of-the-tests" not in said


def test_what_is_found_is_opened_in_the_persons_own_session(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    done = warm.jarvis("find the MIT website and open it")

    assert (done.status, done.stdout) == (0, f"{MIT}\n")
    assert warm.opened == [MIT]


def test_json_is_one_object(warm):
    warm.gemini.plans(HELLO)

    told = warm.json("what is all this?", environment=ON)

    assert (told["status"], told["reply"], told["thread"]) == ("done", "Hello.", "default")


def test_ndjson_is_a_record_a_line(warm):
    warm.gemini.plans(HELLO)

    done = warm.jarvis("--ndjson", "what is all this?")

    events = [json.loads(line)["event"] for line in done.stdout.splitlines()]
    assert events[0] == "turn_started"
    assert events[-1] == "turn_ended"


def test_quiet_is_the_answer_only(warm):
    warm.gemini.plans(HELLO)

    done = warm.jarvis("-q", "what is all this?", tty=True)

    assert done.screen == b"Hello.\r\n"


def test_what_is_piped_in_goes_along(warm):
    warm.gemini.plans(HELLO)

    done = warm.jarvis("summarize", "this", "-", stdin="It was founded in 1861.")

    assert done.stdout == "Hello.\n"
    assert "founded in 1861" in warm.gemini.requests[-1].prompt


def test_the_thread_is_the_one_that_is_named_or_set_or_used_last(warm):
    warm.gemini.plans(*[HELLO] * 4)

    named = warm.json("-t", "work", "what is all this?")
    last = warm.json("-c", "what is all this?")
    there = warm.json("what is all this?", environment={"JARVIS_THREAD": "home"})
    default = warm.json("what is all this?")

    threads = [told["thread"] for told in (named, last, there, default)]
    assert threads == ["work", "work", "home", "default"]


def test_a_dry_run_opens_nothing(warm):
    warm.gemini.plans(OPEN)

    done = warm.jarvis("-n", f"please do open that page {MIT} for me now")

    assert "Would open" in done.stdout
    assert warm.opened == []


def test_a_question_is_asked_on_the_terminal_and_the_answer_heeded(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    with warm.program().start("who founded MIT?", tty=True) as running:
        running.wait_for("Enter = no")
        running.wait_for("\n> ")
        running.write(b"y\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MIT]


def test_where_nobody_can_be_asked_the_turn_ends_with_the_question(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    told = warm.json("who founded MIT?")

    assert (told["status"], told["question"]["kind"]) == ("needs_answer", "approval")
    assert warm.opened == []


def test_a_record_is_answered_by_a_record(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    with warm.program().start("--ndjson", "who founded MIT?", stdin="") as running:
        running.write(b"no record\n")
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        running.write(json.dumps({"answer": "y", "question": asked}).encode() + b"\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MIT]


def asked_in(said):
    wait_until(lambda: bytes(said).endswith(b"\n"))
    records = [json.loads(line) for line in bytes(said).splitlines()]
    return next(record["question"]["id"] for record in records if record["event"] == "asked")


def test_a_closed_stdin_is_no_answer(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    done = warm.jarvis("--ndjson", "who founded MIT?")

    assert done.status == 3
    assert warm.opened == []


def test_ctrl_c_ends_the_turn_and_the_brain_stays(warm):
    warm.gemini.plans(Stall(20))

    with warm.program().start("what is all this?", tty=True) as running:
        wait_until(lambda: warm.gemini.stalled if hasattr(warm.gemini, "stalled") else True)
        running.wait_for("thinking")
        before = time.monotonic()
        running.write(CTRL_C.encode())
        done = running.finish()

    assert done.status == 130
    assert time.monotonic() - before < 1
    assert b"Interrupted." in done.screen
    assert_free(warm, "default")


def assert_free(shell, thread, seconds=1.0):
    """Nobody is at work in *thread*, within that time."""
    import asyncio

    deadline = time.monotonic() + seconds
    lock = FileLock(str(shell.home / "jarvis" / "state"), thread)
    while not asyncio.run(lock.take()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    asyncio.run(lock.release())
