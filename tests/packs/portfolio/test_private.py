"""The figures of a portfolio reach no model, log, query or later turn."""

import re

import pytest

from jarvis.core.events import TableShown
from jarvis.core.tables import NAME
from tests.planned import plan
from tests.twins.ghostfolio import UUID

TAG = re.compile(r"jarvis:[0-9a-f]{16}")  # of a batch: now and then it is of digits alone
DAY = re.compile(r"20\d\d(-\d\d-\d\d)?|20\d{6}")
READS = ("show_portfolio", "show_performance", "show_activities")


def figures_in(events):
    """All forms of the figures in the tables of these *events*, as far as they are like no other."""
    tables = [event.table for event in events]
    cells = [
        row.cells[column.key]
        for table in tables
        for row in (*table.rows, *table.foot)
        for column in table.columns
        if column.means != NAME and row.cells.get(column.key) is not None
    ]
    told = {getattr(cell, "formatted", "") for cell in cells} | {
        f"{getattr(cell, 'amount', cell)}" for cell in cells
    }
    told = {TAG.sub("", text) for text in told}
    told |= {re.sub(r"[^0-9.]", "", text) for text in told}
    return {text for text in told if len(re.sub(r"[^0-9]", "", text)) >= 4 and not DAY.fullmatch(text)}


def leaks(house, figures):
    """Where one of the *figures* stands that may not stand there."""
    where = {
        "a prompt": house.prompts,
        "a query": [str(request.params) for request in house.serpapi.requests],
        "the log": [path.read_text() for path in (house.home / "jarvis").rglob("*.log*")],
        "a step": [str(row) for row in house.rows("SELECT arguments, outcome, target FROM steps")],
        "a reply": [str(row) for row in house.rows("SELECT reply FROM turns")],
        # an id is no figure
        "an item": [UUID.sub("", str(row)) for row in house.rows("SELECT * FROM items")],
    }
    whole = {each: re.compile(rf"(?<![\w.]){re.escape(each)}(?!\w)") for each in figures}  # no part of an id
    found = [(name, text) for name, texts in where.items() for text in texts]
    return [(name, each) for name, text in found for each in figures if whole[each].search(text)]


NAMES_ALONE = (
    "[o1] VWCE.DE | FTSE All-World\n[o2] BNDX | World Bonds\n[o3] AAPL | Apple\n",
    "Its other columns are private: they see them and you don't.",
    "done. Listed 3 holdings.",
)
WHOLE = ("[o1] VWCE.DE | FTSE All-World | 4,711 | €112.37 | €529,375.07 | 45.2 % | +14.2 %",)
SHOWN, SEARCH = plan("show_portfolio", finish=False), plan("search", query="World Bonds news", finish=False)
REPLY = plan("reply", text="There they are.")


@pytest.mark.parametrize(
    ("sees", "told", "said", "queries"), [("names", NAMES_ALONE, "y", 1), ("all", WHOLE, "n", 0)]
)
def test_the_model_is_told_what_they_let_it_see_and_a_search_after_it_is_asked_about(
    house, portfolio, sees, told, said, queries
):
    if sees != "names":  # which is so where nothing is said
        house.configure(f'[packs.portfolio]\nmodel_sees = "{sees}"\n')
    house.search_finds("https://news.example/")
    house.answers = [said]
    house.model_plans(SHOWN, SEARCH, REPLY, REPLY)

    house.ask("what is new about my holdings?")

    assert [text for text in told if text not in house.prompts[1]] == []
    (question,) = house.questions
    assert question.reason == "something private was read, and this is sent out: World Bonds news"
    assert len(house.serpapi.requests) == queries


def test_a_search_before_it_is_not_asked_about(house, portfolio):
    house.search_finds("https://news.example/")
    house.model_plans(SEARCH, plan("show_portfolio"))

    house.ask("news of bonds, and then my holdings")

    assert (house.questions, len(house.serpapi.requests)) == ([], 1)


def test_it_stays_private_in_history_and_when_it_is_listed_anew(house, portfolio):
    house.model_plans(plan("show_portfolio"))
    first = house.ask("show my holdings")
    house.model_plans(plan("arrange", change="show 2"), plan("reply", text="As you see."))
    second = house.ask("would you tell me all about the second of my stocks?")
    house.ask("thank you for my portfolio")

    (shown,) = second.of(TableShown)
    assert [row.cells["symbol"] for row in shown.table.page] == ["BNDX"]
    assert shown.table.model_sees == "names"
    assert leaks(house, figures_in(first.of(TableShown))) == []
