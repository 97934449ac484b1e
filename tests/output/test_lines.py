"""Messages are broken between words at any width; an address and a command stay whole."""

from __future__ import annotations

import re

import pytest

from jarvis.output.screen import Screen, as_typed_at, wrapped
from tests.person import Person

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


def test_on_a_narrow_terminal_a_message_is_broken_between_words(shell):
    with Person(shell.program(), "threads", "show", "nowhere-to-be-found", size=(24, 24)) as person:
        assert person.finish().status == 2

        assert person.lines_of_text == [
            "jarvis: There is no",
            "thread",
            "nowhere-to-be-found.",
            "  hint:",
            "    jarvis threads list",
        ]
