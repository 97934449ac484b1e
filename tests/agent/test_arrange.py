"""The loop changes the table that was listed last, where the words ask it in another way or language."""

import pytest

from jarvis.core.events import TableShown
from tests.cli.test_table_commands import list_in, switches

GERMAN = "das Billigste zuerst"
SEARCH = {"action": "search", "query": "x"}
SAY = {"action": "reply", "text": "So it is.", "finish": True}


def change(words, *, finish=True):
    return {"action": "arrange", "change": words, "finish": finish}


def ids(asked):
    return [[row.id for row in tabled.table.rows] for tabled in asked.of(TableShown)]


def test_it_costs_one_call_and_no_search_and_is_the_list_from_then_on(house):
    list_in(house, switches())
    house.model_plans(change("cheapest first"), change("only used"))

    sorted_, narrowed = house.ask(GERMAN), house.ask("nur gebrauchte")

    assert ids(sorted_) == [["o2", "o1", "o3", "o4"]]
    assert ids(narrowed) == [["o2", "o1"]]
    assert sorted_.status == narrowed.status == ("done", 0)
    assert house.cost == (2, 0)
    assert house.rows("SELECT DISTINCT rule FROM steps") == [("nothing is looked up",)]
    assert "arrange" in house.gemini.planning[0].enum("action")


def test_a_line_is_told_and_the_table_stays(house):
    list_in(house, switches())
    house.model_plans(change("show 3"))

    asked = house.ask("erzähl mir mehr über die dritte")

    assert asked.of(TableShown) == []
    assert asked.reply.splitlines()[:2] == ["Switch 3", "price   $139.99"]
    assert house.cost == (1, 0)


@pytest.mark.parametrize("has_sources", [False, True])
def test_where_no_table_was_listed_last_it_is_not_offered(house, has_sources):
    if has_sources:
        list_in(house, switches())
        house.search_finds("https://a.example/")
        house.model_plans(SEARCH, {"action": "reply", "text": "See [r1].", "finish": True})
        house.ask("what about x?")
    house.model_plans(SAY)

    house.ask(GERMAN)

    assert "arrange" not in house.gemini.planning[-1].enum("action")


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        ("sort by colour", ("failed", 2), "the list has no column “colour”"),
        ("paint it red", ("refused", 4), "a list can't do that: paint it red."),
        ("open the cheapest", ("refused", 4), "a list can't do that"),
    ],
)
def test_what_cannot_be_is_told_and_the_table_stays(house, words, status, told):
    list_in(house, switches())
    house.model_plans(change(words), SAY, SAY)

    asked = house.ask(GERMAN)

    assert asked.status == status
    assert told in asked.reply
    assert asked.of(TableShown) == []
