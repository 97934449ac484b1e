"""`-r` and titles: how a thread is picked and known again."""

from __future__ import annotations

import pytest

from tests.conftest import BOTH
from tests.person import ENTER, Person
from tests.running import need_terminals

HELLO = {"action": "reply", "text": "Hello.", "finish": True}


def threads(shell):
    return {thread["id"]: thread for thread in shell.json("threads", "list")}


def goals(shell, thread):
    return [turn["goal"] for turn in shell.json("threads", "show", thread)]


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


@BOTH
def test_a_title_stands_for_its_thread_wherever_a_name_is_asked(shell):
    """Its case does not matter, and a name comes before a title; what is neither begins a thread."""
    shell.gemini.plans(HELLO)
    shell.jarvis("-t", "one", "open", "a.example")
    shell.jarvis("-t", "two", "open", "b.example")
    shell.jarvis("threads", "rename", "one", "Holidays in May")
    shell.jarvis("threads", "rename", "two", "one")

    shell.jarvis("-t", "holidays in may", "what is new?")
    shown = shell.jarvis("threads", "show", "Holidays in May").stdout
    wrong = shell.jarvis("-t", "holidays in June", "open", "c.example")
    shell.jarvis("-t", "one", "why")
    deleted = shell.jarvis("threads", "delete", "-y", "Holidays in May")

    assert [line for line in ("open a.example", "what is new?") if line not in shown] == []
    assert (wrong.status, "can't be used" in wrong.stderr) == (2, True)
    assert (deleted.status, list(threads(shell))) == (0, ["two"])


@pytest.mark.parametrize("argv", [["nonesuch", "a"], ["one", " "], ["one"]], ids=str)
def test_what_can_be_no_title_or_is_no_thread_changes_nothing(shell, argv):
    shell.jarvis("-t", "one", "open", "a.example")

    assert shell.jarvis("threads", "rename", *argv).status == 2
    assert threads(shell)["one"]["title"] == "open a.example"


@BOTH
def test_an_export_takes_the_title_along(shell):
    shell.jarvis("-t", "one", "open", "a.example")
    shell.jarvis("threads", "rename", "one", "holidays")
    exported = shell.jarvis("threads", "export", "one").stdout
    shell.jarvis("threads", "delete", "-y", "one")

    assert shell.jarvis("threads", "import", "-", stdin=exported).status == 0
    (row,) = shell.json("threads", "list")
    assert (row["title"], row["last"]) == ("holidays", "open a.example")


def test_what_was_only_piped_in_gives_no_title_and_the_next_words_do(shell):
    shell.gemini.plans(HELLO, HELLO)
    shell.jarvis(stdin="Dear Kim,\nsee you in May.\n")
    assert [row["title"] for row in shell.json("threads", "list")] == [""]

    shell.jarvis("what", "was", "that?")
    assert [row["title"] for row in shell.json("threads", "list")] == ["what was that?"]
