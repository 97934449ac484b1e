"""What is typed: words, commands of the chat, several lines, and what was typed before."""

from __future__ import annotations

import stat
import time

import pytest

from tests.cli.chat.said import HELLO, turns
from tests.person import ALT_ENTER, CTRL_J, ENTER


@pytest.mark.parametrize("word", ["exit", "Quit"])
def test_a_word_leaves(shell, chat, word):
    person = chat()
    person.at_prompt()
    person.type(word + ENTER)

    assert person.finish().status == 0
    person.assert_sane()


def test_new_and_threads_choose_the_thread(shell, chat):
    person = chat("-t", "default")
    person.ask("open example.org")
    person.ask("/new work", "work>")
    person.ask("open example.com", "work>")
    person.ask("/new default", "work>")
    person.see("hint: To go on in it: /resume default")
    person.ask("/new no/slash", "work>")
    person.see("The thread name “no/slash” can't be used.")
    fresh = f"{time.strftime('%Y-%m-%d', time.gmtime())}-1"
    person.type("reset" + ENTER)
    person.see(f"A new thread: {fresh}")
    person.ask("open example.net", f"{fresh}>")
    person.ask("/resume nonesuch", f"{fresh}>")
    person.see("There is no thread: nonesuch.")
    person.ask("/resume default")
    person.ask("/threads")

    assert [goal["goal"] for goal in turns(shell, "work")] == ["open example.com"]
    assert [goal["goal"] for goal in turns(shell, fresh)] == ["open example.net"]
    first, _, third = person.lines_of_text[-4:-1]
    assert first.startswith("   1  ")
    assert first.endswith(f"  {fresh}  open example.net")
    assert third.startswith("   3* ")
    assert third.endswith("  default  open example.org")
    assert person.leave().status == 0


def test_several_lines_are_one_request(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.at_prompt()
    person.type(f"one{ALT_ENTER}two{CTRL_J}three{ENTER}")
    person.see("Hello.")
    person.at_prompt()
    person.type("\x1b[200~four\rfive\x1b[201~" + ENTER)
    person.until(lambda: person.lines.count("Hello.") == 2)

    assert [turn["goal"] for turn in turns(shell)] == ["one\ntwo\nthree", "four\nfive"]


def test_what_was_typed_is_kept_for_its_owner_alone(shell, chat):
    person = chat()
    person.ask("open example.org")
    person.leave()
    kept = shell.home / "jarvis" / "state" / "chat_history"
    again = chat()
    again.at_prompt()

    again.type("\x1b[A")

    again.until(lambda: again.line == "> open example.org")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    (thread,) = shell.json("threads", "list")
    assert shell.jarvis("threads", "delete", "-y", thread["id"]).status == 0
    assert kept.read_text() == ""


def test_the_options_of_a_chat(shell, chat):
    shell.jarvis("-t", "work", "open", "example.com")
    shell.gemini.plans({"action": "open_website", "address": "u2", "finish": True})
    person = chat("chat", "-c", "-n", "--timeout", "30")
    person.at_prompt("work>")
    person.ask("have a look at https://example.org for me", "work>")

    person.see("Would open https://example.org")
    assert shell.opened == ["https://example.com"]


def test_without_a_terminal_there_is_no_chat(shell):
    done = shell.jarvis("chat")

    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("jarvis: A chat needs a terminal.")
