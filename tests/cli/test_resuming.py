"""`-r` and titles: how a thread is picked and known again."""

import pytest

from tests.conftest import BOTH
from tests.person import ENTER, Person
from tests.running import need_terminals

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


def titles(shell):
    return {thread["id"]: thread["title"] for thread in shell.json("threads", "list")}


@pytest.fixture
def talked(shell):
    """Three threads, of which `three` was used last."""
    for name in ("one", "two", "three"):
        shell.jarvis("-t", name, "open", f"{name}.example")
    shell.jarvis("threads", "rename", "one", "holidays")
    shell.jarvis("threads", "rename", "two", "old holidays")
    (shell.home / "opened").unlink()
    return shell


@pytest.mark.parametrize(
    ("typed", "thread"),
    [("two", "two"), ("OLD h", "two"), ("Holidays", "one"), ("1", "three"), ("boots", ""), ("LIDAYS", "")],
)
def test_a_thread_is_picked_by_its_number_its_name_or_a_part_of_its_title(talked, typed, thread):
    with Person(talked.program(), "-r", "open", "new.example") as person:
        person.until(lambda: person.line == ">")
        person.type(typed + ENTER)
        assert person.finish().status == (0 if thread else 2)

    goals = [turn["goal"] for turn in talked.turns(thread)] if thread else []
    assert goals[-1:] == ["open new.example"] * bool(thread)
    assert talked.opened == ["https://new.example"] * bool(thread)


def test_a_chat_goes_on_in_the_thread_that_is_picked(talked):
    with Person(talked.program(), "-r") as person:
        person.see("Which one?")
        person.at_prompt()
        person.type("holidays" + ENTER)
        person.at_prompt(thread="one")


@pytest.mark.parametrize(("typed", "status"), [(ENTER, 4), ("\x03", 130)])
def test_who_picks_none_has_nothing_done(shell, typed, status):
    need_terminals()
    none = shell.jarvis("-r", "hello", tty=True)
    assert (none.status, b"No conversations yet." in none.screen) == (2, True)
    shell.jarvis("why")
    shell.jarvis("open", "a.example")
    with Person(shell.program(), "-r", "open", "new.example") as person:
        person.until(lambda: person.line == ">")
        person.type(typed)
        assert person.finish().status == status

    assert shell.opened == ["https://a.example"]
    assert len(titles(shell)) == 1


@pytest.mark.parametrize(
    ("argv", "status", "told"),
    [
        (["-r", "--json", "hello"], 3, "-r needs a terminal"),
        (["-r", "chat"], 3, "-r needs a terminal"),
        (["-r", "-c", "hello"], 2, "Use only one of -r, -t, and -c."),
    ],
    ids=str,
)
def test_there_is_nothing_to_pick_from_a_pipe_or_where_a_thread_is_named(shell, argv, status, told):
    done = shell.jarvis(*argv)

    assert done.status == status
    assert told in done.stdout + done.stderr
    assert shell.cost == (0, 0)


@BOTH
def test_a_title_stands_for_its_thread_wherever_a_name_is_asked(shell):
    """Its case does not matter, and a name comes before a title; what is neither begins a thread."""
    shell.gemini.plans(HELLO)
    shell.jarvis("-t", "one", "open", "a.example")
    shell.jarvis("-t", "two", "open", "b.example")
    done = shell.jarvis("threads", "rename", "one", "Holidays", "in", "May\x1b[31m")
    assert (done.status, done.stdout) == (0, "Renamed one to “Holidays in May”.\n")
    assert shell.json("threads", "rename", "two", "one") == {"thread": "two", "title": "one"}

    shell.jarvis("-t", "holidays in may", "what is new?")
    shown = shell.jarvis("threads", "show", "Holidays in May").stdout
    wrong = shell.jarvis("-t", "holidays in June", "open", "c.example")
    shell.jarvis("-t", "one", "why")
    exported = shell.jarvis("threads", "export", "one").stdout
    deleted = shell.jarvis("threads", "delete", "-y", "Holidays in May")

    assert [line for line in ("open a.example", "what is new?") if line not in shown] == []
    assert (wrong.status, "Can't use the conversation name" in wrong.stderr) == (2, True)
    assert (deleted.status, titles(shell)) == (0, {"two": "one"})
    assert shell.jarvis("threads", "import", "-", stdin=exported).status == 0
    assert titles(shell) == {"one": "Holidays in May", "two": "one"}


def test_what_can_be_no_title_or_is_no_thread_changes_nothing(shell):
    shell.jarvis("-t", "one", "open", "a.example")

    for argv in (["nonesuch", "a"], ["one", " "], ["one"]):
        assert shell.jarvis("threads", "rename", *argv).status == 2
    assert titles(shell) == {"one": "open a.example"}


def test_a_conversation_is_titled_by_the_first_request_that_is_more_than_a_greeting(shell):
    """What was only piped in gives it none either."""
    shell.gemini.plans(*[HELLO] * 4)
    shell.jarvis(stdin="Dear Kim,\nsee you in May.\n")
    told = [*titles(shell).values()]
    for words in ("Hi there!", "what is new?", "what is old?"):
        shell.jarvis(words)
        told += titles(shell).values()

    assert told == ["", "", "what is new?", "what is new?"]
