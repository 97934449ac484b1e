"""A thread for each terminal: which one a command is in, how it is known again, how it is found again."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.conftest import BOTH
from tests.person import ENTER, Person
from tests.running import need_terminals
from tests.shell import wait_until

ASK = {"action": "search", "query": "x"}
HELLO = {"action": "reply", "text": "Hello.", "finish": True}
# Each form of a call within one terminal, and whether it is in that terminal's own thread.
CALLS = {
    '"$@" open a.example': True,
    '"$@" open b.example | cat': True,
    'true | "$@" open c.example': True,
    '"$@" open d.example </dev/null': True,
    '"$@" open e.example >out': True,
    '(cd / && "$@" open f.example)': True,
    'true | "$@" open g.example | cat': False,
    '"$@" open h.example </dev/null >out 2>&1': False,
    'setsid -w "$@" open i.example': False,
    'JARVIS_THREAD=set "$@" open j.example': "set",
    'JARVIS_THREAD=set "$@" -t named open k.example': "named",
}


def threads(shell):
    return {thread["id"]: thread for thread in shell.json("threads", "list")}


def goals(shell, thread):
    return [turn["goal"] for turn in shell.json("threads", "show", thread)]


def in_one_terminal(shell, *lines, stdin=""):
    """Run shell lines, in which "$@" is the program, in one terminal; return what it was sent."""
    need_terminals()
    program = shell.program()
    program.within, program.always_cold = ("/bin/sh", "-c", "\n".join(lines), "sh"), True
    done = program.run(tty=True, stdin=stdin)
    return done.screen.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_what_is_typed_at_a_terminal_is_in_its_own_thread_and_what_is_not_in_default(shell):
    in_one_terminal(shell, *CALLS)

    known = threads(shell)
    (own,) = [name for name in known if name.startswith("tty-")]
    where = {True: own, False: "default"}
    said = {name: [shlex.split(call)[-1:] and f"open {url(call)}" for call in CALLS
                   if where.get(CALLS[call], CALLS[call]) == name] for name in known}  # fmt: skip
    assert {name: goals(shell, name) for name in known} == said
    assert set(known) == {own, "default", "set", "named"}
    assert known[own]["title"] == "open a.example"


def url(call):
    return next(word for word in call.split() if ".example" in word).rstrip(")")


@BOTH
def test_two_terminals_have_two_threads_each_titled_by_its_first_request(shell):
    for words in ("open a.example", "open b.example"):
        assert shell.jarvis(*words.split(), tty=True).status == 0

    known = threads(shell)
    assert len(known) == 2
    assert {thread["title"] for thread in known.values()} == {"open a.example", "open b.example"}


def test_a_setting_comes_before_the_terminals_own(shell):
    shell.configure('thread = "kept"\n')
    shell.jarvis("open", "a.example", tty=True)

    assert set(threads(shell)) == {"kept"}


@pytest.mark.slow
def test_a_chat_goes_on_where_a_command_of_its_terminal_left_off(shell):
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, {"action": "reply", "text": "See [r1] and [r2].", "finish": True})

    in_one_terminal(shell, '"$@" "what about x?"', '"$@" chat', stdin="open 2\n/quit\n")

    (own,) = threads(shell)
    assert goals(shell, own) == ["what about x?", "open 2"]
    assert shell.opened == ["https://b.example/"]


def test_the_prompt_of_a_chat_names_no_thread_but_one_that_was_chosen(shell):
    with Person(shell.program()) as person:
        person.at_prompt()
        person.ask("open a.example")
        person.ask("/new work", "work>")
        person.ask("/threads", "work>")
        person.see("  open a.example")
        (own,) = threads(shell)
        person.ask(f"/threads {own}")


def listed(shell, thread="work", words="what about x?"):
    """A thread in which two addresses were listed."""
    shell.search_finds("https://a.example/", "https://b.example/")
    shell.gemini.plans(ASK, {"action": "reply", "text": "See [r1] and [r2].", "finish": True})
    assert shell.jarvis("-t", thread, *words.split()).status == 0


@BOTH
@pytest.mark.parametrize(("words", "line"), [("open 2", "2"), ("open the last one", "the last one")])
def test_a_line_where_nothing_was_listed_tells_where_the_last_list_is(shell, words, line):
    listed(shell)
    done = shell.jarvis("-t", "other", *words.split())

    assert done.status == 2
    title = "" if shell.settings.database_url else " (“what about x?”)"
    assert f"Nothing was listed in the thread other. The list last shown is in the thread work{title}." in (
        done.stderr
    )
    hint = f"jarvis -t work open {line}"
    assert f"hint: {hint}\n" in done.stderr
    assert shell.jarvis(*hint.split()[1:]).status == 0
    assert shell.opened == ["https://b.example/"]


def test_a_line_beyond_a_list_is_told_of_that_list(shell):
    listed(shell)

    assert "There is no line 7 in the list last shown in the thread work." in (
        shell.jarvis("-t", "work", "open", "7").stderr
    )


def test_no_list_anywhere_is_told_so(shell):
    assert (
        "There is no line 2 in the list last shown in the thread default." in shell.jarvis("open", "2").stderr
    )


@pytest.fixture
def talked(shell):
    """Three threads, of which `three` was used last."""
    for name, words in {"one": "holidays", "two": "shoes", "three": "old shoes"}.items():
        shell.jarvis("-t", name, "open", f"{words.replace(' ', '-')}.example")
        shell.jarvis("threads", "rename", name, words)
    (shell.home / "opened").unlink()
    return shell


@pytest.mark.parametrize(
    ("typed", "thread"),
    [
        (["1"], "three"),
        (["3"], "one"),
        (["HOLI"], "one"),
        (["shoes", "2"], "two"),
        (["boots", "one"], "one"),
        (["9", "two"], "two"),
    ],
    ids=str,
)
def test_a_thread_is_picked_by_its_number_or_a_part_of_its_title(talked, typed, thread):
    with Person(talked.program(), "-r", "open", "new.example") as person:
        for line in typed:
            person.until(lambda: person.line == ">")
            before = len(person.lines_of_text)
            person.type(line + ENTER)
            person.until(lambda: len(person.lines_of_text) > before or person._output.ended())  # noqa: B023
        assert person.finish().status == 0

    assert goals(talked, thread)[-1] == "open new.example"
    assert talked.opened == ["https://new.example"]


def test_a_chat_goes_on_in_the_thread_that_is_picked(talked):
    with Person(talked.program(), "-r") as person:
        person.see("holidays")
        person.type("holidays" + ENTER)
        person.at_prompt("one>")


@pytest.mark.parametrize(("typed", "status"), [(ENTER, 4), ("\x04", 4), ("\x03", 130)])
def test_who_picks_none_has_nothing_done(talked, typed, status):
    with Person(talked.program(), "-r", "open", "new.example") as person:
        person.until(lambda: person.line == ">")
        person.type(typed)
        assert person.finish().status == status

    assert talked.opened == []
    assert len(threads(talked)) == 3


@pytest.mark.parametrize(
    ("argv", "status", "told"),
    [
        (["-r", "hello"], 3, "there is nobody to ask"),
        (["-r", "--json", "hello"], 3, "there is nobody to ask"),
        (["-r", "chat"], 3, "there is nobody to ask"),
        (["-r", "-c", "hello"], 2, "-t and -c name one"),
        (["-r", "-t", "work", "hello"], 2, "-t and -c name one"),
    ],
    ids=str,
)
def test_there_is_nothing_to_pick_from_a_pipe_or_where_a_thread_is_named(shell, argv, status, told):
    done = shell.jarvis(*argv)

    assert done.status == status
    assert told in done.stdout + done.stderr
    assert shell.cost == (0, 0)


def test_where_there_is_no_thread_yet_it_is_told(shell):
    need_terminals()

    done = shell.jarvis("-r", "hello", tty=True)

    assert (done.status, b"There are no threads yet." in done.screen) == (2, True)


@BOTH
def test_a_title_is_changed_and_the_name_stays(shell):
    shell.jarvis("-t", "one", "open", "a.example")

    done = shell.jarvis("threads", "rename", "one", "holidays", "in", "May\x1b[31m")
    shell.jarvis("-t", "one", "open", "b.example")

    assert (done.status, done.stdout) == (0, "The title of one is “holidays in May” now.\n")
    assert threads(shell)["one"]["title"] == "holidays in May"
    assert "holidays in May" in shell.jarvis("threads", "list").stdout
    assert shell.json("threads", "rename", "one", "b") == {"thread": "one", "title": "b"}


@pytest.mark.parametrize("argv", [["nonesuch", "a"], ["one", " "], ["one"]], ids=str)
def test_what_can_be_no_title_or_is_no_thread_changes_nothing(shell, argv):
    shell.jarvis("-t", "one", "open", "a.example")

    assert shell.jarvis("threads", "rename", *argv).status == 2
    assert threads(shell)["one"]["title"] == "open a.example"


@BOTH
def test_an_export_takes_the_title_along_and_one_of_before_has_none(shell):
    shell.jarvis("-t", "one", "open", "a.example")
    shell.jarvis("threads", "rename", "one", "holidays")
    told = json.loads(shell.jarvis("threads", "export", "one").stdout)
    shell.jarvis("threads", "delete", "-y", "one")
    before = json.loads(json.dumps(told))
    before["threads"][0].pop()

    for record in (told, before):
        assert shell.jarvis("threads", "import", "-", stdin=json.dumps(record)).status == 0
        (row,) = shell.json("threads", "list")
        assert (row["title"], row["last"]) == ("holidays" if record is told else "", "open a.example")
        shell.jarvis("threads", "delete", "-y", "one")


def test_what_was_only_piped_in_gives_no_title_and_the_next_words_do(shell):
    shell.gemini.plans(HELLO, HELLO)
    shell.jarvis(stdin="Dear Kim,\nsee you in May.\n")
    assert [row["title"] for row in shell.json("threads", "list")] == [""]

    shell.jarvis("what", "was", "that?")
    assert [row["title"] for row in shell.json("threads", "list")] == ["what was that?"]


def test_a_reply_and_a_question_in_one_terminal_hold_up_no_other(shell):
    """The first waits for the model, then for the person, while the second is served."""
    from tests.twins.gemini import Stall

    shell.jarvis("policy", "ask", "open", "asked.example")
    shell.gemini.plans(Stall(60), HELLO)
    with (
        Person(shell.program(), "what is one?") as slow,
        Person(shell.program(), "open", "asked.example") as asked,
    ):
        wait_until(lambda: shell.gemini.requests)
        asked.see("why asked")
        plain = shell.jarvis("open", "b.example", tty=True)
        served = shell.jarvis("what is two?", tty=True)

        assert (plain.status, served.status) == (0, 0)
        assert b"waiting" not in served.screen
        assert b"Hello." in served.screen
        assert not slow._output.ended()
        assert not asked._output.ended()
    assert shell.opened == ["https://b.example"]
