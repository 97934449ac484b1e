"""The brain that stays: one for all of a person's requests, started on first need, found again, and left."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from jarvis import wire
from jarvis.frontends.meeting import PATIENCE
from jarvis.store.locks import FileLock
from jarvis.wire import Cancel, Ended, Ready, decode, encode
from tests.person import CTRL_C, CTRL_D, ENTER, Person
from tests.program import Program
from tests.shell import Shell, wait_until
from tests.test_brain import ASK
from tests.test_program import alive
from tests.twins.gemini import GeminiTwin, Slow, Stall
from tests.twins.serpapi import SerpApiTwin

PACKAGE = Path(__file__).parent.parent / "jarvis"
MIT = "https://web.mit.edu/"
MUNICH = "https://xn--mnchen-3ya.example/"
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
        said = [lock.read_text().split() for lock in self.runtime.glob("*.lock")]
        pids = [int(words[0]) for words in said if words]
        return [pid for pid in pids if alive(pid) and b"--resident" in command_of(pid)]

    def start_brain(self) -> int:
        """The brain, once it has served a turn."""
        self.gemini.plans(HELLO)
        assert self.jarvis("are you there now?", timeout=60).stdout == "Hello.\n"
        (pid,) = self.brains
        return pid

    def stop(self) -> None:
        for pid in self.brains:
            os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.brains)


def in_thread(name):
    """What has to be asked about, in a thread of its own: there the first address that is found is r1."""
    return "-t", name, "find the ticket shop and open it"


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
        _shared.start_brain()
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


def test_no_key_is_in_its_command_line_nor_has_any_message_a_field_for_one(warm):
    (pid,) = warm.brains
    said = command_of(pid)

    assert b"--resident" in said
    assert b"key-of-the-tests" not in said
    assert not [
        name for kind in wire._KINDS.values() for name in kind._fields if "key" in name or "env" in name
    ]


def test_what_is_found_is_opened_in_the_persons_own_session(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)

    done = warm.jarvis("-t", "found", "find the MIT website and open it")

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

    done = warm.jarvis("-n", f"have a look at {MIT} for me now")

    assert "Would open" in done.stdout
    assert warm.opened == []


def test_a_question_is_asked_on_the_terminal_and_the_answer_heeded(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("a-question-is-asked"), tty=True) as running:
        running.wait_for("Enter = no")
        running.wait_for("\n> ")
        running.write(b"y\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


def test_where_nobody_can_be_asked_the_turn_ends_with_the_question(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    told = warm.json(*in_thread("where-nobody-can-be"))

    assert (told["status"], told["question"]["kind"]) == ("needs_answer", "approval")
    assert warm.opened == []


def test_a_record_is_answered_by_a_record(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start("--ndjson", *in_thread("a-record-is-answered"), stdin="") as running:
        running.write(b"no record\n")
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        running.write(json.dumps({"answer": "y", "question": asked}).encode() + b"\n")
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


def test_a_last_record_needs_no_end_of_its_line(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start("--ndjson", *in_thread("a-last-record"), stdin="") as running:
        running.wait_for('"asked"')
        asked = asked_in(running._outputs["stdout"].said)
        running.write(json.dumps({"answer": "y", "question": asked}).encode())
        done = running.finish()

    assert done.status == 0
    assert warm.opened == [MUNICH]


def test_the_end_of_the_input_on_a_terminal_is_a_no(warm):
    warm.gemini.plans(SEARCH, FIRST, {**HELLO, "text": "Then not."})
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("the-end-of-the-input"), tty=True) as running:
        running.wait_for("Enter = no")
        running.wait_for("\n> ")
        running.write(CTRL_D.encode())
        done = running.finish()

    assert done.status == 4
    assert warm.opened == []


def asked_in(said):
    wait_until(lambda: bytes(said).endswith(b"\n"))
    records = [json.loads(line) for line in bytes(said).splitlines()]
    return next(record["question"]["id"] for record in records if record["event"] == "asked")


def test_a_closed_stdin_is_no_answer(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    done = warm.jarvis("--ndjson", *in_thread("a-closed-stdin-is-no"))

    assert done.status == 3
    assert warm.opened == []


def test_ctrl_c_ends_the_turn_and_the_brain_stays(warm):
    asked = len(warm.gemini.requests)
    warm.gemini.plans(Stall())

    with warm.program().start("what is all this?", tty=True) as running:
        wait_until(lambda: len(warm.gemini.requests) == asked + 1)
        before = time.monotonic()
        running.write(CTRL_C.encode())
        done = running.finish()

    assert done.status == 130
    assert time.monotonic() - before < PATIENCE
    assert b"Interrupted." in done.screen
    assert_free(warm, "default")


def assert_free(shell, thread, seconds=1.0):
    """Nobody is at work in *thread*, within that time."""
    deadline = time.monotonic() + seconds
    lock = FileLock(str(shell.home / "jarvis" / "state"), thread)
    while not asyncio.run(lock.take()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    asyncio.run(lock.release())


def test_a_home_that_is_relative_is_refused_before_any_brain_keeps_history_elsewhere(warm):
    done = warm.jarvis("what is all this?", environment={"JARVIS_HOME": "jarvis"})

    assert (done.status, done.stdout) == (78, "")
    assert "JARVIS_HOME must be an absolute path." in done.stderr
    assert 'hint: export JARVIS_HOME="$PWD/jarvis"' in done.stderr


# How it comes and goes.


def turns(shell, thread="default"):
    return json.loads(shell.jarvis("threads", "show", thread, "--json").stdout)


def test_two_requests_at_once_start_one_brain(home):
    home.gemini.plans(HELLO, HELLO)

    with ThreadPoolExecutor(2) as both:
        asked = [both.submit(home.jarvis, "-t", name, "what is all this?", timeout=60) for name in "ab"]
        done = [each.result() for each in asked]

    assert [each.stdout for each in done] == ["Hello.\n"] * 2
    assert len(home.brains) == 1


def test_twenty_clients_at_once_are_each_served_once(warm):
    before = len(warm.gemini.requests)
    warm.gemini.plans(*[HELLO] * 20)

    with ThreadPoolExecutor(20) as all_of_them:
        asked = [
            all_of_them.submit(warm.jarvis, "-t", f"t{n}", "what is this?", timeout=60) for n in range(20)
        ]
        done = [each.result() for each in asked]

    assert [(each.status, each.stdout) for each in done] == [(0, "Hello.\n")] * 20
    assert len(warm.gemini.requests) - before == 20


def test_a_second_request_in_one_thread_waits_for_the_first(warm):
    before = len(warm.gemini.requests)
    warm.gemini.plans(Slow(HELLO, delay=0.2), HELLO)

    with warm.program().start("-t", "shared", "what is one?") as first:
        wait_until(lambda: len(warm.gemini.requests) == before + 1)
        second = warm.jarvis("-t", "shared", "what is two?")
        assert first.finish().stdout == second.stdout == "Hello.\n"

    assert [turn["goal"] for turn in turns(warm, "shared")] == ["what is one?", "what is two?"]
    assert "what is one?" in warm.gemini.requests[-1].prompt


def test_it_leaves_when_nobody_has_needed_it_for_long(home):
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", environment={"JARVIS_BRAIN_MINUTES": "0.02"}, timeout=60)

    assert done.stdout == "Hello.\n"
    wait_until(lambda: not home.brains)
    assert list(home.runtime.glob("*.sock")) == []


def test_it_leaves_when_its_socket_is_gone(home):
    pid = home.start_brain()

    (path,) = home.runtime.glob("*.sock")
    path.unlink()

    wait_until(lambda: not alive(pid))


def test_other_settings_are_another_brains(home):
    first = home.start_brain()
    home.gemini.plans(HELLO, HELLO)

    home.configure('model = "gemini-2.5-flash"\n')
    changed = home.jarvis("what is all this?", timeout=60)
    wait_until(lambda: not alive(first))
    (second,) = home.brains
    keyed = home.jarvis("what is this?", environment={"GOOGLE_API_KEY": "another-key"}, timeout=60)

    assert (changed.stdout, keyed.stdout) == ("Hello.\n", "Hello.\n")
    assert "gemini-2.5-flash" in home.gemini.requests[1].path
    assert len(home.brains) == 2
    assert second in home.brains


def test_a_package_that_was_replaced_is_another_brains(home, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis", ignore=shutil.ignore_patterns("__pycache__"))
    program = Program(home.home, {**home.environment, **ON}, package_root=tmp_path / "copy")
    home.gemini.plans(HELLO, HELLO)

    before = program.run("what is all this?", timeout=60)
    (first,) = home.brains
    module = tmp_path / "copy" / "jarvis" / "clock.py"
    module.write_text(module.read_text() + "# newer\n")
    after = program.run("what is all this?", timeout=60)

    assert (before.stdout, after.stdout) == ("Hello.\n", "Hello.\n")
    wait_until(lambda: not alive(first))
    assert len(home.brains) == 1


def test_off_there_is_none(home):
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", environment={"JARVIS_BRAIN": "off"})

    assert done.stdout == "Hello.\n"
    assert not home.runtime.exists()


def test_bad_settings_are_told_and_leave_no_brain(home):
    home.configure("model = 3\n")

    done = home.jarvis("what is all this?")

    assert done.status == 78
    assert "model in config.toml must be a text" in done.stderr
    wait_until(lambda: not home.brains)


def test_its_state_is_told_and_it_is_stopped_and_restarted(home):
    none = home.jarvis("brain", "status")
    first = home.start_brain()
    told = home.jarvis("brain", "status")
    restarted = home.jarvis("brain", "restart", timeout=60)
    (second,) = home.brains
    stopped = home.jarvis("brain", "stop")

    assert (none.status, told.status, restarted.status, stopped.status) == (1, 0, 0, 0)
    assert "No brain is running" in none.stdout
    assert told.stdout.startswith(f"process {first}, Jarvis ")
    assert "for these settings" in told.stdout
    assert restarted.stdout == f"Stopped process {first}.\nStarted process {second}.\n"
    assert stopped.stdout == f"Stopped process {second}.\n"
    assert not alive(first)
    assert home.brains == []


def test_a_turn_under_way_is_ended_in_order_when_it_is_stopped(home):
    home.start_brain()
    home.gemini.plans(Stall())

    with home.program().start("what is all this?") as running:
        wait_until(lambda: len(home.gemini.requests) == 2)
        assert home.jarvis("brain", "stop").status == 0
        done = running.finish()

    assert done.status == 143
    assert "Terminated." in done.stderr
    assert [turn["status"] for turn in turns(home)] == ["done", "interrupted"]


# Bad luck: each ends in a clear line or with a fresh brain, soon, and nothing is done twice.


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
    _, done, seconds = lost(home, signal.SIGKILL)

    assert seconds < PATIENCE  # it is not taken for one that hangs
    assert done.status == 1
    assert done.stderr.splitlines() == [
        "jarvis: The process that plans and searches has stopped.",
        "  hint: What was done so far is kept. Ask again: it is started anew.",
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

    assert seconds < PATIENCE + 1
    assert done.status == 1
    assert "does not answer" in done.stderr
    assert not alive(brain)


def test_a_client_that_is_killed_in_a_question_has_not_said_yes(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MUNICH)

    with warm.program().start(*in_thread("killed-asking"), tty=True) as running:
        running.wait_for("Enter = no")
        running.send(signal.SIGKILL)
        running.finish()
    assert_free(warm, "killed-asking")

    assert warm.opened == []
    (turn,) = turns(warm, "killed-asking")
    assert turn["status"] == "interrupted"
    assert [step["state"] for step in turn["steps"]] == ["done"]


def test_a_client_that_is_killed_while_it_acts_leaves_an_unknown_step(warm):
    warm.gemini.plans(SEARCH, FIRST)
    warm.search_finds(MIT)
    blocks, opener = warm.home / "blocks", warm.home / "opener"
    os.mkfifo(blocks)
    before = opener.read_text()
    opener.write_text(f"#!/bin/sh\necho begun >> {warm.home}/opened\ncat {blocks}\n")

    try:
        with warm.program().start("-t", "killed-acting", "find the MIT website and open it") as running:
            wait_until(lambda: warm.opened == ["begun"])
            running.send(signal.SIGKILL)
            running._process.wait(10)
        assert_free(warm, "killed-acting")
    finally:
        opener.write_text(before)
        os.close(os.open(blocks, os.O_RDWR | os.O_NONBLOCK))

    (turn,) = turns(warm, "killed-acting")
    assert turn["status"] == "interrupted"
    assert [step["state"] for step in turn["steps"]] == ["done", "unknown"]
    assert warm.opened == ["begun"]


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


def test_where_no_socket_can_be_made_a_request_is_done_without(home):
    (home.home / "jarvis").mkdir()
    home.runtime.write_text("in the way")
    home.gemini.plans(HELLO)

    done = home.jarvis("what is all this?", timeout=60)

    assert (done.status, done.stdout) == (0, "Hello.\n")
    assert home.runtime.is_file()


@pytest.mark.parametrize(
    "said",
    [b'{"is": "hello", "protocol": 7}\n', b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 5_000_000],
    ids=["another version", "another protocol", "a line without an end"],
)
def test_a_client_that_speaks_another_language_is_told_and_the_brain_serves_on(warm, said):
    (path,) = warm.runtime.glob("*.sock")
    with socket.socket(socket.AF_UNIX) as other:
        other.settimeout(5)
        connect(other, path)
        assert b'"is": "ready"' in other.recv(4096)
        try:
            other.sendall(said)
            answer = other.recv(4096)
        except ConnectionError:
            answer = b""
    warm.gemini.plans(HELLO)

    # A line that has no end is not read to one, and whoever still writes it may be cut off without a word.
    assert (b'"is": "failed"' in answer) or (not answer and len(said) > 1000)
    assert warm.jarvis("what is all this?").stdout == "Hello.\n"


def test_a_turn_that_is_cancelled_in_the_same_breath_ends(warm):
    (path,) = warm.runtime.glob("*.sock")
    ask = ASK._replace(thread="cancelled-at-once")
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        connect(client, path)
        with client.makefile("rb") as said:
            assert isinstance(decode(said.readline()), Ready)
            client.sendall(encode(ask) + encode(Cancel(1, "interrupted")))
            heard = (decode(said.readline()) for _ in range(9))  # signs of life, where it does not end
            assert Ended(1, 130) in heard


def connect(end, path):
    """By way of its folder, since a test's own path may be too long for a socket."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        end.connect(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)


def test_a_brain_of_another_version_is_not_spoken_to(home):
    """One that is found under the very name, which has every reason to differ."""
    home.start_brain()
    (path,) = home.runtime.glob("*.sock")
    home.stop()
    path.unlink()
    with socket.socket(socket.AF_UNIX) as other:
        folder = os.open(path.parent, os.O_RDONLY)
        other.bind(f"/proc/self/fd/{folder}/{path.name}")
        os.close(folder)
        other.listen()
        with home.program().start("what is all this?") as running:
            client, _ = other.accept()
            client.sendall(encode(Ready("0.0.1")))
            done = running.finish()
            said = client.recv(4096)
            client.close()

    assert done.status == 1
    assert "the process that plans is 0.0.1" in done.stderr
    assert "jarvis brain restart" in done.stderr
    assert said == b""


def test_ctrl_c_while_it_starts_begins_nothing_and_leaves_it_starting(home):
    with home.program().start("what is all this?", tty=True) as running:
        running.wait_for("starting")
        wait_until(lambda: home.brains)
        running.write(CTRL_C.encode())
        done = running.finish()
    (pid,) = home.brains

    assert done.status == 130
    assert home.start_brain() == pid
    assert [turn["goal"] for turn in turns(home)] == ["are you there now?"]


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
def test_with_postgres_plain_turns_are_delivered_without_another_request(home):
    home.start_brain()

    home.jarvis("open", "example.org")

    wait_until(lambda: [turn["goal"] for turn in turns(home)] == ["are you there now?", "open example.org"])


# A chat talks to it too.


@pytest.fixture
def chat(home):
    """Starts a chat at a home of its own; all of them end with the test."""
    people = []

    def start(*argv):
        people.append(Person(home.program(), *argv))
        return people[-1]

    yield start
    for person in people:
        person._running.__exit__(None, None, None)


def test_a_chat_is_served_by_the_brain_that_serves_requests(home, chat):
    pid = home.start_brain()
    home.gemini.plans(HELLO, HELLO)
    person = chat()

    person.ask("what is one?")
    meanwhile = home.jarvis("-t", "other", "what is two?")
    left = person.leave()

    assert meanwhile.stdout == "Hello.\n"
    assert left.status == 0
    assert home.brains == [pid]
    assert [turn["goal"] for turn in turns(home)] == ["are you there now?", "what is one?"]


def test_a_chat_starts_it_and_leaves_it_to_the_next(home, chat):
    home.gemini.plans(HELLO)
    person = chat()
    person.ask("what is one?")
    (pid,) = home.brains

    person.leave()

    assert home.start_brain() == pid


def test_it_is_warm_before_a_chat_has_asked_anything(home, chat):
    person = chat()
    person.at_prompt()
    log = home.home / "jarvis" / "state" / "jarvis.log"

    wait_until(lambda: log.exists() and '"what": "warm"' in log.read_text())

    assert home.gemini.requests == []
    assert person.leave().status == 0


def test_what_a_chat_finds_is_opened_after_a_yes(home, chat):
    home.start_brain()
    home.gemini.plans(SEARCH, FIRST)
    home.search_finds(MUNICH)
    person = chat("-t", "new")

    person.at_prompt("new>")
    person.type("find the ticket shop and open it" + ENTER)
    person.see("Enter = no")
    person.type("y" + ENTER)
    wait_until(lambda: home.opened == [MUNICH])
    person.at_prompt("new>")

    assert person.leave().status == 0


def test_ctrl_c_in_a_chat_ends_the_turn_and_the_brain_stays(home, chat):
    pid = home.start_brain()
    home.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt()
    person.ask("what is two?")

    assert person.leave().status == 0
    assert home.brains == [pid]
    assert [turn["status"] for turn in turns(home)] == ["done", "interrupted", "done"]


def test_where_no_brain_can_stay_a_chat_has_one_of_its_own_and_another_when_it_has_died(home, chat):
    (home.home / "jarvis").mkdir()
    home.runtime.write_text("in the way")
    home.gemini.plans(HELLO, HELLO)
    person = chat()
    person.ask("what is one?")
    first = person.brain

    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not os.path.exists(f"/proc/{first}"))  # the chat has noticed
    person.ask("what is two?")

    assert person.lines.count("Hello.") == 2
    assert person.brain != first
    assert person.leave().status == 0
    assert home.runtime.is_file()


@pytest.mark.parametrize(
    ("number", "said"),
    [(signal.SIGKILL, "has stopped"), (signal.SIGSTOP, "does not answer")],
    ids=["dies", "hangs"],
)
def test_a_brain_that_is_lost_in_a_chat_ends_the_turn_alone(home, chat, number, said):
    first = home.start_brain()
    home.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: len(home.gemini.requests) == 2)

    os.kill(first, number)
    before = time.monotonic()
    person.see(said)
    assert time.monotonic() - before < 5
    person.ask("what is two?")

    assert not alive(first)
    assert person.leave().status == 0
    assert "Hello." in "\n".join(person.lines)
