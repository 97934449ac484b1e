"""What is typed: words, several lines, and what was typed before."""

import stat

from tests.brain.brains import HELLO
from tests.person import ALT_ENTER, CTRL_J, END_OF_PASTE, ENTER, PASTE, UP


def test_a_chat_greets_leaves_an_empty_line_between_turns_and_ends_by_a_word(shell, chat):
    person = chat()
    for line in ("open a.example", "/model", "open b.example"):
        person.ask(line)

    assert person.lines_of_text[0].startswith("Jarvis 0.")
    assert "/help for help, Ctrl-D to leave." in person.lines_of_text[0]
    assert b"\x1b[38;5;243mJarvis" in person.said
    prompts = [n for n, line in enumerate(person.lines) if line.startswith("> ")]
    assert [person.lines[n - 1] for n in prompts[1:]] == ["", ""]
    assert b"\x1b[0;1m > " in person.said
    person.type("Exit" + ENTER)
    assert person.finish().status == 0
    person.assert_sane()


def test_several_lines_are_one_request(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.at_prompt()
    person.type(f"one{ALT_ENTER}two{CTRL_J}three \\ four{ENTER}")
    person.see("Hello.")
    person.at_prompt()
    person.type(f"{PASTE}six\rseven{END_OF_PASTE}{ENTER}")
    person.until(lambda: person.lines.count("Hello.") == 2)

    assert "  three \\ four" in person.lines
    assert [turn["goal"] for turn in shell.turns()] == ["one\ntwo\nthree \\ four", "six\nseven"]


def test_what_was_typed_is_kept_for_its_owner_alone(shell, chat):
    person = chat()
    person.ask("open example.org")
    person.leave()
    kept = shell.home / "jarvis" / "state" / "chat_history"
    again = chat()
    again.at_prompt()

    again.type(UP)

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
    person.at_prompt(thread="work")
    person.ask("have a look at https://example.org for me", "work")

    person.see("Would open https://example.org")
    assert shell.opened == ["https://example.com"]


def test_without_a_terminal_there_is_no_chat(shell):
    done = shell.jarvis("chat")

    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.startswith("jarvis: A chat needs a terminal.")
