"""Which lines of a chat are commands, which are words, and which are neither."""

from __future__ import annotations

import pytest

from jarvis.cli.chat.slash import command_in
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
    "jarvis why is the sky blue",
    "jarvis\nusage",
    "jarvis, help",
    "jarvis hlep",
]
# Of the command line: the command's name there, and its words.
CALLS = {
    "/why": ("why", []),
    "/why 3": ("why", ["3"]),
    "/usage --days 3": ("usage", []),
    "/threads show work": ("show", ["work"]),
    "/threads list": ("list", []),
    "/policy list": ("list", []),
    "/policy": ("help", ["policy"]),
    "/help policy": ("help", ["policy"]),
    "/alias add docs 'https://docs.example.com/{query}'": (
        "add",
        ["docs", "https://docs.example.com/{query}"],
    ),
    "/threads search don't": ("search", ["don't"]),
    "/ask what is one": ("ask", ["what", "is", "one"]),
    "/version": ("version", []),
    # As hints name them.
    "jarvis keys set serpapi": ("set", ["serpapi"]),
    "jarvis -t work why": ("why", []),
    "jarvis threads show --help": ("help", ["threads", "show"]),
}
NEITHER = {
    "/thread": "Did you mean /threads?",
    "/frobnicate": "/help lists",
    "/frobnicate the thing": "/help lists",
    "/quit now": "does not take that",
    "/why is the sky blue": "does not take that",
    "/threads work": "/threads does not take that",
    "/threads rm work": "nearly the command: /threads delete work",
    "/usage --days": "needs a number",
    "/policy allow nonsense please now": "does not take that",
    "/new two words": "does not take that",
    "/?": "/help lists",
}


@pytest.mark.parametrize(("line", "command"), KNOWN.items())
def test_a_command_is_known(line, command):
    found = command_in(line)

    assert (found.slash.name, found.argument) == command


@pytest.mark.parametrize(("line", "called"), CALLS.items())
def test_every_command_of_the_command_line_is_one(line, called):
    call = command_in(line)

    assert (call.command.name, list(call.words)) == called


@pytest.mark.parametrize("line", WORDS)
def test_anything_else_is_words(line):
    assert command_in(line) is None


@pytest.mark.parametrize(("line", "said"), NEITHER.items())
def test_what_looks_like_a_command_is_never_sent(line, said):
    with pytest.raises(UsageError) as failure:
        command_in(line)

    assert said in failure.value.message
    assert failure.value.hint
    assert "jarvis" not in failure.value.message + failure.value.hint
