"""The commands of a chat: its own, and those of the command line, in the chat's thread."""

from __future__ import annotations

import base64
import re
import signal

import pytest

from jarvis.core.events import Tabled
from jarvis.output.tables import tab_separated
from tests.cli.chat.said import HELLO, turns
from tests.conftest import BOTH
from tests.output.test_tables import FOUND
from tests.person import CTRL_C, ENTER
from tests.shell import wait_until

SAY = {"action": "reply", "finish": True}
TAB, CTRL_X, CTRL_E, ESCAPE = "\t", "\x18", "\x05", "\x1b"


def test_a_chat_begins_with_a_line_of_greeting(chat):
    person = chat()
    person.at_prompt()

    assert person.lines_of_text[0].startswith("Jarvis 0.")
    assert "/help tells more, Ctrl-D leaves." in person.lines_of_text[0]
    assert len(person.lines_of_text) == 2
    assert b"\x1b[2mJarvis" in person.said


@BOTH
def test_commands_of_the_command_line_are_about_the_thread_of_the_chat(shell, chat):
    shell.jarvis("open", "elsewhere.example")
    person = chat("chat", "-t", "work")
    for line in ("open a.example", "/why", "/threads show", "/threads show default", "/usage --json"):
        person.ask(line, "work>")
    person.ask("/alias add docs 'https://docs.example.com/?q={query}'", "work>")
    person.ask("/policy test open a.example", "work>")
    person.ask("/policy nonsense", "work>")
    person.ask("/threads search nonesuch", "work>")

    said = "\n".join(person.lines)
    assert "work, turn 1" in said
    assert "done" in said.split("/threads show\n")[1].split("/threads show default")[0]
    assert "elsewhere.example" in said.split("/threads show default")[1]
    assert "Saved docs  https://docs.example.com/?q={query}" in said
    assert "Nothing was found." in said
    assert [turn["goal"] for turn in turns(shell, "work")] == ["open a.example"]
    assert person.leave().status == 0
    assert shell.cost == (0, 0)


def test_a_command_asks_as_it_does_outside_a_chat_and_ctrl_c_gives_it_up(shell, chat):
    shell.jarvis("-t", "old", "open", "a.example")
    person = chat()
    person.at_prompt()
    person.type("/threads delete old" + ENTER)
    person.see("Type yes to go on:")
    person.type(CTRL_C)
    person.see("Nothing was deleted.")
    person.at_prompt()
    person.type("/threads delete old" + ENTER)
    person.until(lambda: person.line.endswith("Type yes to go on:"))
    person.type("yes" + ENTER)
    person.see("Deleted old: 1 turn.")

    person.ask("open b.example")  # keys and turns are as before
    person.type("half")
    person.until(lambda: person.line == "> half")
    person.type(CTRL_C)
    person.at_prompt()
    assert turns(shell)[0]["goal"] == "open b.example"
    assert person.leave().status == 0
    person.assert_sane()


@pytest.mark.parametrize(
    ("line", "asks"), [("/threads delete old", "Type yes to go on:"), ("/resume", "Which one?")]
)
def test_being_terminated_in_a_command_ends_the_chat(line, asks, shell, chat):
    shell.jarvis("-t", "old", "open", "a.example")
    person = chat()
    person.at_prompt()
    person.type(line + ENTER)
    person.see(asks)

    person.send(signal.SIGTERM)

    assert person.finish().status == 143
    assert len(turns(shell, "old")) == 1
    person.assert_sane()


def test_a_request_is_asked_once_more(shell, chat):
    shell.gemini.plans(HELLO, HELLO)
    person = chat()
    person.ask("/retry")
    person.see("Nothing was asked here yet.")
    person.ask("how are you?")
    person.ask("/retry")

    assert [turn["goal"] for turn in turns(shell)] == ["how are you?", "how are you?"]


def test_a_thread_is_resumed_by_number_name_or_what_it_tells(shell, chat):
    for name, host in (("alpha", "one.example"), ("beta", "two.example"), ("7", "three.example")):
        shell.jarvis("-t", name, "open", host)
    person = chat()
    person.at_prompt()
    person.type("/resume" + ENTER)
    person.see("Which one? Its number, or a part of its title")
    person.until(lambda: person.line == ">")
    person.type("3" + ENTER)
    person.at_prompt("alpha>")
    person.ask("/resume beta", "beta>")
    person.ask("/resume ONE.exam", "alpha>")
    person.ask("/resume 7", "7>")  # a name comes before a number
    person.ask("/resume open", "7>")
    person.see("3 threads have that: open.")
    person.ask("/resume nonesuch", "7>")

    person.see("There is no thread: nonesuch.")
    person.type("/resume" + ENTER)
    person.until(lambda: person.lines_of_text[-2].startswith("Which one?"))
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt("7>")
    person.type("half")
    person.until(lambda: person.line == "7> half")
    assert "Ctrl-D to leave" not in person.lines  # one Ctrl-C does one thing


def test_a_conversation_is_known_by_its_title_and_where_it_stopped(shell, chat):
    """The one of another terminal, as its person finds it again here."""
    shell.gemini.plans(HELLO, {**SAY, "text": "In May."}, HELLO)
    before = chat()
    for words in ("hi there!", "when are the holidays?"):
        before.ask(words)
    before.ask("/title the holidays", "the holidays>")
    before.leave()
    person = chat()
    person.ask("/title early")
    person.see("Nothing was asked here yet.")
    person.ask("/resume holi", "the holidays>")

    shown = person.lines_of_text
    assert shown.index("> when are the holidays?") < shown.index("In May.")
    assert "Hello." not in shown
    person.ask("hello", "the holidays>")
    assert [turn["goal"] for turn in turns(shell)][-1] == "hello"


def test_a_conversation_is_titled_by_the_first_request_that_is_more_than_a_greeting(shell):
    shell.gemini.plans(HELLO, HELLO, HELLO)
    told = []
    for words in ("Hi there!", "what is new?", "what is old?"):
        shell.jarvis(words)
        told += [thread["title"] for thread in shell.json("threads", "list")]

    assert told == ["", "what is new?", "what is new?"]


def test_an_empty_line_stands_between_turns(chat):
    person = chat()
    for line in ("open a.example", "/model", "open b.example"):
        person.ask(line)

    prompts = [n for n, line in enumerate(person.lines) if line.startswith("> ")]
    assert len(prompts) == 3
    assert [person.lines[n - 1] for n in prompts[1:]] == ["", ""]
    assert b"\x1b[0;36;1m> " in person.said  # a prompt in a colour


MARKDOWN = "# A head\n\n- one **bold** wörd"


def test_a_reply_is_copied_by_a_program_of_the_desktop(shell, chat, tmp_path):
    programs = {"xclip": "exit 1", "xsel": 'cat > "$HOME/copied"; echo "$@" > "$HOME/given"'}
    (tmp_path / "bin").mkdir()
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    shell.gemini.plans({**SAY, "text": MARKDOWN})
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    desktop = {"PATH": path, "DISPLAY": ":99", "WAYLAND_DISPLAY": "", "SSH_TTY": ""}
    person = chat(environment=desktop)
    person.ask("/copy")
    person.see("There is no reply in this thread yet.")
    person.ask("hello")
    person.ask("/copy")

    person.see("Copied 29 characters by xsel.")
    assert (tmp_path / "copied").read_text() == MARKDOWN
    assert (tmp_path / "given").read_text() == "--clipboard --input\n"

    async def find(store):
        (thread,) = await store.threads.all()
        turn = await store.history.begin(thread.id, "a used switch")
        await store.history.end(turn, "done", "So.", shown=["o3"], tables=[Tabled(FOUND, 1)])

    shell.kept(find)
    person.ask("/copy")
    rows = [*tab_separated(FOUND), "So."]
    person.see(f"Copied {len(chr(10).join(rows))} characters by xsel.")
    assert (tmp_path / "copied").read_text().split("\n") == rows


def test_over_ssh_a_reply_is_sent_to_the_terminal(shell, chat, tmp_path):
    shell.gemini.plans({**SAY, "text": MARKDOWN}, {**SAY, "text": "word " * 20_001})
    person = chat(environment={"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22", "DISPLAY": ":99"})
    person.ask("hello")
    person.ask("/copy")
    person.see("Sent 29 characters to the terminal, for its clipboard.")
    (sent,) = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", person.said)
    person.ask("more")
    person.ask("/copy")

    person.see("too long for the terminal to copy")
    assert base64.b64decode(sent).decode() == MARKDOWN
    assert person.said.count(b"\x1b]52") == 1


def test_tab_completes_commands_arguments_and_names(shell, chat):
    shell.jarvis("-t", "my-work", "open", "a.example")
    person = chat()
    person.at_prompt()
    for typed, becomes in {
        "/thre": "/threads",
        "/threads sh": "/threads show",
        "/threads show my": "/threads show my-work",
        "/resume my": "/resume my-work",
        "/usage --da": "/usage --days",
        "open youtube m": "open youtube music",
    }.items():
        person.type(typed)
        person.until(lambda typed=typed: person.line == f"> {typed}")
        if typed.startswith("/"):  # whose menu comes by itself
            person.see(becomes.split()[-1])
        person.type(TAB)
        person.until(lambda becomes=becomes: person.line == f"> {becomes}")
        if typed == "/thre":  # another Tab does not take it away again
            person.type(TAB + " ")
            person.see("Show a thread")
        person.type(CTRL_C + CTRL_C)
        person.until(lambda: person.line == ">")
    assert shell.cost == (0, 0)


def test_a_line_goes_on_after_a_backslash_and_is_marked(shell, chat):
    shell.gemini.plans(HELLO)
    person = chat()
    person.at_prompt()
    person.type(f"one\\{ENTER}two \\ three{ENTER}")
    person.see("Hello.")

    assert ". two \\ three" in person.lines
    assert [turn["goal"] for turn in turns(shell)] == ["one\ntwo \\ three"]


def test_the_persons_editor_writes_the_line(shell, chat, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "open edited.example" > "$1"\n')
    editor.chmod(0o755)
    person = chat(environment={"VISUAL": str(editor)})
    person.at_prompt()

    person.type("what" + CTRL_X + CTRL_E)

    wait_until(lambda: shell.opened == ["https://edited.example"])


def test_vi_keys_are_a_setting(shell, chat):
    shell.configure('editing = "vi"\n')
    person = chat()
    person.at_prompt()
    person.type("open wrong a.example" + ESCAPE)
    person.type("0wdw" + ENTER)
    wait_until(lambda: shell.opened == ["https://a.example"])
    shell.configure('editing = "ed"\n')

    told = shell.jarvis("open", "b.example")

    assert told.status == 78
    assert "There are: emacs, vi." in told.stderr
