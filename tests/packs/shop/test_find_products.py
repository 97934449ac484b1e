"""What is looked for where, the one table of it, and the line and status for each way that goes wrong."""

from urllib.parse import parse_qs

import pytest

from jarvis.core.events import TableShown
from jarvis.packs.entries import MOST
from jarvis.packs.shop.find_products import product_table
from jarvis.packs.shop.offers import ANY, QUERY, Limits, Offers, offer_in
from tests.packs.shop.baskets import money, sold
from tests.planned import plan, reply
from tests.twins import shop_faults as faults
from tests.twins.serpapi import NoResults, Status
from tests.twins.shop_pages import ebay, index, item, listed, on_mercari, shopping

TWO = shopping(listed(1), listed(2, price="$99.50"))
NOTHING = shopping()
USED = {"second_hand_condition": "used"}


def find(house, words="find me a lantern, whatever the price", **fields):
    house.model_plans(plan("find_products", **{"queries": "lantern", **fields}))
    return house.ask(words)


def table(asked):
    (tabled,) = asked.of(TableShown)
    return tabled.table


def searched(house):
    return [request.engine for request in house.serpapi.requests]


# Where


@pytest.mark.parametrize(
    ("fields", "engines"),
    [
        ({}, ["google_shopping"]),
        ({"state": "new"}, ["google_shopping"]),
        ({"state": "used"}, ["ebay", "google_shopping"]),
        ({"state": "used", "market": "shops"}, ["google_shopping"]),
        ({"market": "ebay"}, ["ebay"]),
        ({"market": "ebay", "state": "used", "queries": "lantern; wick"}, ["ebay", "ebay"]),
        ({"market": "mercari"}, ["google"]),
    ],
)
def test_the_market_that_they_name_is_the_only_one(house, fields, engines):
    house.serpapi.sells(google_shopping=TWO, ebay=ebay(item(1)), google=index(on_mercari(1)))

    assert find(house, **fields).status == ("done", 0)
    assert sorted(searched(house)) == engines


def test_where_they_have_no_ebay_it_is_not_asked_and_that_is_told(house):
    house.configure('[packs.shop]\ncountry = "fi"\n')
    house.serpapi.sells(google_shopping=shopping(listed(1, price="€9,00", extracted_price=9, **USED)))
    assert find(house, state="used").status == ("done", 0)
    house.model_plans(
        plan("find_products", queries="lantern", market="ebay"), reply("There is no eBay there.")
    )
    refused = house.ask("find me a lantern on ebay")
    assert refused.steps == [("find_products", "refused")]
    assert "eBay has no site of its own in FI." in refused.reply
    assert searched(house) == ["google_shopping"]


# Mercari


def test_on_mercari_the_first_line_leads_to_what_is_on_sale_now(house):
    """The rest of that table is a screen of tests/promises."""
    house.serpapi.sells(google=[index(on_mercari(1), on_mercari(2, price="¥4,500")), faults.plan_spent()])
    lamp = {"queries": "ランタン 真鍮", "market": "mercari", "most": "4000 JPY"}

    found, unanswered = (find(house, "lanterns on mercari under 4000 yen", **lamp) for _ in range(2))

    live, *rows = table(found).rows
    address, query = live.url.split("?")
    assert address == "https://jp.mercari.com/search"
    assert parse_qs(query) == {"keyword": ["ランタン 真鍮"], "price_max": ["4000"], "status": ["on_sale"]}
    assert [(row.cells["price"].formatted, row.cells["state"]) for row in rows] == [("¥3,500", "may be sold")]
    params = house.serpapi.requests[0].params
    assert (params["q"], params["gl"], params["hl"]) == ("site:jp.mercari.com/item ランタン 真鍮", "jp", "ja")
    assert (unanswered.status, len(table(unanswered).rows)) == (("done", 0), 1)


# What goes wrong

FEW = shopping(listed(1), listed(2, price="$5.00"), listed(3, price="", extracted_price=None))
LIMITS = {"most": "200 USD", "least": "150 USD", "market": "shops"}
NONE_FIT = "None of the offers that were found fits lantern · shops · at most $200.00 · at least $150.00: "
NONE_FIT += "2 under $150.00, 1 without a price."


@pytest.mark.parametrize(
    ("page", "fields", "line"),
    [(NoResults(), {}, "No offers were found for lantern."), (FEW, LIMITS, NONE_FIT)],
    ids=["no result", "all left out"],
)
def test_that_nothing_is_left_is_a_line_and_no_empty_table(house, page, fields, line):
    house.serpapi.sells(google_shopping=page)

    asked = find(house, "a lantern for $150 to $200, cheap", **fields)

    assert (asked.status, asked.reply, asked.of(TableShown)) == (("done", 0), line, [])


@pytest.mark.parametrize(
    ("fault", "status", "line"),
    [
        (Status(503), 69, "SerpAPI has a fault: it answered with status 503."),
        (faults.error_with_200(), 1, "SerpAPI says: We couldn't process this request."),
        (faults.too_many_this_hour(), 75, "SerpAPI allows no more requests for now: You have exceeded"),
    ],
    ids=["down", "error", "hour"],
)
def test_a_service_that_fails_has_its_line_and_status_and_the_thread_goes_on(house, fault, status, line):
    house.serpapi.sells(google_shopping=[fault, TWO])
    house.model_plans(plan("find_products", queries="lantern"), reply("That did not work."))

    asked = house.ask("find me a lantern, whatever the price")

    assert (asked.status, asked.of(TableShown)) == (("failed", status), [])
    assert asked.reply.startswith(f"Could not look for lantern: {line}")
    assert len(table(find(house)).rows) == 2


DOWN = "SerpAPI has a fault: it answered with status 503."


def test_where_half_of_them_fail_the_rest_is_shown_and_that_is_told_also_where_it_has_nothing(house):
    house.serpapi.sells(google_shopping=[Status(503), NOTHING], ebay=[ebay(item(1), item(2)), Status(503)])

    some, nothing = find(house, state="used"), find(house, state="used", queries="wick")

    assert (some.status, nothing.status) == (("done", 0), ("done", 0))
    assert len(table(some).rows) == 2
    assert table(some).failures == (f"Google Shopping could not be asked: {DOWN}",)
    assert nothing.reply == f"No offers were found for wick · used. eBay could not be asked: {DOWN}"


def test_as_far_as_searches_are_left_they_are_made(house):
    house.configure("[daily]\nsearches = 1\n")
    house.serpapi.sells(google_shopping=TWO, ebay=ebay(item(1)))

    asked = find(house, queries="lantern; wick")

    assert asked.status == ("done", 0)
    assert (len(house.serpapi.requests), len(table(asked).rows)) == (1, 2)
    line = "Google Shopping could not be asked for wick: today's limit of 1 search is used up."
    assert line in table(asked).failures[0]


def answer(query, *offers, **left_out):
    reasons = {reason.replace("_", " "): count for reason, count in left_out.items()}
    rows = (each.row._replace(private={QUERY: query}) for each in offers)
    return Offers(tuple(map(offer_in, rows)), reasons)


def listed_in(*answers, limits=ANY):
    return product_table(answers, limits, "us")


def titles(found):
    return [row.cells["product"] for row in found.rows]


def test_queries_take_turns_and_each_row_says_which_it_is_for():
    many = [sold(f"Monitor {n}", 500 + n) for n in range(60)]
    few = [sold(f"Mouse {n}", 900 + n) for n in range(3)]

    found = listed_in(answer("monitor", *many), answer("mouse", *few))

    assert titles(found)[:4] == ["Monitor 0", "Mouse 0", "Monitor 1", "Mouse 1"]
    assert [row.cells["for"] for row in found.rows].count("mouse") == 3
    assert len(found.rows) == MOST
    assert found.left_out == {f"beyond the first {MOST}": 63 - MOST}


def test_what_is_beyond_the_limits_is_left_out_and_counted_with_all_else():
    found = listed_in(
        answer("a", sold("Dear", 90_000, state="used"), sold("New", state="new"), ads=2),
        answer("a", sold("Good", state="used"), sold("Unsure"), sold("Cheap", 1, state="used")),
        answer("b", sold("Far", 1_000, "EUR", state="used"), ads=1, without_a_price=1),
        limits=Limits(money(10_000), money(100), ("used", "refurbished")),
    )

    assert titles(found) == ["Good"]
    assert found.left_out == {
        "ads": 3,
        "without a price": 1,
        "over 100.00 USD": 1,
        "under 1.00 USD": 1,
        "new": 1,
        "of unknown state": 1,
        "in EUR": 1,
    }


MANY = plan("find_products", queries="lamp; lantern; torch", state="used", most="99.50 USD")


@pytest.mark.parametrize(
    ("answers", "status", "billed"),
    [(["y"], ("done", 0), 6), (["n"], ("refused", 4), 0), ([], ("needs_answer", 3), 0)],
)
def test_many_searches_at_once_are_asked_about(house, answers, status, billed):
    house.serpapi.sells(google_shopping=shopping(listed(1)), ebay=ebay(item(1)))
    house.answers += answers
    house.model_plans(MANY)

    asked = house.ask("find me a used lamp, a lantern and a torch under $99.50")

    assert asked.status == status
    assert [question.reason for question in house.questions] == ["it takes 6 searches at once"]
    assert house.cost == (1, billed)
