"""The commands of a chat: its own, and those of the command line, in the chat's thread."""

import base64
import re

import pytest

from jarvis.cli.chat import command_of
from jarvis.core.errors import UsageError
from jarvis.core.events import TableShown
from jarvis.output.tables import tab_separated
from tests.brain.brains import HELLO
from tests.conftest import BOTH
from tests.output.test_tables import FOUND
from tests.person import CTRL_C, ENTER, TAB
from tests.shell import wait_until

MARKDOWN = {"action": "reply", "finish": True, "text": "# A head\n\n- one **bold** wörd"}


@BOTH
def test_commands_of_the_command_line_are_about_the_thread_of_the_chat(shell, chat):
    shell.jarvis("open", "elsewhere.example")
    person = chat("chat", "-t", "work")
    for line in ("open a.example", "/why", "/threads show", "/threads show default", "/usage --json"):
        person.ask(line, "work")
    for line in ("/alias add docs 'https://docs.example.com/?q={query}'", "/policy nonsense"):
        person.ask(line, "work")
    person.ask("/threads search nonesuch", "work")

    said = "\n".join(person.lines)
    assert "work, request 1" in said
    assert "done" in said.split("/threads show\n")[1].split("/threads show default")[0]
    assert "elsewhere.example" in said.split("/threads show default")[1]
    assert "Saved docs  https://docs.example.com/?q={query}" in said
    assert "No matches." in said
    assert [turn["goal"] for turn in shell.turns("work")] == ["open a.example"]
    assert person.leave().status == 0
    assert shell.cost == (0, 0)


def test_a_line_that_begins_with_a_command_is_taken_as_a_shell_takes_it(shell, chat):
    person = chat()
    slips = {
        "threads shwo 3": "Did you mean: /threads show 3",
        "policy deny": "Missing argument 'EFFECT'.",
        "config set model": "Missing argument 'value'.",
        "usage --dayz 3": "No such option: --dayz",
    }
    for line, told in slips.items():
        person.ask(line)
        person.see(told)
        assert shell.jarvis(*line.split()).status == 2
    assert "\n".join(person.lines).count("or start the line with a space to send it as words") == len(slips)
    assert shell.cost == (0, 0)

    sentences = ("why is the sky blue", "threads of silver", "help me", " threads shwo 3")
    shell.gemini.plans(*[HELLO] * len(sentences))
    for line in sentences:
        person.ask(line)
    assert shell.cost == (len(sentences), 0)


def test_a_command_asks_as_it_does_outside_a_chat_and_ctrl_c_gives_it_up(shell, chat):
    shell.jarvis("-t", "old", "open", "a.example")
    person = chat()
    person.at_prompt()
    person.type("/threads delete old" + ENTER)
    person.see("Type yes to delete:")
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt()
    person.type("/threads delete old" + ENTER)
    person.until(lambda: person.line.endswith("Type yes to delete:"))
    person.type("yes" + ENTER)
    person.see("Deleted old (1 request).")

    person.ask("open b.example")  # keys and turns are as before
    person.type("half")
    person.until(lambda: person.line == "> half")
    person.type(CTRL_C)
    person.at_prompt()
    assert shell.turns()[0]["goal"] == "open b.example"
    assert person.leave().status == 0
    person.assert_sane()


def test_a_thread_is_begun_listed_and_resumed_by_number_name_or_title(shell, chat):
    for name, host in (("alpha", "one.example"), ("beta", "two.example"), ("7", "three.example")):
        shell.jarvis("-t", name, "open", host)
    person = chat()
    person.ask("/new no/slash")
    person.see("Can't use the conversation name “no/slash”.")
    person.ask("/new alpha")
    person.see("hint: Continue it: /resume alpha")
    person.type("/new" + ENTER)
    person.until(lambda: re.fullmatch(r"\d{4}-\d\d-\d\d-1", person.status[-1]))
    fresh = person.status[-1]
    person.ask("/new work", "work")
    person.ask("open example.com", "work")
    person.ask("/threads", "work")
    first, *_, last = person.lines_of_text[-6:-2]
    assert first.startswith("   1* ")
    assert first.endswith("  work  open example.com")
    assert last.endswith("  alpha  open one.example")

    person.ask("/resume 4", "alpha")
    person.ask("/resume beta", "beta")
    person.ask("/resume ONE.exam", "alpha")
    person.ask("/resume 7", "7")  # a name comes before a number
    person.ask("/resume .example", "7")
    person.see("3 conversations match.")
    person.type("/resume" + ENTER)
    person.see("Which one?")
    person.at_prompt()
    person.type(CTRL_C)
    person.see("Interrupted.")
    person.at_prompt(thread="7")
    assert "Ctrl-D to leave" not in person.lines  # one Ctrl-C does one thing
    assert fresh not in shell.jarvis("threads", "list").stdout


def test_a_conversation_is_known_by_its_title_and_where_it_stopped(shell, chat):
    """The one of another terminal, as its person finds it again here."""
    shell.gemini.plans(HELLO, {**HELLO, "text": "In May."}, HELLO)
    before = chat()
    for words in ("hi there!", "when are the holidays?"):
        before.ask(words)
    before.ask("/title the holidays", "the holidays")
    before.leave()
    person = chat()
    person.ask("/title early")
    person.see("This conversation is empty.")
    person.ask("/resume holi", "the holidays")

    shown = person.lines_of_text
    assert shown.index("> when are the holidays?") < shown.index("In May.")
    assert "Hello." not in shown
    person.ask("hello", "the holidays")
    assert [turn["goal"] for turn in shell.turns()][-1] == "hello"
    person.leave()
    chat("chat", "-c").at_prompt(thread="the holidays")


def test_a_reply_is_copied_by_a_program_of_the_desktop(shell, chat, tmp_path):
    programs = {"xclip": "exit 1", "xsel": 'cat > "$HOME/copied"; echo "$@" > "$HOME/given"'}
    (tmp_path / "bin").mkdir()
    for name, script in programs.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    shell.gemini.plans(MARKDOWN)
    path = f"{tmp_path}/bin:/usr/bin:/bin"
    person = chat(environment={"PATH": path, "DISPLAY": ":99", "WAYLAND_DISPLAY": "", "SSH_TTY": ""})
    person.ask("/copy")
    person.see("Nothing to copy yet.")
    person.ask("hello")
    person.ask("/copy")

    person.see("Copied 29 characters with xsel.")
    assert (tmp_path / "copied").read_text() == MARKDOWN["text"]
    assert (tmp_path / "given").read_text() == "--clipboard --input\n"

    async def find(store):
        (thread,) = await store.threads.all()
        turn = await store.history.begin(thread.id, "a used switch")
        await store.history.end(turn, "done", "So.", shown=["o3"], tables=[TableShown(FOUND, 1)])

    shell.kept(find)
    person.ask("/copy")
    rows = [*tab_separated(FOUND), "So."]
    person.see(f"Copied {len(chr(10).join(rows))} characters with xsel.")
    assert (tmp_path / "copied").read_text().split("\n") == rows


EDITOR = '#!/bin/sh\nenv > "$HOME/of-the-editor"; pwd > "$HOME/folder"; printf "hello there" > "$2"\n'


@pytest.mark.parametrize(
    ("editor", "mode", "told"),
    [
        ("mine -w", 0o755, "Hello."),
        ("mine -w", 0o777, "mine was not started: other users"),
        ("it's", 0o755, "No closing"),
    ],
)
def test_a_line_is_edited_by_the_person_s_own_editor_without_our_keys(
    shell, chat, tmp_path, editor, mode, told
):
    (tmp_path / "bin").mkdir()
    for folder in (tmp_path / "bin", tmp_path):
        (folder / "mine").write_text(EDITOR)
        (folder / "mine").chmod(0o755)
    (tmp_path / "bin").chmod(mode)
    shell.gemini.plans(HELLO)
    person = chat(environment={"PATH": f":{tmp_path}/bin:/usr/bin:/bin", "VISUAL": editor})
    person.type("hel\x18\x05")

    person.see(told)
    if told == "Hello.":
        assert "hello there" in shell.gemini.requests[-1].prompt
        assert (tmp_path / "folder").read_text() == "/\n"
        assert "key-of-the-tests" not in (tmp_path / "of-the-editor").read_text()
    else:
        assert not (tmp_path / "folder").exists()


def test_over_ssh_a_reply_is_sent_to_the_terminal(shell, chat):
    shell.gemini.plans(MARKDOWN)
    person = chat(environment={"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22", "DISPLAY": ":99"})
    person.ask("hello")
    person.ask("/copy")

    person.see("Sent 29 characters to your terminal's clipboard.")
    (sent,) = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", person.said)
    assert base64.b64decode(sent).decode() == MARKDOWN["text"]


def test_tab_completes_commands_arguments_names_and_titles(shell, chat):
    shell.jarvis("-t", "my-work", "open", "a.example")
    shell.jarvis("threads", "rename", "my-work", "holidays in May")
    person = chat()
    person.at_prompt()
    for typed, becomes in {
        "/thre": "/threads",
        "/threads sh": "/threads show",
        "/threads show my": "/threads show my-work",
        "/usage --da": "/usage --days",
        "open youtube m": "open youtube music",
    }.items():
        person.type(typed)
        person.until(lambda typed=typed: person.line == f"> {typed}")
        if typed.startswith("/"):  # whose menu comes by itself
            person.see(becomes.split()[-1])
        person.type(TAB)
        person.until(lambda becomes=becomes: person.line == f"> {becomes}")
        person.type(CTRL_C + CTRL_C)
        person.until(lambda: person.line == ">")
    person.ask("/resume holidays in May", "my-work")
    assert shell.cost == (0, 0)


def test_vi_keys_are_a_setting(shell, chat):
    shell.configure('editing = "vi"\n')
    person = chat()
    person.at_prompt()
    person.type("open wrong a.example" + "\x1b")
    person.type("0wdw" + ENTER)
    wait_until(lambda: shell.opened == ["https://a.example"])


# Which lines of a chat are commands, which are words, and which are neither.


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
    "/frobnicate the thing": "See /help.",
    "/?": "See /help.",
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
