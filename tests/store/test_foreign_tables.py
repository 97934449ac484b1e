"""Tables are moved with their thread, and what a file says of them is held against what they can be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.events import Tabled
from jarvis.store.tables import packed, tables_in
from jarvis.store.transfer import COLUMNS, exported, imported
from tests.conftest import BOTH
from tests.store.test_listed import FILTERED, SWITCHES, found

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = list(COLUMNS["turns"]).index("tables")
COUNTER = list(COLUMNS["threads"]).index("offers")


async def taken(store: Any) -> Any:
    """A thread with two lists, as a file has it. It is deleted here."""
    await found(store)
    await found(store, FILTERED, "under $150")
    told = json.loads(json.dumps(await exported(store.database, "default")))
    await store.delete("default")
    return told


@BOTH
def test_they_are_moved_but_for_what_a_service_knows_them_by_and_are_no_list_there(house):
    async def work(store):
        told = await taken(store)
        await imported(store.database, told)
        again = json.loads(json.dumps(await exported(store.database, "default")))
        kept = [tables_in(packed(row[TABLES])) for row in again["turns"]]
        return kept, await store.history.addresses.listed("default")

    kept, listed = house.kept(work)

    public = SWITCHES._replace(rows=tuple(row._replace(private={}) for row in SWITCHES.rows))
    filtered = FILTERED._replace(found=public)
    assert kept == [(Tabled(public, 1),), (Tabled(filtered, 1),)]
    assert "private" in str(SWITCHES.rows[1])
    assert listed == ([], ())


@BOTH
def test_a_counter_that_is_too_low_is_raised_so_that_no_id_is_given_again(house):
    async def work(store):
        told = await taken(store)
        counted = told["threads"][0][COUNTER]
        told["threads"][0][COUNTER] = 1
        await imported(store.database, told)
        return counted, (await store.history.begin("default", "find a game")).offers

    assert house.kept(work) == (3, 3)


@BOTH
def test_an_export_of_before_there_were_tables_is_read(house):
    async def work(store):
        told = await taken(store)
        told["threads"] = [row[:COUNTER] for row in told["threads"]]
        told["turns"] = [row[:TABLES] for row in told["turns"]]
        for row in told["turns"]:
            row[list(COLUMNS["turns"]).index("shown")] = None
        await imported(store.database, told)
        return await store.database.run("SELECT tables, offers FROM turns, threads ORDER BY n")

    assert house.kept(work) == [(None, 0), (None, 0)]


def at(*path: str | int, to: Any) -> Callable[[Any], None]:
    """What puts a value into a table."""

    def change(table: Any) -> None:
        for key in path[:-1]:
            table = table[key]
        table[path[-1]] = to

    return change


def row(place: int, value: Any) -> Callable[[Any], None]:
    return at("rows", 0, place, to=value)


def longer(key: str, count: int) -> Callable[[Any], None]:
    def change(table: Any) -> None:
        table[key] = (table[key] or [{"verb": "all"}]) * count

    return change


BROKEN = {
    "no table": lambda table: table.clear(),
    "a row that is none": at("rows", 0, to={"id": "o1"}),
    "a row of another width": at("rows", 0, to=["o1", None, None]),
    "an id of an address": row(0, "r1"),
    "an id of another number": row(0, "o٣"),
    "an id too large": row(0, f"o{10**9}"),
    "a URL in another form": row(1, "HTTPS://shop.example/o1"),
    "a URL that is none": row(1, "javascript:alert(1)"),
    "a URL on one's own network": row(1, "http://router.local/"),
    "a URL that is an IP address": row(1, "http://127.0.0.1/"),
    "a URL that is no text": row(1, 1),
    "another's page": row(2, "[1]"),
    "a line below 0": at("first", to=-1),
    "a line that is a truth": at("first", to=True),
    "a column without a key": at("columns", 0, to={"kind": "text"}),
    "a column that is none": at("columns", 0, to="title"),
    "a key that is none": at("columns", 0, "key", to=[]),
    "a follow-up that isn't": at("asked", to=[{"verb": "buy"}]),
    "follow-ups without end": longer("asked", 51),
    "rows without end": longer("rows", 501),
    "a sum with a page": at("foot", to=[{"url": "https://a.example/"}]),
    "a sum that is none": at("foot", to=[1]),
}


@BOTH
def test_tables_that_make_no_sense_are_refused_with_their_thread(house):
    async def refused(store: Any, told: Any, tables: str) -> bool:
        other = json.loads(json.dumps(told))
        other["turns"][0][TABLES] = tables
        try:
            await imported(store.database, other)
        except UsageError as error:
            return error.message == "The tables in row 1 of turns can't be right."
        return False

    async def work(store):
        told = await taken(store)
        texts = {"no JSON": "[", "no list": "{}", "no objects": "[1]", "too many": f"[{'1, ' * 50}1]"}
        for name, change in BROKEN.items():
            tables = json.loads(told["turns"][0][TABLES])
            change(tables[0])
            texts[name] = json.dumps(tables)
        passed = [name for name, text in texts.items() if not await refused(store, told, text)]
        return passed, await imported(store.database, told)

    assert house.kept(work) == ([], ("default", 2))


@pytest.mark.parametrize("cell", [5, [], ["x", "USD"], {"amount": []}, "9" * 10_000, ["1", "USD", "from", 2]])
def test_a_cell_that_makes_no_sense_is_unknown_and_its_lines_are_read(house, cell):
    async def work(store):
        told = await taken(store)
        (table,) = json.loads(told["turns"][0][TABLES])
        for place in range(3, 6):
            table["rows"][0][place] = cell
        told["turns"][0][TABLES] = json.dumps([table])
        await imported(store.database, told)
        rows = await store.database.run("SELECT tables FROM turns ORDER BY n LIMIT 1")
        return tables_in(rows[0][0])[0].table

    table = house.kept(work)

    assert table.rows[1].cells == SWITCHES.rows[1].cells
    assert not table.rows[0].cells["price"] or cell[:2] == ["1", "USD"]
