"""What a chat shows around the line that is typed: suggestions, a menu, the state, the last exchange."""

import pytest

from jarvis.cli.chat import _menu
from jarvis.cli.line import COMMANDS
from jarvis.core.events import TableShown
from tests.brain.brains import HELLO
from tests.person import CTRL_C, DOWN, ENTER
from tests.shell import wait_until
from tests.store.test_listed import SWITCHES

PLACEHOLDER = b"Ask or type a command, / for a menu"


@pytest.mark.parametrize("columns", [40, 80])
def test_below_an_empty_line_stand_few_searches_the_model_and_the_conversation(shell, chat, columns):
    shell.configure("daily.searches = 3\n")
    shell.gemini.plans(HELLO)
    person = chat(size=(columns, 20))
    person.until(lambda: person.status == ["3 searches left today", person.status[-1]])
    assert PLACEHOLDER in person.said

    person.ask("what is the newest Python and what did it change?")

    wanted = (
        "3 searches left today · gemini-3.5-flash-lite · what is the newest Python and what did it change?"
    )
    shown = " · ".join(person.status)
    assert shown.endswith("…")
    assert wanted.startswith(shown[:-1])
    assert columns - 6 <= len(shown) < columns
    person.type("h")
    person.until(lambda: person.line == "> h")
    (last,) = [line for line in person.lines if "searches left" in line]  # none stays above
    assert last == shown


def test_a_slash_opens_a_menu_with_a_sentence_on_each_command(shell, chat):
    person = chat(size=(100, 60))
    person.at_prompt()
    person.type("/")
    person.see("/new")

    rows = [line.split(None, 1) for line in person.lines if line.strip().startswith("/")]
    assert rows[0] == ["/new", "Start a new conversation."]
    assert {name.removeprefix("/") for name, _ in _menu()} >= COMMANDS - {"chat"}
    assert [name for name, does in _menu() if not does.endswith((".", "…"))] == []
    person.type(CTRL_C + "/mod")
    person.see("Show or change the model.")
    person.type(DOWN + ENTER)
    person.see("Using gemini")


@pytest.mark.parametrize("argv", [["-c"], ["-t", "default"], ["-r"]], ids=str)
def test_a_chat_that_goes_on_shows_the_last_exchange_with_its_table(shell, chat, argv):
    async def find(store):
        turn = await store.history.begin("default", "a used switch")
        await store.history.end(
            turn, "done", "The **first**.", shown=["o1", "o2", "o3"], tables=[TableShown(SWITCHES, 1)]
        )

    shell.kept(find)
    person = chat(*argv)
    if argv == ["-r"]:
        person.see("Which one?")
        person.type("1" + ENTER)
    person.see("Jarvis 0.")
    person.at_prompt()

    shown = person.lines_of_text
    at = [
        next(n for n, line in enumerate(shown) if sign in line)
        for sign in ("> a used", "Switch OLED", "The first.")
    ]
    assert at == sorted(at)
    person.type("open 2" + ENTER)
    wait_until(lambda: shell.opened == ["https://shop.example/o2"])
