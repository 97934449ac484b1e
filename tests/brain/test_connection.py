"""A connection by itself: whatever its descriptors are, who sends never waits, and who receives is woken."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import threading
import time

import pytest

from jarvis.brain.client import Client
from jarvis.brain.connection import Connection, Gone, Silent
from jarvis.brain.protocol import Act, Alive, Begun, Err, Out, decode, encode
from jarvis.core.errors import BrainFailed
from jarvis.core.types import Outcome
from jarvis.output.screen import Screen
from tests.brain.test_in_process import ASK
from tests.shell import wait_until

LONG = Err("大学 " * 100_000)


class End:
    """The brain's end of a connection."""

    def __init__(self, kind):
        if kind == "socket":
            ours, theirs = (end.detach() for end in socket.socketpair())
            self.reading = self.writing = theirs
            self.connection = Connection("a", reading=ours, writing=ours)
        else:
            self.reading, writing = os.pipe()
            reading, self.writing = os.pipe()
            self.connection = Connection("a", reading=reading, writing=writing)

    def say(self, said):
        os.write(self.writing, said)

    def hear(self):
        """The next line."""
        with open(self.reading, "rb", closefd=False) as file:
            return decode(file.readline())

    def close(self):
        for descriptor in {self.reading, self.writing}:
            with contextlib.suppress(OSError):
                os.close(descriptor)


@pytest.fixture(params=["socket", "pipes"])
def end(request):
    end = End(request.param)
    yield end
    end.connection.close()
    end.close()


def test_messages_come_one_by_one_however_they_are_cut(end):
    said = encode(Out("a")) + encode(Alive()) + encode(Out("b"))
    end.say(said[:5])
    threading.Timer(0.1, end.say, [said[5:]]).start()

    assert [end.connection.receive(5) for _ in range(3)] == [Out("a"), Alive(), Out("b")]


def test_a_long_message_goes_out_while_the_brain_reads(end):
    heard = []
    reader = threading.Thread(target=lambda: (heard.append(end.hear()), end.say(encode(Alive()))))
    reader.start()

    end.connection.send(LONG)
    while (answer := end.connection.receive(5)) is None:
        pass
    reader.join()

    assert (answer, heard) == (Alive(), [LONG])


def test_a_brain_that_reads_nothing_holds_nobody_up(end):
    end.connection.send(LONG)
    end.connection.send(LONG)
    before = time.monotonic()

    assert end.connection.receive(0.2) is None  # woken by what was to be sent
    with pytest.raises(Silent):
        end.connection.receive(0.2)
    assert time.monotonic() - before < 5


def test_the_handler_of_a_signal_wakes_who_receives(end):
    before = signal.signal(signal.SIGUSR1, lambda *_: end.connection.send(Out("from the handler")))
    try:
        threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGUSR1]).start()

        assert end.connection.receive(30) is None
    finally:
        signal.signal(signal.SIGUSR1, before)
    with pytest.raises(Silent):
        end.connection.receive(0.1)
    assert end.hear() == Out("from the handler")


def test_a_brain_that_has_hung_up_is_noticed_without_losing_what_it_said(end):
    end.say(encode(Out("a")))
    assert end.connection.is_open
    end.close()

    assert not end.connection.is_open
    assert end.connection.receive(5) == Out("a")
    with pytest.raises(Gone):
        end.connection.receive(5)


def test_what_comes_too_late_is_dropped(end):
    end.connection.close()

    end.connection.send(Out("late"))

    assert not end.connection.is_open


def test_a_line_that_is_no_message_is_told_as_the_brains_failure(end):
    end.say(b"hello\n")

    with pytest.raises(BrainFailed, match="makes no sense"):
        end.connection.receive(5)


def test_hands_are_waited_for_where_the_second_brain_dies_too(end):
    first, url = End("socket"), "https://x.example/"

    class Slow:
        """Hands that are done once the client knows of both deaths."""

        def perform(self, _request):
            wait_until(lambda: end.connection._is_closed)
            return Outcome("done", f"Sent {url} to your browser.", url)

    first.close()
    end.say(encode(Begun(1, "here")) + encode(Act(1, 1, "open_website", "opens", url, {}, "", 1, True)))
    end.close()

    with pytest.raises(Gone) as told:
        Client(first.connection, ASK, Screen({}), Slow(), lambda _: None, lambda: end.connection).run()

    assert [step["state"] for step in told.value.beside["steps"]] == ["done"]
    assert str(told.value.message).startswith(f"Sent {url} to your browser. ")
    assert told.value.hint == "See what came of it: jarvis threads show here"
