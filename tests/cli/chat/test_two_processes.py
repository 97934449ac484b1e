"""The chat and a brain of its own: either may end, at any time."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.cli.chat.said import HELLO, turns
from tests.cli.test_program import alive
from tests.person import CTRL_C, ENTER, Person
from tests.program import Program
from tests.shell import wait_until
from tests.twins.gemini import Slow, Stall

PACKAGE = Path(__file__).parents[3] / "jarvis"


def test_a_brain_that_does_not_stop_is_ended(shell, chat):
    shell.gemini.plans(Stall(), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)
    brain = person.brain
    os.kill(brain, signal.SIGSTOP)

    person.type(CTRL_C)

    person.see("has stopped")
    person.at_prompt()
    assert not alive(brain)
    person.ask("what is two?")
    assert "Hello." in person.lines


def test_a_brain_that_dies_is_followed_by_another_which_goes_on(shell, chat):
    shell.gemini.plans(Stall(), HELLO, {**HELLO, "text": "Good day."})
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    wait_until(lambda: shell.gemini.requests)

    os.kill(person.brain, signal.SIGKILL)

    person.see("Hello.")
    person.ask("what is two?")
    person.see("Good day.")
    assert [turn["status"] for turn in turns(shell)] == ["done", "done"]


def test_a_brain_that_dies_in_the_middle_of_a_reply_leaves_no_broken_line(shell, chat):
    reply = {"action": "reply", "text": "one two three four " * 20}
    shell.gemini.plans(Slow(reply, chunks=100, delay=0.1), HELLO)
    person = chat()
    person.at_prompt()
    person.type("what is one?" + ENTER)
    person.until(lambda: person.line.startswith("on"))

    os.kill(person.brain, signal.SIGKILL)

    person.see("Hello.")
    assert "Hello." in person.lines
    person.at_prompt()


def test_what_the_hands_did_for_a_brain_that_died_counts(shell, chat):
    shell.gemini.plans({"action": "open_website", "address": "u1", "finish": True}, HELLO)
    person = chat()
    person.at_prompt()
    brain = person.brain
    # The one who opens is the one who kills.
    (shell.home / "opener").write_text(f"#!/bin/sh\necho once >> {shell.home}/opened\nkill -9 {brain}\n")

    person.ask("have a look at https://example.org for me")
    person.see("Sent https://example.org to your browser.")
    person.ask("what is two?")

    assert shell.opened == ["once"]
    assert not any("may or may not have happened" in line for line in person.lines)
    assert [step["state"] for step in turns(shell)[0]["steps"]] == ["done"]


@pytest.mark.parametrize("words", ["", "what is one?"], ids=["at the prompt", "in a turn"])
def test_a_chat_that_is_killed_takes_its_brain_along(shell, chat, words):
    shell.gemini.plans(*[Stall()] * bool(words))
    person = chat()
    person.at_prompt()
    brain = person.brain
    if words:
        person.type(words + ENTER)
        wait_until(lambda: shell.gemini.requests)

    person.send(signal.SIGKILL)

    wait_until(lambda: not alive(brain))
    if words:
        assert [turn["status"] for turn in turns(shell)] == ["interrupted"]


@pytest.mark.parametrize("terminal", ["xterm-256color", "dumb"])
@pytest.mark.parametrize("words", ["", "what is one?"], ids=["at the prompt", "in a turn"])
def test_a_chat_that_is_terminated_leaves_in_order(shell, chat, words, terminal):
    shell.gemini.plans(*[Stall()] * bool(words))
    person = chat("chat", environment={"TERM": terminal})
    person.at_prompt()
    brain = person.brain
    if words:
        person.type(words + ENTER)
        wait_until(lambda: shell.gemini.requests)

    person.send(signal.SIGTERM)

    assert person.finish().status == 143
    person.see("jarvis: Terminated.")
    person.assert_sane()
    assert not alive(brain)
    if words:
        assert [turn["status"] for turn in turns(shell)] == ["interrupted"]


def test_a_chat_whose_terminal_is_gone_ends_with_its_brain(shell, chat):
    person = chat()
    person.at_prompt()
    brain = person.brain

    person.send(signal.SIGHUP)

    assert person.finish().status == 143
    assert not alive(brain)


def test_a_brain_that_can_not_start_says_why_and_is_tried_again(shell, chat):
    shell.gemini.plans(HELLO)
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True)
    (data / "inflight.db").mkdir()  # where a file is to be
    person = chat()
    person.ask("open example.org")

    person.ask("what is one?")

    assert any(line.startswith("jarvis: The file") for line in person.lines)
    assert shell.opened == ["https://example.org"]
    (data / "inflight.db").rmdir()
    person.ask("what is one?")
    assert "Hello." in person.lines


def test_a_brain_that_could_not_start_is_told_in_a_line_and_nothing_else(shell, chat):
    """It has failed before anybody asked for it: that is told once it is needed."""
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True)
    (data / "inflight.db").mkdir()  # where a file is to be
    person = chat()
    person.at_prompt()
    person.until(lambda: not person._children())

    person.ask("what is one?")

    assert any(line.startswith("jarvis: The file") for line in person.lines)
    shown = "\n".join(person.lines)
    assert "Traceback" not in shown
    assert "never retrieved" not in shown


def test_the_chat_itself_never_imports_the_stack(shell, chat):
    person = chat(environment={"PYTHONPROFILEIMPORTTIME": "1"}, cold=True, size=(200, 50))
    person.at_prompt()
    person.type("open example.org" + ENTER)
    person.see("Sent https://example.org")
    person.leave()

    names = {
        line.rsplit(b"|", 1)[1].strip().decode()
        for line in person.said.splitlines()
        if line.startswith(b"import time:")
    }
    assert "prompt_toolkit" in names
    heavy = {"langgraph", "langchain", "langchain_core", "langchain_google_genai", "google", "pydantic"}
    assert {name for name in names if name.split(".")[0] in heavy | {"rich", "requests"}} == set()


def test_a_fault_in_a_plain_command_ends_the_command_and_not_the_chat(shell, tmp_path):
    """Such as an update while one chats: what was not imported yet is not what it was."""
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    program = Program(shell.home, shell.environment, package_root=tmp_path / "copy")
    with Person(program, size=(200, 24)) as person:
        person.at_prompt()
        capture = tmp_path / "copy" / "jarvis" / "desktop" / "linux" / "capture.py"
        capture.write_text("raise RuntimeError('half an update')")
        person.ask("take a screenshot")
        person.see("jarvis: Jarvis has a bug: RuntimeError: half an update")
        person.ask("open example.net")
        person.see("Sent https://example.net")

        assert shell.opened == ["https://example.net"]
        assert person.leave().status == 0


def test_a_setting_that_is_changed_while_chatting_counts_from_the_next_turn(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.ask("what is one?")
    shell.configure('model = "gemini-2.5-flash"')

    person.ask("what is two?")

    assert [asked.model for asked in shell.gemini.requests] == ["gemini-3.5-flash-lite", "gemini-2.5-flash"]


def test_a_key_that_is_put_into_its_file_while_chatting_is_read(shell, chat):
    shell.gemini.plans(HELLO)
    person = chat(environment={"GOOGLE_API_KEY": ""})
    person.at_prompt()
    person.type("hi" + ENTER)
    person.see("Paste the key (hidden")
    person.type(ENTER)
    person.see("hint: jarvis keys set google")
    person.at_prompt()
    config = shell.home / "jarvis" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / ".env").write_text("GOOGLE_API_KEY=key-of-the-tests\n")
    (config / ".env").chmod(0o600)

    person.ask("hi again")

    person.see("Hello.")
