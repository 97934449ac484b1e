"""The person's own lists: each thing once, with what its pack knows of it, whatever other packs saved."""

from __future__ import annotations

import asyncio

from jarvis.core.errors import UsageError
from jarvis.packs.shop.keep import Item, Lists, Seen, lists_in
from jarvis.store.items import SavedItem, SavedItems
from jarvis.store.open import open_store
from tests.conftest import BOTH
from tests.tabled import dollars
from tests.trips import Again

PAGE = "https://shop.example/switch"


async def wish(
    lists: Lists, title: str = "Nintendo Switch", url: str = PAGE, list_: str = "wishlist"
) -> Item:
    thing = Item(title, {"state": "used"}, url, Seen(0.0, dollars("129.00")))
    return (await lists.add_all(list_, [thing]))[0][0]


@BOTH
def test_what_is_saved_is_on_its_list_in_its_order_and_no_other_packs(house):
    async def work(store):
        saved, others = SavedItems(store.database, "tides"), SavedItems(store.database, "shop")
        both = [
            SavedItem("ports\nof call", "b", {"said": 'a "\\ quote', "n": [1]}),
            SavedItem("ports of call", "a", {}),
        ]
        added = await saved.add([*both, SavedItem("drafts", "a", {})])
        await others.add([SavedItem("drafts", "a", {"of": "shop"})])
        await saved.change(added[0][0]._replace(body={"n": 2}))
        return added, await saved.all("ports of call"), await saved.all(), await others.all()

    added, ports, all_, of_shop = house.kept(work)

    assert [is_new for _, is_new in added] == [True] * 3
    assert added[0][0].body == {"said": 'a "\\ quote', "n": [1]}
    assert [(item.list, item.id, item.body) for item in ports] == [
        ("ports of call", "b", {"n": 2}),
        ("ports of call", "a", {}),
    ]
    assert [(item.list, item.id) for item in all_[2:]] == [("drafts", "a")]
    assert [item.body for item in of_shop] == [{"of": "shop"}]


@BOTH
def test_a_page_is_on_a_list_once_and_may_be_kept_again_when_it_was_removed(house):
    """What has no page may be another thing of the same name."""

    async def work(store):
        lists = lists_in(store.database)
        first, again = await wish(lists), await wish(lists, "Switch")
        elsewhere = await wish(lists, list_="gifts")
        await lists.remove(first)
        await lists.remove(first)
        anew = await wish(lists, "Anew")
        for _ in range(2):
            await wish(lists, "a monitor", "")
        return first, again, elsewhere, anew, await lists.items("wishlist")

    first, again, elsewhere, anew, left = house.kept(work)

    assert (again.id, again.title, again.then) == (first.id, "Nintendo Switch", first.then)
    assert (elsewhere.list, anew.title) == ("gifts", "Anew")
    assert [item.title for item in left] == ["Anew", "a monitor", "a monitor"]


def test_a_thing_is_meant_by_its_page_its_id_and_words_of_its_title(house):
    async def meant(lists: Lists, named: str) -> str:
        try:
            return (await lists.find_item(named)).title
        except UsageError as error:
            return error.message

    async def work(store):
        lists = lists_in(store.database)
        switch, desk = await wish(lists), await wish(lists, "Standing desk", "")
        await wish(lists, "a desk", "")
        named = ["switch NINTENDO", "standing", PAGE, switch.id, desk.id, desk.id[:6], "", "desk"]
        return [await meant(lists, each) for each in named]

    told = house.kept(work)

    switch, desk = "Nintendo Switch", "Standing desk"
    assert told[:5] == [switch, desk, switch, switch, desk]
    assert told[6:] == [
        "Nothing on your lists is called “”.",
        "Several things on your lists are called “desk”.",
    ]
    assert told[5].startswith(("Nothing", "There is no line"))  # where it begins with digits alone


@BOTH
def test_what_is_saved_twice_after_a_lost_connection_is_there_once(house):
    async def work(store):
        lost = Again(store.database)
        saved = SavedItems(lost, "tides")
        ((item, _),) = await saved.add([SavedItem("ports", "a", {})])
        await saved.change(item._replace(body={"n": 1}))
        return [each.body for each in await saved.all()], lost.repeated

    bodies, times = house.kept(work)

    assert (bodies, times > 0) == ([{"n": 1}], True)


@BOTH
def test_of_two_that_keep_the_same_one_does(house):
    async def work(store):
        async with open_store(house.settings) as other:
            stores = [lists_in(store.database), lists_in(other.database)]
            added = await asyncio.gather(*(wish(each) for each in stores * 4))
            return {item.id for item in added}, await stores[0].items()

    ids, items = house.kept(work)

    assert [item.id for item in items] == list(ids)
