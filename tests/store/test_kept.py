"""The person's own lists: each thing once, with what it cost."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

from jarvis.core.errors import UsageError
from jarvis.core.money import Money
from jarvis.packs.shop.saved import item_named
from jarvis.store.kept import Item, Kept, Seen
from jarvis.store.open import opened
from tests.conftest import BOTH
from tests.tabled import dollars
from tests.trips import Again

PAGE = "https://shop.example/switch"
LATER = 3e9


async def wish(kept: Kept, title: str = "Nintendo Switch", url: str = PAGE, list_: str = "wishlist") -> Any:
    thing = Item("product", title, {"state": "used"}, url, Seen(0.0, dollars("129.00"), "GameStop"))
    return (await kept.add_all(list_, [thing]))[0][0]


@BOTH
def test_what_is_kept_is_on_its_list_with_what_it_cost(house):
    async def work(store):
        kept = Kept(store.database)
        added = await wish(kept)
        yen = Money(Decimal(12800), "JPY")
        await kept.note_price(added.id, LATER, yen, "eBay")
        await kept.add_all("trips", [Item("flight", "to\nLisbon\x1b[31m", {})])
        return added, yen, await kept.items("wishlist"), await kept.first_prices(), await kept.items()

    added, yen, (item,), first, both = house.kept(work)

    assert (item.list, item.kind, item.title, item.url) == ("wishlist", "product", "Nintendo Switch", PAGE)
    assert item.cells == {"state": "used"}
    assert (added.price.money, added.price.source) == (dollars("129.00"), "GameStop")
    assert first == {item.id: added.price}
    assert item == added._replace(price=Seen(LATER, yen, "eBay"))
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


def test_a_thing_is_meant_by_its_page_its_id_and_words_of_its_title(house):
    async def meant(kept: Kept, named: str) -> str:
        try:
            return (await item_named(kept, named)).title
        except UsageError as error:
            return error.message

    async def work(store):
        kept = Kept(store.database)
        switch, desk = await wish(kept), await wish(kept, "Standing desk", "")
        await wish(kept, "a desk", "")
        named = ["switch NINTENDO", "standing", PAGE, switch.id, desk.id, desk.id[:6], "", "desk"]
        return [await meant(kept, each) for each in named]

    told = house.kept(work)

    switch, desk = "Nintendo Switch", "Standing desk"
    assert told[:5] == [switch, desk, switch, switch, desk]
    assert told[6:] == [
        "Nothing on your lists is called “”.",
        "Several things on your lists are called “desk”.",
    ]
    assert told[5].startswith("Nothing")


@BOTH
def test_what_is_kept_twice_after_a_lost_connection_is_there_once(house):
    async def work(store):
        lost = Again(store.database)
        kept = Kept(lost)  # type: ignore[arg-type]
        item = await wish(kept)
        prices = await store.database.run("SELECT count(*) FROM prices")
        return item, await kept.items(), prices, await kept.remove(item.id), lost.repeated

    item, items, prices, removed, times = house.kept(work)

    assert (items, prices, removed, times > 0) == ([item], [(1,)], True, True)


@BOTH
def test_of_two_that_keep_the_same_one_does(house):
    async def work(store):
        async with opened(house.settings) as other:
            stores = [Kept(store.database), Kept(other.database)]
            added = await asyncio.gather(*(wish(each) for each in stores * 4))
            return {item.id for item in added}, await stores[0].items()

    ids, items = house.kept(work)

    assert [item.id for item in items] == list(ids)
