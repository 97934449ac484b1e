"""The person's own lists: each thing once, with what it cost; moved as records that are not believed."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest

from jarvis.core.errors import UsageError
from jarvis.core.money import Money
from jarvis.store.kept import Kept
from jarvis.store.transfer import exported_lists as exported
from jarvis.store.transfer import imported_lists as imported
from tests.conftest import BOTH
from tests.store.test_threads import Lost
from tests.tabled import dollars

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = "https://shop.example/switch"
LATER = 3e9


async def wish(kept: Kept, title: str = "Nintendo Switch", url: str = PAGE, list_: str = "wishlist") -> Any:
    return await kept.add(list_, "product", title, {"state": "used"}, url, dollars("129.00"), "GameStop")


@BOTH
def test_what_is_kept_is_on_its_list_with_what_it_cost(house):
    async def work(store):
        kept = Kept(store.database)
        added = await wish(kept)
        yen = Money(Decimal(12800), "JPY")
        await kept.note_price(added.id, LATER, yen, "eBay")
        await kept.add("trips", "flight", "to\nLisbon\x1b[31m", {})
        return added, yen, await kept.items("wishlist"), await kept.prices(added.id), await kept.items()

    added, yen, (item,), prices, both = house.kept(work)

    assert (item.list, item.kind, item.title, item.url) == ("wishlist", "product", "Nintendo Switch", PAGE)
    assert item.cells == {"state": "used"}
    assert (added.price.money, added.price.source) == (dollars("129.00"), "GameStop")
    assert [(seen.money, seen.source) for seen in prices] == [(dollars("129.00"), "GameStop"), (yen, "eBay")]
    assert item == added._replace(price=prices[1])
    assert [(each.list, each.title, each.price and each.price.at) for each in both] == [
        ("wishlist", "Nintendo Switch", LATER),
        ("trips", "to Lisbon", None),
    ]


@BOTH
def test_a_page_is_on_a_list_once_and_may_be_kept_again_when_it_was_removed(house):
    """What has no page may be another thing of the same name."""

    async def work(store):
        kept = Kept(store.database)
        first, again = await wish(kept), await wish(kept, "Switch")
        elsewhere = await wish(kept, list_="gifts")
        removed = [await kept.remove(first.id), await kept.remove(first.id), await kept.remove("none")]
        anew = await wish(kept)
        for _ in range(2):
            await wish(kept, "a monitor", "")
        return first, again, elsewhere, removed, anew, await kept.items("wishlist")

    first, again, elsewhere, removed, anew, left = house.kept(work)

    assert (again.id, again.title) == (first.id, "Nintendo Switch")
    assert len({first.id, elsewhere.id, anew.id}) == 3
    assert removed == [True, False, False]
    assert [item.title for item in left] == ["Nintendo Switch", "a monitor", "a monitor"]


@BOTH
def test_a_thing_is_found_by_its_page_its_id_and_words_of_its_title(house):
    async def work(store):
        kept = Kept(store.database)
        switch, desk = await wish(kept), await wish(kept, "Standing desk", "")
        named = ["switch NINTENDO", "desk", PAGE, switch.id, desk.id[:4], desk.id[:1] + "?", "", "sofa"]
        return switch, desk, [await kept.find(each) for each in named], await kept.find("desk", "gifts")

    switch, desk, found, elsewhere = house.kept(work)

    ids = [[item.id for item in each] for each in found]
    assert ids == [[switch.id], [desk.id], [switch.id], [switch.id], [desk.id], [], [], []]
    assert elsewhere == []


@BOTH
def test_what_is_kept_twice_after_a_lost_connection_is_there_once(house):
    async def work(store):
        lost = Lost(store.database)
        kept = Kept(lost)  # type: ignore[arg-type]
        item = await wish(kept)
        return item, await kept.items(), await kept.prices(item.id), await kept.remove(item.id), lost.times

    item, items, prices, removed, times = house.kept(work)

    assert (items, len(prices), removed, times > 0) == ([item], 1, True, True)


def test_of_two_processes_that_keep_the_same_one_does(tmp_path, postgres):
    from jarvis.config.settings import read_settings
    from jarvis.store.open import opened

    url = postgres.schema()
    settings = read_settings({"JARVIS_HOME": str(tmp_path), "DATABASE_URL": url})

    async def work():
        async with opened(settings) as one, opened(settings) as other:
            stores = [Kept(one.database), Kept(other.database)]
            added = await asyncio.gather(*(wish(store) for store in stores * 4))
            return {item.id for item in added}, await stores[0].items()

    ids, items = asyncio.run(work())
    postgres.drop(url)

    assert [item.id for item in items] == list(ids)


async def records_of(store: Any) -> Any:
    """What `wish` leaves, and a thing that was removed: as a file has them."""
    kept = Kept(store.database)
    await wish(kept)
    await kept.remove((await wish(kept, "Old desk", "")).id)
    return json.loads(json.dumps(await exported(store.database)))


async def emptied(store: Any) -> None:
    for table in ("kept", "prices"):
        await store.database.run(f"DELETE FROM {table}")


@BOTH
def test_lists_are_moved_with_their_prices_and_read_twice_they_are_there_once(house):
    async def work(store):
        records = await records_of(store)
        there = await imported(store.database, records)
        await emptied(store)
        new = await imported(Lost(store.database), records)  # type: ignore[arg-type]
        again = await imported(store.database, records)
        return records, (there, new, again), json.loads(json.dumps(await exported(store.database)))

    records, counts, moved = house.kept(work)

    assert counts == (0, 2, 0)
    assert moved == records
    assert [len(record["prices"]) for record in records] == [1, 1]
    assert records[1]["kept"]["removed_at"]


def at(*path: str | int, to: Any) -> Callable[[Any], None]:
    """What puts a value into a record."""

    def change(record: Any) -> None:
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = to

    return change


BROKEN = {
    "another schema": at("schema", to=2),
    "no thing": at("kept", to=[]),
    "an id that isn't": at("kept", "id", to="../x"),
    "a page that is none": at("kept", "url", to="javascript:alert(1)"),
    "a page on one's own network": at("kept", "url", to="http://router.local/"),
    "a page that is no text": at("kept", "url", to=None),
    "a title that is no text": at("kept", "title", to=5),
    "time that is text": at("kept", "added_at", to="now"),
    "time that is far": at("kept", "removed_at", to=1e300),
    "cells that are a list": at("kept", "cells", to=[]),
    "cells without end": at("kept", "cells", to={"a": "x" * 20_000}),
    "cells with half a character": at("kept", "cells", to={"a": "\ud800"}),
    "cells that are no JSON": at("kept", "cells", to={"a": float("nan")}),
    "prices that are none": at("prices", to={}),
    "a price that is none": at("prices", 0, to=[]),
    "an amount that is a number": at("prices", 0, "amount", to=129.0),
    "an amount that is none": at("prices", 0, "amount", to="1e9"),
    "an amount without end": at("prices", 0, "amount", to="1" * 31),
    "a currency that isn't": at("prices", 0, "currency", to="XXX"),
    "a currency that is a list": at("prices", 0, "currency", to=[]),
    "a moment that isn't": at("prices", 0, "at", to=True),
    "a source that is none": at("prices", 0, "source", to=None),
}


@BOTH
def test_a_record_that_makes_no_sense_is_refused_and_with_it_the_others(house):
    async def refused(store: Any, records: Any, change: Callable[[Any], None]) -> bool:
        broken = json.loads(json.dumps(records))
        change(broken[1])
        try:
            await imported(store.database, broken)
        except UsageError as error:
            return error.hint == "jarvis packs export > kept.jsonl"
        return False

    async def work(store):
        records = await records_of(store)
        await emptied(store)
        passed = [name for name, change in BROKEN.items() if not await refused(store, records, change)]
        return passed, await exported(store.database), await imported(store.database, records)

    assert house.kept(work) == ([], [], 2)


def test_no_text_of_a_record_steers_the_terminal(house):
    async def work(store):
        records = await records_of(store)
        await emptied(store)
        for name in ("list", "kind", "title"):
            records[0]["kept"][name] = "a\x1b[31mb\nc" + "x" * 1000
        records[0]["prices"][0]["source"] = "\u202eshop"
        await imported(store.database, records)
        return (await Kept(store.database).items())[0]

    item = house.kept(work)

    assert {text[:5] for text in (item.list, item.kind, item.title)} == {"ab cx"}
    assert len(item.title) <= 300
    assert item.price.source == "shop"


@pytest.mark.parametrize("record", [None, [], 5, {}, {"schema": 1}])
def test_what_is_no_record_is_refused(house, record):
    async def work(store):
        with pytest.raises(UsageError):
            await imported(store.database, [record])

    house.kept(work)
