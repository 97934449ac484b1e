"""Which lines of a chat are commands, which are words, and which are neither."""

from __future__ import annotations

import pytest

from jarvis.cli.chat.slash import command_of
from jarvis.core.errors import UsageError

KNOWN = {
    "/help": ("help", ""),
    "/": ("help", ""),
    "/HELP ": ("help", ""),
    "/new": ("new", ""),
    "/new work": ("new", "work"),
    "/threads\t ": ("threads", ""),
    "/resume the  thing": ("resume", "the  thing"),
    "/open 2": ("open", "2"),
    "/retry": ("retry", ""),
    "/quit": ("quit", ""),
    "exit": ("quit", ""),
    " Quit ": ("quit", ""),
    "reset": ("new", ""),
}
WORDS = ["", "hello", "/etc/hosts what is it", "//", "/a.b", " /help", "exit the building", "reset it", "/7"]
WORDS += [
    "jarvis",
    "jarvis open 2",
    "jarvis\nusage",
    "jarvis, help",
    "jarvis hlep",
]
# Of the command line, as it is read there; `…`: only if all of it fits.
LINES = {
    "/why": "why",
    "/why 3": "why 3",
    "/threads show work": "threads show work",
    "/policy": "policy",
    "/help policy": "help policy",
    "/alias add docs 'https://docs.example.com/{query}'": "alias add docs https://docs.example.com/{query}",
    "/threads search don't": "threads search don't",
    "/ask what is one": "ask what is one",
    # As hints name them, and bare.
    "jarvis keys set serpapi": "keys set serpapi …",
    "jarvis -t work why": "why -t work …",
    "usage": "usage …",
    "threads list": "threads list …",
    "why is the sky blue": "why is the sky blue …",
}
NEITHER = {
    "/thread": "Did you mean /threads?",
    "/frobnicate": "/help lists",
    "/frobnicate the thing": "/help lists",
    "/quit now": "does not take that",
    "/new two words": "does not take that",
    "/?": "/help lists",
}


@pytest.mark.parametrize(("line", "command"), KNOWN.items())
def test_a_command_is_known(line, command):
    found = command_of(line)

    assert (found.slash.name, found.argument) == command


@pytest.mark.parametrize(("line", "read"), LINES.items())
def test_every_command_of_the_command_line_is_one(line, read):
    found = command_of(line)

    assert " ".join([*found.words, *["…"] * (not found.is_sure)]) == read


@pytest.mark.parametrize("line", WORDS)
def test_anything_else_is_words(line):
    assert command_of(line) is None


@pytest.mark.parametrize(("line", "said"), NEITHER.items())
def test_what_looks_like_a_command_is_never_sent(line, said):
    with pytest.raises(UsageError) as failure:
        command_of(line)

    assert said in failure.value.message
    assert failure.value.hint
    assert "jarvis" not in failure.value.message + failure.value.hint
