"""Ctrl-C and Ctrl-Z, wherever the chat is just then."""

from __future__ import annotations

import signal
import socket

from tests.cli.chat.conftest import HELLO
from tests.person import CTRL_C, ENTER, Person
from tests.program import Program
from tests.shell import wait_until
from tests.twins.gemini import Slow

UNKNOWN = "It is not known whether this happened: open website https://example.org."


def test_ctrl_c_in_a_command_that_takes_long_brings_the_prompt_back(shell, chat):
    """One that asks a server which does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/none"
        person = chat(environment={"DATABASE_URL": address})
        person.at_prompt()
        person.type("/threads" + ENTER)
        person.see("starting…")
        with silent.accept()[0]:
            person.type("half of a" + CTRL_C)

            person.see("jarvis: Interrupted.")
            person.until(lambda: person.line == "> half of a")


def test_ctrl_c_at_a_prompt_clears_it_and_never_leaves(shell, chat):
    person = chat()
    person.at_prompt()
    person.type("half of a")
    person.until(lambda: person.line == "> half of a")
    person.type(CTRL_C)
    person.at_prompt()
    assert "Ctrl-D to leave" not in person.lines

    person.type(CTRL_C)

    person.until(lambda: "Ctrl-D to leave" in person.lines and person.line == ">")
    person.send(signal.SIGINT)
    person.until(lambda: person.lines.count("Ctrl-D to leave") == 2 and person.line == ">")
    assert person.leave().status == 0
    person.assert_sane()


def test_ctrl_c_while_the_hands_act_tells_that_it_is_not_known(shell, chat):
    """What they are at can't be taken back. By the model, and plainly."""
    (shell.home / "opener").write_text(
        """#!/bin/sh
        echo "$1" >> "$HOME/opened"
        for _ in $(seq 200); do [ -e "$HOME/go" ] && exit 4; sleep 0.05; done
        """
    )
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True})
    person = chat()
    person.at_prompt()
    for n, words in enumerate(("have a look at https://example.org for me", "open example.org"), 1):
        person.type(words + ENTER)
        wait_until(lambda: len(shell.opened) == n)  # noqa: B023
        person.type(CTRL_C)
        person.until(lambda: person.lines.count(UNKNOWN) == n)  # noqa: B023
        person.at_prompt()

    (shell.home / "go").touch()
    assert [turn["status"] for turn in shell.turns()] == ["interrupted"] * 2
    assert shell.turns()[0]["steps"][0]["state"] == "unknown"
    assert not any("Did not open" in line for line in person.lines)


def test_ctrl_z_in_a_turn_stops_the_chat_until_it_is_brought_back(shell):
    """In a shell that has jobs: the one of a script stops nothing of its own."""
    shell.gemini.plans(Slow(HELLO, chunks=10, delay=0.1))
    jobs = ("/bin/sh", "-m", "-c", '"$@"; echo "status $?"; read line; echo "read $line"; fg', "sh")
    with Person(Program(shell.home, shell.environment, within=jobs)) as person:
        person.at_prompt()
        person.type("what is one?" + ENTER)
        wait_until(lambda: shell.gemini.requests)

        person.type("nothing for the shell\x1a")
        person.see("status 148")
        person.type("aloud" + ENTER)
        person.see("read aloud")

        person.see("Hello.")
        person.at_prompt()
        assert person.lines.count("aloud") == 1  # the terminal shows what is typed, as it does for a shell
        assert person.leave().status == 0
