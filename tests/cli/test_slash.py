"""Which lines of a chat are commands, which are words, and which are neither."""

import pytest

from jarvis.cli.chat import command_of
from jarvis.core.errors import UsageError

COMMANDS = {
    "/help": "help",
    "/": "help",
    "/HELP ": "help",
    "/new work": "new work",
    "/threads\t ": "threads",
    "/resume the  thing": "resume the thing",
    "/title don't": "title don't",
    "exit": "quit",
    " Quit ": "quit",
    "/why 3": "why 3",
    "/help policy": "help policy",
    "/alias add docs 'https://docs.example.com/{query}'": "alias add docs https://docs.example.com/{query}",
    "/ask what is one": "ask what is one",
    # As hints name them, and bare: where all of it fits.
    "jarvis keys set serpapi": "keys set serpapi",
    "jarvis -t work why": "why -t work",
    "usage": "usage",
    "threads list": "threads list",
    "why is the sky blue": "why is the sky blue",
}
WORDS = ["", "hello", "/etc/hosts what is it", "//", "/a.b", " /help", "exit the building", "/7", "jarvis"]
WORDS += ["jarvis open 2", "jarvis\nusage", "jarvis, help", "jarvis hlep"]
NEITHER = {
    "/thread": "Did you mean /threads?",
    "/frobnicate the thing": "/help lists",
    "/?": "/help lists",
}


@pytest.mark.parametrize(("line", "command"), [*COMMANDS.items(), *((line, "") for line in WORDS)])
def test_a_command_is_known_and_anything_else_is_words(line, command):
    assert " ".join(command_of(line)) == command


@pytest.mark.parametrize(("line", "said"), NEITHER.items())
def test_what_looks_like_a_command_is_never_sent(line, said):
    with pytest.raises(UsageError) as failure:
        command_of(line)

    assert said in failure.value.message
    assert failure.value.hint
    assert "jarvis" not in failure.value.message + failure.value.hint
