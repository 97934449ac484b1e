"""Ctrl-C, wherever the chat is just then."""

import signal
import socket

from tests.person import CTRL_C, ENTER
from tests.shell import wait_until

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


def test_ctrl_c_while_the_desktop_acts_tells_that_it_is_not_known(shell, chat):
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
