"""Two streams on one terminal: nothing is taken away; messages are broken between words at any width."""

import re
import termios

import pytest

from jarvis.output.screen import Screen, as_typed_at, wrapped
from tests.output.terminals import Terminal
from tests.running import seen


@pytest.fixture
def terminal():
    """A screen on a terminal, and what the terminal was sent."""
    terminal = Terminal()
    return terminal.screen, terminal.end


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
    monkeypatch.undo()

    assert shown() == "thinking…\r\x1b[Kthinking… 4 s, Ctrl-C stops\r\x1b[KOne.\n"


URL = "https://a-rather-long-name.example/with/a/path?and=a&query=too"
COMMAND = "jarvis -t other 'what was it that I asked you for yesterday evening'"
MESSAGES = [
    f"jarvis: Did not open {URL}: the program that should open it is not there.",
    f"  hint: Wait for it, or use another: {COMMAND}",
    f"  hint: {COMMAND}",
    "  hint: Known are: model, thinking, thread, google_api_key, serpapi_api_key, database_url, bookmarks.",
    "\x1b[2mThe thread work is in use by another terminal,\x1b[0m waiting",
    "",
]


@pytest.mark.parametrize("width", [20, 27, 40, 80, 200])
@pytest.mark.parametrize("message", MESSAGES)
def test_no_line_is_wider_than_the_terminal_but_for_what_stays_whole(message, width):
    lines = wrapped(message, width).split("\n")

    wide = [line.strip() for line in lines if len(re.sub(r"\x1b\[[0-9;]*m", "", line)) > width]
    assert all(line in (URL, f"{URL}:", COMMAND, f"hint: {COMMAND}") for line in wide)
    assert "".join("".join(lines).split()) == "".join(message.split())
    assert all(line.startswith("    ") for line in lines[1:]) or not message.startswith("  hint")
    if COMMAND in message:
        assert any(line.endswith(COMMAND) for line in lines)


def test_what_fits_is_left_as_it_is():
    assert wrapped("  two  spaces   stay\n\n  here ", 20) == "  two  spaces   stay\n\n  here "


@pytest.mark.parametrize("first", ["日本 ab", "e\u0301t e\u0301te\u0301", "\x1b[2mone\x1b[0m two", "one two"])
def test_a_line_is_as_long_as_it_is_seen(first):
    assert wrapped(f"{first} more", 7) == f"{first}\nmore"


@pytest.mark.parametrize(
    ("hint", "typed"),
    [
        ("See what came of it: jarvis threads show work", "See what came of it: /threads show work"),
        ('jarvis "sort by price"', "sort by price"),
        ("What was found before: jarvis back.", "What was found before: back."),
        ("jarvis -t other open 2", "jarvis -t other open 2"),
        ("jarvis threads export > threads.jsonl", "jarvis threads export > threads.jsonl"),
        ("Ask again.", "Ask again."),
    ],
)
def test_in_a_chat_a_hint_is_as_it_is_typed_there(hint, typed):
    screen = Screen({})
    assert as_typed_at(screen, hint) == hint
    screen.is_chat = True
    assert as_typed_at(screen, hint) == typed


def test_work_shows_how_far_it_is_once_it_takes_a_while_on_a_terminal_alone(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])

    def said(*, seconds, is_quiet=False, term="xterm"):
        terminal = Terminal(80, term=term)
        terminal.screen.is_quiet = is_quiet
        for done in range(5):
            terminal.screen.show_progress("asking for prices", done, 4)
            if done < 4:
                terminal.screen.show_progress("a part of it", 0, 0)
            now[0] += seconds
        return terminal.end()

    assert "asking for prices ━━━━━───────────────  1 of 4".replace("  ", " ") in said(seconds=1)
    assert said(seconds=1).endswith("\r\x1b[K")
    assert "a part" not in said(seconds=1)
    for nothing in (said(seconds=0.1), said(seconds=1, is_quiet=True), said(seconds=1, term="dumb")):
        assert nothing == ""
