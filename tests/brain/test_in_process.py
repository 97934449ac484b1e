"""The brain as a process, spoken to in its own messages; and what those messages are held against."""

from __future__ import annotations

import contextlib
import json
import os
import signal

import pytest

from jarvis import __version__
from jarvis.brain import protocol
from jarvis.brain.connection_handler import Serving
from jarvis.brain.protocol import (
    Act,
    Alive,
    Answer,
    Ask,
    BadMessage,
    Begun,
    Cancel,
    Clear,
    Confirm,
    Did,
    Ended,
    Err,
    Failed,
    NoAnswer,
    Out,
    Passing,
    Piece,
    Query,
    Ready,
    Told,
    decode,
    encode,
)
from jarvis.core.concurrency import run_async
from jarvis.store.locks import FileLock
from jarvis.store.sqlite import at_once
from jarvis.turns import build
from tests.shell import wait_until
from tests.twins.gemini import Stall

HELLO = {"action": "reply", "text": "Hello.", "finish": True}
OPEN = {"action": "open_website", "address": "u1", "finish": True}
ASK = Ask(
    *(1, "what is one?", "", "default", "tty-1", False, "Sunday", "/pictures", 80),
    *(True, True, False, False, False, 0, False, False, False, False, True, "typed", ""),
    *("", "", False, [], []),
)
MESSAGES = [
    ASK,
    Did(1, 2, "done", "Sent.", "https://x.example", "", "", 0),
    *(Cancel(1, "interrupted"), Ready(__version__), Out("日本\n\x00"), Err("\udcff"), Passing("…"), Clear()),
    *(Piece("日 本", ["https://a.example/"]), Begun(1, "default"), Told(1, "step 2")),
    *(Act(1, 2, "open_website", "opens", "https://x.example", {}, "", 1, True), Ended(1, 130)),
    *(Query(1, {"id": "q2-ab"}), Answer(1, "q2-ab", "the other one, please"), NoAnswer(1, "q2-ab"), Alive()),
    Confirm(1, is_shown=True),
    Failed("settings", "No key.", "Get one.", 78),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: type(message).__name__)
def test_a_message_comes_back_as_it_was(message):
    line = encode(message)

    assert decode(line) == message
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()


def test_every_kind_is_tried():
    assert {type(message) for message in MESSAGES} == set(protocol._KINDS.values())


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"\n", b"hello\n", b"[]\n", b"null\n", b"{}\n", b'{"is": "nonesuch"}\n', b'{"is": []}\n'),
        *(b'{"is": "out"}\n', b'{"is": "out", "text": 1}\n', b'{"is": "out", "text": "x", "more": 1}\n'),
        b'{"is": "ended", "turn": true, "exit_status": 0}\n',
        b"[" * 100_000 + b"\n",
        b'{"is": "out", "text": "\xff"}\n',
        encode(ASK)[:40],
    ],
)
def test_what_is_no_message_is_refused(line):
    with pytest.raises(BadMessage):
        decode(line)


class Brain:
    """A client without a person. cold: its brain is not forked off a process that has the imports."""

    def __init__(self, shell, *argv, cold=False, **environment):
        program = shell.program(**environment)
        program.package = "jarvis.brain"
        theirs, ours = os.pipe()
        answers, said = os.pipe()
        nothing = os.open(os.devnull, os.O_RDWR)
        start = program._start_cold if cold else program._start_forked
        self._process = start(argv, (theirs, said, nothing), False, str(shell.home))
        for handle in (theirs, said, nothing):
            os.close(handle)
        self._in, self._out = open(ours, "wb"), open(answers, "rb")  # noqa: SIM115
        self.sent, self.heard = b"", b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(10)
        with contextlib.suppress(BrokenPipeError):
            self._in.close()
        self._out.close()

    def send(self, *messages):
        for message in messages:
            self.sent += message if isinstance(message, bytes) else encode(message)
            self._in.write(message if isinstance(message, bytes) else encode(message))
        self._in.flush()

    def next(self, kind):
        """The next message of *kind*; what comes before it is passed over, as if it had been shown."""
        while line := self._out.readline():
            self.heard += line
            if isinstance(message := decode(line), Confirm):
                self.send(Confirm(message.turn, is_shown=True))
            if isinstance(message, kind):
                return message
        raise AssertionError(f"No {kind} came: {self.heard!r}")

    def leave(self):
        """Close its pipe; the exit status."""
        self._in.close()
        self.heard += self._out.read()
        return self._process.wait(10)

    def ended(self):
        self.heard += self._out.read()
        return self._process.wait(10)


@pytest.fixture
def brain(shell):
    with contextlib.ExitStack() as stack:
        yield lambda *argv, **how: stack.enter_context(Brain(shell, *argv, **how))


def goals(shell):
    return [(t["goal"], t["status"]) for t in json.loads(shell.jarvis("threads", "show", "--json").stdout)]


def test_a_client_prints_acts_and_answers(shell, brain):
    shell.gemini.plans(OPEN, HELLO)
    link = brain(cold=True)
    link.next(Ready)

    link.send(ASK._replace(own="have a look at https://x.example for me"))
    act = link.next(Act)
    link.send(Did(1, act.n, "done", "Sent it.", act.target, "", "", 0))
    sent = link.next(Out)
    first = link.next(Ended)
    link.send(ASK._replace(turn=2, out_tty=False, err_tty=False))
    reply = link.next(Out)

    assert (act.action, act.target) == ("open_website", "https://x.example")
    assert (sent.text, first) == ("Sent it.\n", Ended(1, 0))
    assert (reply.text, link.next(Ended)) == ("Hello.\n", Ended(2, 0))
    assert link.leave() == 0


def test_no_key_crosses_not_even_in_the_models_words(shell, brain):
    shell.gemini.plans({"action": "reply", "text": "google-key-of-the-tests and serpapi-key-of-the-tests"})
    link = brain()
    link.next(Ready)
    link.send(ASK._replace(out_tty=False))
    link.next(Ended)
    link.leave()

    assert b"[key] and [key]" in link.heard
    assert b"key-of-the-tests" not in link.heard


def test_an_object_crosses_as_it_is_printed(shell, brain):
    shell.gemini.plans(HELLO)
    link = brain()
    link.next(Ready)
    link.send(ASK._replace(json=True))

    assert json.loads(link.next(Out).text)["reply"] == "Hello."
    assert link.next(Ended) == Ended(1, 0)


def test_a_cancelled_turn_ends_with_its_reason(shell, brain):
    shell.gemini.plans(Stall(), Stall())
    link = brain()
    link.next(Ready)
    for turn, (reason, status) in enumerate([("interrupted", 130), ("terminated", 143)], 1):
        link.send(ASK._replace(turn=turn))
        wait_until(lambda: len(shell.gemini.requests) == turn)  # noqa: B023

        link.send(Cancel(turn, reason), Cancel(turn, reason))

        assert link.next(Ended) == Ended(turn, status)
    link.send(Cancel(2, "interrupted"))  # too late is no mistake
    assert link.leave() == 0
    assert goals(shell) == [("what is one?", "interrupted")] * 2


def test_an_outcome_that_comes_late_is_dropped(shell, brain):
    shell.gemini.plans(OPEN, {**OPEN, "address": "u2"})
    link = brain()
    link.next(Ready)
    link.send(ASK._replace(own="have a look at https://x.example for me"))
    act = link.next(Act)
    link.send(Cancel(1, "interrupted"))
    assert link.next(Ended) == Ended(1, 130)

    link.send(ASK._replace(turn=2, own="now look at https://y.example for me"))
    link.next(Act)
    link.send(Did(1, act.n, "done", "Sent the first.", act.target, "", "", 0))
    link.send(Did(2, 1, "done", "Sent the second.", "https://y.example", "", "", 0))

    assert link.next(Out).text == "Sent the second.\n"
    assert link.next(Ended) == Ended(2, 0)


def test_a_client_that_is_gone_ends_its_turn(shell, brain):
    shell.gemini.plans(Stall())
    link = brain()
    link.next(Ready)
    link.send(ASK)
    wait_until(lambda: shell.gemini.requests)

    assert link.leave() == 0
    assert goals(shell) == [("what is one?", "interrupted")]


def test_a_client_that_is_gone_before_it_is_ready_is_not_waited_for(shell, brain):
    link = brain(cold=True)

    assert link.leave() == 0
    assert b"ready" not in link.heard


@pytest.mark.parametrize(
    "line",
    [b"hello\n", encode(Ready(__version__)), encode(ASK) * 2],
    ids=["nonsense", "the wrong way", "two at once"],
)
def test_a_message_that_makes_no_sense_ends_the_connection_and_says_so(shell, brain, line):
    shell.gemini.plans(Stall())
    link = brain()
    link.next(Ready)

    link.send(line)

    assert link.next(Failed).code == "bad_message"
    assert link.ended() == 0
    shell.gemini._script.clear()


def test_a_brain_that_can_not_start_says_why(shell, brain):
    link = brain("--env-file", "/nonexistent")

    failed = link.next(Failed)

    assert (failed.code, failed.exit_status) == ("settings", 78)
    assert "There is no file /nonexistent." in failed.message
    assert link.ended() == 0


def test_a_turn_that_can_not_begin_is_told_and_the_next_may(shell, brain):
    shell.gemini.plans(HELLO)
    link = brain()
    link.next(Ready)
    locks = shell.home / "jarvis" / "state" / "locks"
    locks.parent.mkdir()
    locks.write_text("a file where the folder should be")

    link.send(ASK)

    assert "can't be used" in link.next(Err).text
    assert link.next(Ended) == Ended(1, 1)
    locks.unlink()
    link.send(ASK._replace(turn=2))
    assert link.next(Ended) == Ended(2, 0)
    assert goals(shell) == [("what is one?", "done")]


def test_a_thread_that_stays_in_use_is_told_with_what_can_be_done_in_a_chat(house, monkeypatch):
    """In this process: nobody waits here as long as a person would."""
    monkeypatch.setattr("jarvis.turns.session._BUSY_SECONDS", 0.2)
    lock = FileLock(house.settings.folders.state, "default")
    assert at_once(lock.take())
    sent = []

    async def turn():
        async with build.session(house.settings) as session:
            serving = Serving(session, (), sent.append)
            serving.hear(ASK._replace(is_chat=True, err_tty=False))
            await serving._task

    run_async(turn())
    at_once(lock.release())

    assert [message.text for message in sent if isinstance(message, Err)][-2:] == [
        f"jarvis: The thread default is in use by process {os.getpid()}.",
        "  hint: Wait for it, or begin another thread: /new",
    ]
    assert sent[-1] == Ended(1, 1)
    assert house.cost == (0, 0)


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (ASK._replace(own="\x00"), "There are no words to act on."),
        (ASK._replace(own="a " * 10_001), "at most 20,000 are read."),
        (ASK._replace(thread="no/slash"), "The thread name “no/slash” can't be used."),
    ],
    ids=["no words", "too many", "a bad thread"],
)
def test_what_a_client_asks_is_held_to_the_same_rules(shell, brain, ask, told):
    link = brain()
    link.next(Ready)

    link.send(ask)

    assert told in link.next(Err).text
    assert link.next(Ended) == Ended(1, 2)
    assert link.leave() == 0
    assert shell.cost == (0, 0)
