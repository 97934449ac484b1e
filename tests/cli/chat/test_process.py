"""The process of a chat without a brain: how it ends, and which settings it goes by."""

import shutil
import signal
from pathlib import Path

import pytest

from tests.brain.brains import HELLO
from tests.person import CTRL_C, ENTER, Person
from tests.program import Program
from tests.shell import wait_until
from tests.twins.gemini import Stall

PACKAGE = Path(__file__).parents[3] / "jarvis"


@pytest.mark.parametrize(("words", "end"), [("", signal.SIGHUP), ("what is one?", signal.SIGTERM)])
def test_a_chat_that_is_terminated_leaves_in_order(shell, chat, words, end):
    shell.gemini.plans(*[Stall()] * bool(words))
    person = chat()
    person.at_prompt()
    if words:
        person.type(words + ENTER)
        wait_until(lambda: shell.gemini.requests)

    person.send(end)

    assert person.finish().status == 143
    person.see("jarvis: Terminated.")
    person.assert_sane()
    if words:
        assert [turn["status"] for turn in shell.turns()] == ["interrupted"]


def test_a_dumb_terminal_gets_no_escapes(shell, chat):
    person = chat("chat", environment={"TERM": "dumb"})
    person.at_prompt()
    person.type("open example.org" + ENTER)
    wait_until(lambda: shell.opened)
    person.see("Sent https://example.org")
    person.at_prompt()
    person.type(CTRL_C)
    person.see("Ctrl-D to leave")

    person.send(signal.SIGTERM)

    assert person.finish().status == 143
    assert b"\x1b" not in person.said


def test_what_keeps_the_model_from_being_asked_is_told_in_a_line_and_tried_again(shell, chat):
    """It has failed before anybody asked: that is told once it is needed."""
    shell.gemini.plans(HELLO)
    data = shell.home / "jarvis" / "data"
    data.mkdir(parents=True)
    (data / "inflight.db").mkdir()  # where a file is to be
    person = chat()
    person.ask("open example.org")

    person.ask("what is one?")

    assert any(line.startswith("jarvis: The file") for line in person.lines)
    assert shell.opened == ["https://example.org"]
    shown = "\n".join(person.lines)
    assert "Traceback" not in shown
    assert "never retrieved" not in shown
    (data / "inflight.db").rmdir()
    person.ask("what is one?")
    assert "Hello." in person.lines


def test_a_fault_in_a_plain_command_ends_the_command_and_not_the_chat(shell, tmp_path):
    """Such as an update while one chats: what was not imported yet is not what it was."""
    shutil.copytree(PACKAGE, tmp_path / "copy" / "jarvis")
    program = Program(shell.home, shell.environment, package_root=tmp_path / "copy")
    with Person(program, size=(200, 24)) as person:
        person.at_prompt()
        menu = tmp_path / "copy" / "jarvis" / "desktop" / "linux" / "apps.py"
        menu.write_text("raise RuntimeError('half an update')")
        person.ask("start firefox")
        person.see("jarvis: Jarvis has a bug: RuntimeError: half an update")
        person.ask("open example.net")

        assert shell.opened == ["https://example.net"]
        assert person.leave().status == 0


def test_settings_and_keys_that_are_changed_while_chatting_count_from_the_next_turn(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat(environment={"GOOGLE_API_KEY": ""})
    person.at_prompt()
    person.type("hi" + ENTER)
    person.see("Paste the key (hidden")
    person.type(ENTER)
    person.see("hint: /keys set google")
    person.at_prompt()
    config = shell.home / "jarvis" / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / ".env").write_text("GOOGLE_API_KEY=key-of-the-tests\n")
    (config / ".env").chmod(0o600)
    person.ask("what is one?")
    shell.configure('model = "gemini-2.5-flash"')

    person.ask("what is two?")

    assert [asked.model for asked in shell.gemini.requests] == ["gemini-3.5-flash-lite", "gemini-2.5-flash"]
