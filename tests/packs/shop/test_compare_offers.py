"""Who sells chosen offers, and for how much in all."""

import pytest

from jarvis.core.events import TableShown
from jarvis.packs.shop.compare_offers import compared
from jarvis.packs.shop.offers import Offers, offer_in
from tests.packs.shop.baskets import offer, sold
from tests.planned import plan
from tests.twins import shop_faults as faults
from tests.twins.serpapi import NoResults
from tests.twins.shop_pages import TOKEN, ebay, ebay_product, item, listed, product, shopping, store

FIND = {"queries": "lantern"}
REFUSED = {"error": "The token is invalid or expired."}


def stores_of(request):
    """Two shops for each product, the second dearer."""
    number = int(request.params["page_token"].removeprefix(TOKEN))
    title = f"Lantern {number}"
    return product(
        store("Glow Works", f"${number}9.00", title=title),
        store("Wick Works", f"${number}9.50", "+ $5.99", title=title),
        title=title,
    )


@pytest.fixture
def found(house):
    """A house where four lanterns were listed."""
    house.serpapi.sells(
        google_shopping=shopping(*(listed(n) for n in range(1, 5))), google_immersive_product=stores_of
    )
    house.model_plans(plan("find_products", **FIND))
    house.ask("find me a lantern, whatever the price")
    return house


def compare(house, offers="1, 3"):
    house.model_plans(plan("compare_offers", offers=offers))
    return house.ask("compare 1 and 3, price by price")


def rows(asked):
    (tabled,) = asked.of(TableShown)
    return tabled.table.rows


def note(asked):
    return " ".join(asked.of(TableShown)[0].table.failures)


def cells(asked, *keys):
    return [
        tuple(getattr(row.cells[key], "formatted", row.cells[key]) for key in keys) for row in rows(asked)
    ]


def test_each_shop_of_each_is_a_line_and_that_ends_the_turn(found):
    before = found.cost

    asked = compare(found, "top 2 by price")

    assert asked.status == ("done", 0)
    assert (found.cost[0] - before[0], found.cost[1] - before[1]) == (1, 2)
    assert cells(asked, "store", "product", "total") == [
        ("Glow Works", "Lantern 1", "$19.00"),
        ("Wick Works", "Lantern 1", "$25.49"),
        ("Glow Works", "Lantern 2", "$29.00"),
        ("Wick Works", "Lantern 2", "$35.49"),
    ]


def test_what_ebay_has_is_looked_up_there(house):
    house.serpapi.sells(
        google_shopping=shopping(), ebay=ebay(item(1), item(2)), ebay_product=ebay_product(2, 97.0)
    )
    house.model_plans(plan("find_products", state="used", **FIND))
    house.ask("find me a used lantern, whatever the price")

    asked = compare(house, "2")

    assert cells(asked, "store", "price", "delivery", "total") == [("eBay", "$97.00", "$5.99", "$102.99")]
    asked_of = house.serpapi.requests[-1].params
    assert (asked_of["product_id"], asked_of["ebay_domain"]) == ("110000000002", "ebay.com")


@pytest.mark.parametrize("answer", [REFUSED, NoResults()], ids=["refused", "nothing"])
def test_where_a_token_is_refused_it_is_what_its_list_says_of_it_now(found, answer):
    now = [listed(n, price=f"${n}7.00") for n in range(1, 5)]
    found.serpapi.sells(google_shopping=shopping(*now), google_immersive_product=answer)
    before = found.cost

    asked = compare(found)

    assert asked.status == ("done", 0)
    assert [cell for (cell,) in cells(asked, "price")] == ["$17.00", "$37.00"]
    assert found.cost[1] - before[1] == 2 + 1  # the list of both is fetched once


def test_what_can_not_be_looked_up_is_named_and_the_rest_is_kept(house):
    house.serpapi.sells(
        google_shopping=faults.no_token(shopping(listed(1), listed(2)), at=1),
        google_immersive_product=stores_of,
    )
    house.model_plans(plan("find_products", **FIND))
    house.ask("find me a lantern, whatever the price")

    asked = compare(house, "1, 2")

    assert (asked.status, len(rows(asked))) == (("done", 0), 2)
    assert "2 could not be looked up: no service tells more of it." in note(asked)

    house.serpapi.sells(google_immersive_product=faults.empty_stores(product()))
    none = compare(house, "1")
    assert cells(none, "product", "notes") == [("Lantern 1", "as found before")]
    assert house.serpapi.happened == ["no token", "empty stores"]


def test_more_than_five_are_refused(found):
    found.serpapi.sells(google_shopping=shopping(*(listed(n) for n in range(1, 9))))
    found.model_plans(plan("find_products", queries="lamp"))
    found.ask("find me a lamp, whatever the price")
    found.model_plans(plan("compare_offers", offers="1 2 3 4 5 6"), plan("reply", text="Five at most."))

    assert found.ask("compare the first six prices").steps == [("compare_offers", "refused")]


def chosen(n):
    row = offer(n, 12_900, product="Switch", delivery=None)
    return offer_in(row._replace(private={**row.private, "query": "switch"}))


def test_each_offer_has_its_share_of_the_rows():
    def stores(count):
        return Offers(tuple(sold("Switch", 100 + n, store=f"S{n}") for n in range(count)), {"ads": 1})

    table = compared([(chosen(n), stores(count)) for n, count in ((1, 60), (2, 3), (3, 30))], "us")

    tokens = [row.private["page_token"] for row in table.rows]
    assert tokens == ["t1"] * 13 + ["t2"] * 3 + ["t3"] * 13
    assert table.left_out == {"ads": 3, "beyond the first 40": 47 + 17}
