"""How large the schema of a plan gets where all is open: nobody documents how much Gemini has room for."""

from __future__ import annotations

import json

import pytest

from jarvis.actions import planned
from jarvis.agent.schema import schema
from jarvis.core.types import Found
from jarvis.packs.pack import actions_of, known, use_of
from tests.lying import finding, plan
from tests.steps import keep_found
from tests.twins.gemini import undocumented
from tests.twins.serpapi import results
from tests.twins.shop_pages import ebay, item, listed, product, shopping, store

MOST_ENUMS, MOST_BYTES = 90, 6_000
ADDRESSES, OFFERS = 30, 12


def enums(described):
    """Every value that a schema lists, as often as it does."""
    inner = [*described.get("properties", {}).values(), *described.get("anyOf", ())]
    return [*described.get("enum", ()), *(value for each in inner for value in enums(each))]


def size(whole):
    return len(json.dumps(whole).encode())


@pytest.mark.parametrize("with_enums", [True, False])
def test_with_all_actions_open_it_stays_small_and_is_all_documented(with_enums):
    actions = planned() | {"use": use_of([*known().values()], str)}
    for pack in known().values():
        actions |= actions_of(pack)
    ids = [*(f"r{n + 100}" for n in range(ADDRESSES)), *(f"o{n + 100}" for n in range(OFFERS))]

    whole = schema(actions, list(actions), ids, enums=with_enums, wants="what they ask for " * 20)

    print(f"\n{len(actions)} actions: {size(whole)} bytes, {len(enums(whole))} values")
    assert {"find_products", "receipt", "arrange", "search"} <= {*actions}
    assert len(enums(whole)) <= MOST_ENUMS
    assert size(whole) <= MOST_BYTES
    assert undocumented(whole) == []


@pytest.mark.slow
def test_in_a_thread_full_of_lists_and_addresses_each_id_is_offered_once_and_not_too_many(house):
    house.configure("[budgets]\ncredits = 20\nsteps = 8\n")
    goods = [listed(n, link=f"https://shop{n}.example/lantern") for n in range(40)]
    house.serpapi.sells(google_shopping=shopping(*goods), ebay=ebay(*[item(n) for n in range(30)]))
    house.serpapi.sells(google_immersive_product=product(*(store(f"Shop {n}") for n in range(8))))
    house.kept(found_much)
    house.model_plans(finding(state="used"))
    house.ask("find me a used lantern")
    house.serpapi.finds(results([(f"About {n}", f"https://b{n}.example/", "A page.") for n in range(10)]))
    lamps, first, others = (
        finding("lamp"),
        *(plan("compare_offers", offers=ids) for ids in ("o61 o62", "o63 o64")),
    )
    steps = finding(state="used"), lamps, first, others, plan("search", query="lanterns")
    house.model_plans(*({**each, "finish": False} for each in steps), plan("reply"))
    house.gemini.reading = "open found 3"

    asked = house.ask("find me more used lanterns and open three")

    assert asked.steps == [(each["action"], "done") for each in steps]
    for request in house.gemini.planning:
        offered = request.enum("address")
        assert len(offered) == len(set(offered))
        assert len(enums(request.schema)) <= MOST_ENUMS
        assert size(request.schema) <= MOST_BYTES
    assert len(offered) == ADDRESSES + 3 * OFFERS
    assert sum(each.startswith("r") for each in offered) == 10


async def found_much(store):
    for _ in range(3):
        turn = await store.history.begin("default", "what is a lantern?")
        pages = [Found(f"https://a{n}.example/", f"About {n}", "A page.") for n in range(40)]
        found = await keep_found(store.history, turn, 1, pages)
        await store.history.end(turn, "done", shown=[each.id for each in found])
