"""Which lines of a chat are commands, which are words, and which are neither."""

from __future__ import annotations

import pytest

from jarvis.cli.chat.slash import command_in
from jarvis.cli.registry import SLASHES
from jarvis.core.errors import UsageError

KNOWN = {
    "/help": ("help", ""),
    "/": ("help", ""),
    "/HELP ": ("help", ""),
    "/new": ("new", ""),
    "/new work": ("new", "work"),
    "/threads\twork ": ("threads", "work"),
    "/quit": ("quit", ""),
    "exit": ("quit", ""),
    " Quit ": ("quit", ""),
    "reset": ("new", ""),
}
WORDS = ["", "hello", "/etc/hosts what is it", "//", "/a.b", " /help", "exit the building", "reset it", "/7"]
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
    assert command_in(line) == command


@pytest.mark.parametrize("line", WORDS)
def test_anything_else_is_words(line):
    assert command_in(line) is None


@pytest.mark.parametrize(("line", "said"), NEITHER.items())
def test_what_looks_like_a_command_is_never_sent(line, said):
    with pytest.raises(UsageError) as failure:
        command_in(line)

    assert said in failure.value.message
    assert failure.value.hint


def test_every_command_can_be_found_by_its_own_help():
    assert all(command_in(f"/{command.name}") == (command.name, "") for command in SLASHES)
