"""A thread for each terminal: which one a command is in, how it is known again, how it is found again."""

import re

import pytest

from tests.conftest import BOTH

ASK = {"action": "search", "query": "x"}
OWN = "the terminal's own"
# Each form of a call within one terminal, and its thread.
CALLS = {
    '"$@" open a.example': OWN,
    '"$@" open b.example | cat': OWN,
    'true | "$@" open c.example': OWN,
    '"$@" open d.example </dev/null': OWN,
    '"$@" open e.example >out': OWN,
    '(cd / && "$@" open f.example)': OWN,
    'true | "$@" open g.example | cat': "default",
    '"$@" open h.example </dev/null >out 2>&1': "default",
    'setsid -w "$@" open i.example': "default",
    'JARVIS_THREAD=set "$@" open j.example': "set",
    'JARVIS_THREAD=set "$@" -t named open k.example': "named",
}


def threads(shell):
    return {thread["id"]: thread for thread in shell.json("threads", "list")}


def goals(shell, thread):
    return [turn["goal"] for turn in shell.json("threads", "show", thread)]


def in_one_terminal(shell, *lines, stdin=""):
    """Run shell lines, in which "$@" is the program, in one terminal; return what it was sent."""
    done = shell.scripted("\n".join(lines)).run(tty=True, stdin=stdin)
    return done.screen.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_what_is_typed_at_a_terminal_is_in_its_own_thread_and_what_is_not_in_default(shell):
    in_one_terminal(shell, *CALLS)

    known = threads(shell)
    (own,) = [name for name in known if name.startswith("tty-")]
    said = {own: [], "default": [], "set": [], "named": []}
    for call, thread in CALLS.items():
        said[own if thread == OWN else thread].append(re.search(r"open \w\.example", call)[0])
    assert {name: goals(shell, name) for name in known} == said
    assert known[own]["title"] == "open a.example"


@pytest.mark.slow
def test_a_terminals_own_thread_is_told_by_its_title_and_never_by_the_name_of_the_terminal(shell):
    commands = ("threads show", "why", "open a.example", "threads show 1", "threads search example")

    told = in_one_terminal(shell, *(f'"$@" {each}' for each in commands))

    assert "jarvis: No conversation in this terminal yet.\n" in told
    assert "jarvis: There is no request in this conversation yet.\n" in told
    assert told.count("done         open a.example\n") == 1  # the line in the list shows it
    assert "  “open a.example”  open a.example\n" in told
    assert "tty-" not in told


@BOTH
def test_a_thread_is_deleted_by_its_line_in_the_list_once_they_said_yes_to_its_title(shell):
    for words in ("open a.example", "open b.example"):
        assert shell.jarvis(*words.split(), tty=True).status == 0

    unasked = shell.jarvis("threads", "delete", "-y", "2")
    with shell.program().start("threads", "delete", "2", tty=True) as running:
        running.wait_for("Type yes")
        running.write(b"yes\r")
        done = running.finish()

    assert (unasked.status, unasked.stderr.splitlines()[0]) == (2, "jarvis: No conversation called 2.")
    assert "Delete the conversation “open a.example” (1 request)?".encode() in done.screen
    assert [thread["title"] for thread in threads(shell).values()] == ["open b.example"]


@BOTH
def test_two_terminals_have_two_threads_each_titled_by_its_first_request_unless_a_setting_names_one(shell):
    for words in ("open a.example", "open b.example"):
        assert shell.jarvis(*words.split(), tty=True).status == 0

    titles = [thread["title"] for thread in threads(shell).values()]
    assert sorted(titles) == ["open a.example", "open b.example"]
    shell.configure('thread = "kept"\n')
    shell.jarvis("open", "a.example", tty=True)
    assert "kept" in threads(shell)


@pytest.mark.slow
def test_a_chat_goes_on_where_a_command_of_its_terminal_left_off(shell):
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, {"action": "reply", "text": "See [r1] and [r2].", "finish": True})

    in_one_terminal(shell, '"$@" "what about x?"', '"$@" chat', stdin="open 2\n/quit\n")

    (own,) = threads(shell)
    assert goals(shell, own) == ["what about x?", "open 2"]
    assert shell.opened == ["https://b.example/"]


def listed(shell):
    """The thread `work`, in which two addresses were listed."""
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, {"action": "reply", "text": "See [r1] and [r2].", "finish": True})
    assert shell.jarvis("-t", "work", "what about x?").status == 0


@BOTH
def test_a_line_where_nothing_was_listed_is_told_with_what_opens_that_of_the_thread_used_last(shell):
    listed(shell)
    for words, line in (("open 2", "2"), ("open the last one", "the last one")):
        done = shell.jarvis("-t", "other", *words.split())

        assert done.status == 2
        assert "Nothing was listed in the conversation other." in done.stderr
        assert f"last conversation: jarvis -c open {line}\n" in done.stderr
    assert shell.jarvis("-c", "open", "the", "last", "one").status == 0
    assert shell.opened == ["https://b.example/"]


def test_a_line_beyond_a_list_is_told_of_that_list_and_no_list_anywhere_is_told_so(shell):
    told = shell.jarvis("open", "2").stderr
    assert "Nothing was listed in the conversation default." in told
    assert "hint: Ask something first." in told

    listed(shell)
    told = shell.jarvis("-t", "work", "open", "7").stderr
    assert "There is no line 7 in the list last shown in the conversation work." in told
    assert "hint: Its last line is 2.\n" in told
