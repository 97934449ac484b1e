"""One registry: a command is a row and a file, and what it prints on a terminal is its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.program import Program
from tests.running import need_terminals

PACKAGE = Path(__file__).parent.parent.parent / "jarvis"
NEW_COMMAND = '''
"""`jarvis greet`, and `/greet` in a chat."""


def greet(call, screen):
    screen.out(f"Hello {call.words[0]}, as {'JSON' if call.options.json else 'words'}.")
    return 0


async def greet_in_chat(chat, argument):
    chat.print(f"Hello {argument}.")
'''
ROW = """    Command("greet", "say hello", "commands.greet.greet", (Argument("whom", "a name"),), PRINTED),
"""
SLASH = """    Slash("greet", "WHOM", "say hello", "commands.greet.greet_in_chat"),
"""


@pytest.fixture
def greeting(tmp_path):
    """The program with one command more, which is a file and its rows."""
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    cli = tmp_path / "copy" / "jarvis" / "cli"
    (cli / "commands" / "greet.py").write_text(NEW_COMMAND)
    registry = (cli / "registry.py").read_text()
    assert "    SHOW_HELP,\n" in registry
    assert "SLASHES = (\n" in registry
    registry = registry.replace("    SHOW_HELP,\n", f"{ROW}    SHOW_HELP,\n")
    (cli / "registry.py").write_text(registry.replace("SLASHES = (\n", f"SLASHES = (\n{SLASH}"))
    return Program(tmp_path, package_root=tmp_path / "copy")


@pytest.mark.slow
def test_a_command_is_added_as_one_new_file_and_its_row(greeting):
    """And is then done, helped with, and told from what nearly is one."""
    assert greeting.run("greet", "Ada").stdout == "Hello Ada, as words.\n"
    assert greeting.run("--json", "greet", "Ada").stdout == "Hello Ada, as JSON.\n"
    assert "  greet WHOM  " in greeting.run("--help").stdout
    assert greeting.run("help", "greet").stdout.startswith("Usage: jarvis greet [OPTIONS] WHOM\n")
    assert "That is nearly the command: jarvis greet" in greeting.run("greeet").stderr
    assert "No such option: --quiet" in greeting.run("greet", "Ada", "--quiet").stderr


@pytest.mark.slow
def test_a_command_of_a_chat_is_added_so_too(greeting):
    need_terminals()

    done = greeting.run("chat", tty=True, stdin="/greet Ada\n/help\n/quit\n")

    assert b"Hello Ada." in done.screen
    assert b"/greet WHOM" in done.screen


@pytest.mark.parametrize(
    "argv", ["threads list", "policy list", "alias list", "usage", "why -t default", "brain status", "-h"]
)
def test_what_a_command_prints_on_a_terminal_is_all_that_comes(shell, argv):
    """Nothing passes by before it: it takes no time that would need a sign of life."""
    need_terminals()
    shell.jarvis("open", "example.org")

    piped = shell.jarvis(*argv.split())
    shown = shell.jarvis(*argv.split(), tty=True, size=(300, 50))

    assert piped.stdout or piped.stderr
    assert shown.screen.decode().replace("\r\n", "\n") == piped.stdout + piped.stderr
