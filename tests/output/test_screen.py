"""Two streams on one terminal: nothing begins in the middle of a line, nothing is taken away."""

from __future__ import annotations

import os
import pty
import termios

import pytest

from jarvis.output.screen import Screen
from tests.running import need_terminals


@pytest.fixture
def terminal():
    """A screen on a terminal, and what the terminal was sent."""
    need_terminals()
    ours, theirs = pty.openpty()

    with open(theirs, "w", encoding="utf-8") as stream:

        def shown():
            stream.write("<end>")
            stream.flush()
            said = b""
            while not said.endswith(b"<end>"):
                said += os.read(ours, 4096)
            return said.decode().replace("\r\n", "\n").removesuffix("<end>")

        yield Screen({}, stdout=stream, stderr=stream), shown
    os.close(ours)


def test_a_notice_in_the_middle_of_a_reply_has_a_line_of_its_own(terminal):
    screen, shown = terminal

    screen.out("One two", end="")
    screen.err("The database is away.")
    screen.out("three.")

    assert shown() == "One two\nThe database is away.\nthree.\n"


def test_a_reply_is_wrapped_and_a_notice_takes_no_word_of_it_away(terminal):
    screen, shown = terminal
    termios.tcsetwinsize(screen._out.fileno(), (24, 20))

    for piece in ("One two three four ", "five six", " sev", "en"):
        screen.reply(piece)
    screen.err("The database is away.")
    screen.passing("thinking…")
    screen.reply(" eight nine ten eleven")
    termios.tcsetwinsize(screen._out.fileno(), (24, 9))
    screen.reply(" and twelve")
    screen.out("")

    assert shown() == (
        "One two three four\nfive six seven\nThe database is\naway.\n"
        "thinking…\r\x1b[Keight nine ten\neleven\nand\ntwelve\n"
    )


def test_no_empty_line_is_left_where_a_reply_ended(terminal):
    screen, shown = terminal

    screen.out("One two.\n", end="")
    screen.err("Told.")
    screen.end_line()
    screen.out("")
    screen.out("", end="")
    screen.err("Told again.")

    assert shown() == "One two.\nTold.\n\nTold again.\n"


def test_waiting_tells_for_how_long_and_what_ends_it(terminal, monkeypatch):
    screen, shown = terminal
    now = iter((100.0, 101.0, 104.5))
    monkeypatch.setattr("jarvis.output.screen.time.monotonic", lambda: next(now))

    screen.tick()  # nothing stands there
    screen.passing("thinking…")
    screen.tick()
    screen.tick()
    screen.out("One.")
    screen.tick()

    assert shown() == "thinking…\r\x1b[Kthinking… 4 s, Ctrl-C stops\r\x1b[KOne.\n"
