"""What is asked of the table listed last, in a chat."""

from __future__ import annotations

from tests.cli.test_table_commands import list_in, switches


def test_a_table_is_changed_told_and_opened_in_a_chat_at_once(shell, chat):
    list_in(shell, switches(), "work")
    person = chat("chat", "-t", "work", size=(100, 40))
    for line in ("cheapest first", "show 1", "sort by colour", "undo", "open the cheapest"):
        person.ask(line, "work>")

    said = "\n".join(person.lines)
    sorted_, shown = said.split("show 1\n")[0], said.split("show 1\n")[1]
    assert sorted_.index("Switch 2") < sorted_.index("Switch 1")
    assert "page    https://shop.example/o2" in shown
    assert "The list has no column “colour”" in shown
    assert shell.opened == ["https://shop.example/o2"]
    assert person.leave().status == 0
    assert shell.cost == (0, 0)
