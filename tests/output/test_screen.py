"""Two streams on one terminal: nothing begins in the middle of a line, nothing is taken away."""

from __future__ import annotations

import os
import pty
import termios

import pytest

from jarvis.output.screen import Screen
from tests.running import need_terminals, seen


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


def test_a_notice_stands_above_the_block_that_is_being_written(terminal):
    screen, shown = terminal
    termios.tcsetwinsize(screen._out.fileno(), (24, 20))

    screen.reply("# A first block\nOne two\n\n# A second\nthree four five six")
    screen.passing("thinking…")
    screen.err("The database is away.")
    screen.reply(" seven")
    screen.reply("")

    assert seen(shown(), (20, 24)) == [
        *("A first block", "One two", "The database is", "away."),
        *("A second", "three four five six", "seven"),
    ]


def test_a_question_in_the_middle_of_a_reply_takes_no_word_of_it_away(terminal):
    screen, shown = terminal

    screen.reply("One **two")
    screen.ask("Really?")
    screen.reply("three")
    screen.reply("")

    assert seen(shown()) == ["One **two", "Really?", "three"]


def test_a_reply_loses_no_word_when_the_terminal_is_made_another_size(terminal):
    screen, shown = terminal
    for number, width in enumerate((40, 12, 80)):
        termios.tcsetwinsize(screen._out.fileno(), (24, width))
        screen.reply(f"word{number} " * 9 + "\n\n")
        screen.tick()
    screen.reply("")

    words = " ".join(seen(shown())).split()
    assert [words.count(f"word{number}") >= 9 for number in range(3)] == [True] * 3


@pytest.mark.parametrize(
    ("term", "encoding", "lines"),
    [("dumb", "utf-8", ["• a *", "│ b", "─" * 39]), ("xterm", "ascii", ["? a *", "? b", "?" * 39])],
)
def test_a_terminal_gets_what_it_has_signs_for(terminal, term, encoding, lines):
    screen, shown = terminal
    screen._out.reconfigure(encoding=encoding)
    screen = Screen({"TERM": term}, stdout=screen._out, stderr=screen._out)

    for piece in ("- **a", "** *\n\n> b\n", "\n---\n"):
        screen.reply(piece)
        screen.tick()
    screen.reply("")

    said = shown()
    assert seen(said) == lines
    assert term != "dumb" or "\x1b" not in said


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
