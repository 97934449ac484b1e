"""Tables are kept with their turn: their rows are lines of the list, and their ids are never given again."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from jarvis.core.events import TableShown
from jarvis.core.follow_ups import apply_follow_up
from jarvis.core.tables import FollowUp, Table
from jarvis.core.types import Found
from tests.conftest import BOTH
from tests.steps import keep_found
from tests.tabled import COLUMNS, product

pytestmark = BOTH
SWITCHES = Table(
    "product",
    COLUMNS[:3],
    (
        product("o1", "Switch", "129.00", state="used"),
        product("o2", "Switch OLED", "199.00", state="new")._replace(private={"token": "abc"}),
        product("o3", "Switch Lite", state=None)._replace(url=""),
    ),
    left_out={"over 150.00 USD": 9},
    seen_at="2026-11-22T14:02:10Z",
)
FILTERED = apply_follow_up(SWITCHES, FollowUp("under", amount=Decimal(150), currency="USD"))


async def found(store: Any, table: Table = SWITCHES, words: str = "find a Switch", **more: Any) -> Any:
    """Begin and end a turn that shows *table*."""
    turn = await store.history.begin("default", words)
    ids = [row.id for row in table.rows]
    await store.history.end(turn, "done", shown=ids, tables=[TableShown(table, 1)], **more)
    return turn


def test_the_list_has_the_rows_of_its_tables_and_then_the_sources(house):
    async def work(store):
        turn = await store.history.begin("default", "find a Switch")
        await keep_found(store.history, turn, 1, [Found("https://a.example/", "A")])
        shown = ["o1", "o2", "o3", "r1"]
        await store.history.end(turn, "done", "See [4].", shown=shown, tables=[TableShown(SWITCHES, 1)])
        return await store.history.listed("default")

    lines, tables = house.kept(work)

    assert [(line.id, line.url, line.title, line.source) for line in lines] == [
        ("o1", "https://shop.example/o1", "Switch", "found"),
        ("o2", "https://shop.example/o2", "Switch OLED", "found"),
        ("o3", "", "Switch Lite", "found"),
        ("r1", "https://a.example/", "A", "found"),
    ]
    assert tables == (TableShown(SWITCHES, 1),)


def test_no_id_of_an_offer_is_given_again(house):
    """Not after a list with lower ones, and not in another turn that ends without any."""

    async def work(store):
        turns = [await found(store), await found(store, SWITCHES._replace(rows=SWITCHES.rows[:1]))]
        turns.append(await store.history.begin("default", "hello"))
        await store.history.end(turns[-1], "done", "Hello.")
        return [*turns, await store.history.begin("default", "a"), await store.history.begin("other", "b")]

    assert [turn.offers for turn in house.kept(work)] == [0, 3, 3, 3, 0]
