"""Ctrl-C and Ctrl-Z, wherever the chat is just then."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import time

from jarvis.store.sqlite import at_once, file_lock
from tests.cli.chat.said import HELLO, an_opener_that_waits, turns
from tests.person import CTRL_C, ENTER, Person
from tests.program import Program
from tests.shell import wait_until
from tests.twins.gemini import Slow


def test_ctrl_c_in_a_command_that_takes_long_brings_the_prompt_back(shell, chat):
    """One that asks a server which does not answer."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://someone@127.0.0.1:{silent.getsockname()[1]}/none"
        person = chat(environment={"DATABASE_URL": address})
        person.at_prompt()
        person.type("/threads" + ENTER)
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
    an_opener_that_waits(shell)
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True})
    person = chat()
    person.at_prompt()
    person.type("have a look at https://example.org for me" + ENTER)
    wait_until(lambda: shell.opened)

    person.type(CTRL_C)

    person.see("It is not known whether this happened: open website https://example.org.")
    person.at_prompt()
    assert turns(shell)[0]["steps"][0]["state"] == "unknown"
    (shell.home / "go").touch()


def test_ctrl_z_in_a_turn_stops_the_chat_until_it_is_brought_back(shell):
    """In a shell that has jobs: the one of a script stops nothing of its own."""
    shell.gemini.plans(Slow(HELLO, chunks=10, delay=0.3))
    jobs = ("/bin/sh", "-m", "-c", '"$@"; echo "status $?"; read line; echo "read $line"; fg', "sh")
    with Person(Program(shell.home, shell.environment, within=jobs)) as person:
        person.at_prompt()
        person.type("what is one?" + ENTER)
        wait_until(lambda: shell.gemini.requests)

        person.type("and \x1a")
        person.see("status 148")
        person.type("aloud" + ENTER)
        person.see("read aloud")

        person.see("Hello.")
        person.until(lambda: person.line == "> and")
        assert person.lines.count("aloud") == 1  # the terminal shows what is typed, as it does for a shell
        person.type(CTRL_C)
        assert person.leave().status == 0


def test_ctrl_c_in_a_plain_command_brings_the_prompt_back(shell, chat):
    """What the hands are at can't be taken back: it is told as outside a chat."""
    an_opener_that_waits(shell)
    person = chat()
    person.at_prompt()
    person.type("open example.org" + ENTER)
    wait_until(lambda: shell.opened)

    person.type(CTRL_C)

    person.see("It is not known whether this happened: open website https://example.org.")
    person.at_prompt()
    (shell.home / "go").touch()
    assert turns(shell)[0]["status"] == "interrupted"
    assert not any("Did not open" in line for line in person.lines)


def test_what_is_typed_after_ctrl_c_answers_no_question_of_what_was_given_up(shell, chat):
    """History is locked by another program, so that the command has not come to its question yet."""
    shell.jarvis("open", "example.org")
    shell.jarvis("policy", "ask", "open", "example.com")
    person = chat("-t", "default")
    person.at_prompt()
    other = sqlite3.connect(shell.settings.folders.history, isolation_level=None)
    with contextlib.closing(other):
        other.execute("BEGIN IMMEDIATE")
        person.type("open example.com" + ENTER)
        time.sleep(0.5)  # it waits for the lock
        person.type(CTRL_C)
        person.see("Interrupted.")
        person.at_prompt()
    person.type("y")

    person.until(lambda: person.line == "> y")
    assert shell.opened == ["https://example.org"]


def test_a_thread_that_is_in_use_is_waited_for_until_ctrl_c(shell, chat):
    lock = file_lock(str(shell.home / "jarvis" / "state"), "default")
    assert at_once(lock.take())
    person = chat("-t", "default")
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.see("The thread default is in use by another process: waiting")

    person.type(CTRL_C)

    person.see("Interrupted.")
    person.at_prompt()
    at_once(lock.release())
    assert shell.cost == (0, 0)
