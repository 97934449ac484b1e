"""The SerpAPI twin, asked by the real client: what a test scripts is what the client meets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from serpapi import GoogleSearch

from tests.twins import serpapi, shop_faults, shop_pages

from .serpapi import SerpApiTwin

pytestmark = pytest.mark.slow


@pytest.fixture
def web():
    with SerpApiTwin() as twin:
        yield twin


def search(twin, query="example", key="k", timeout=5):
    one = type("Here", (GoogleSearch,), {"BACKEND": twin.url})({"q": query, "api_key": key})
    one.timeout = timeout
    return one.get_dict()


def test_what_is_scripted_is_found(web):
    page = serpapi.results(
        [("Example", "https://example.org/", "An example.")],
        website=("Example", "https://example.org"),
        local=[("Café", "https://cafe.example")],
        answer_box="42",
    )
    web.finds(page, {"anything": 1}, lambda asked: {"heard": asked.query})

    assert search(web) == page
    assert search(web) == {"anything": 1}
    assert search(web, "tea & cake") == {"heard": "tea & cake"}
    assert page["organic_results"][0]["link"] == "https://example.org/"
    assert page["knowledge_graph"]["website"] == "https://example.org"
    assert page["local_results"]["places"][0]["links"]["website"] == "https://cafe.example"
    assert page["answer_box"]["answer"] == "42"


def test_an_unscripted_search_is_an_error_and_is_noted(web):
    assert "script is empty" in search(web)["error"]
    assert web.unexpected == ["search 1 had no step in the script"]


ASKED = {
    "google_shopping": "q",
    "google_immersive_product": "page_token",
    "ebay": "_nkw",
    "ebay_product": "item",
}
SHOPS = shop_pages.shopping(shop_pages.listed(1), shop_pages.listed(2))
STORES = shop_pages.product(shop_pages.store("Wick"))
ITEMS = shop_pages.ebay(shop_pages.item(1))
PAGES = {
    "google_shopping": SHOPS,
    "google_immersive_product": STORES,
    "ebay": ITEMS,
    "ebay_product": shop_pages.ebay_product(),
}


def ask(twin, engine, words="lantern", path="search.json"):
    params = {"engine": engine, ASKED.get(engine, "q"): words, "api_key": "k"}
    return requests.get(f"{twin.url}/{path}", params, timeout=5)


def test_each_engine_is_answered_with_what_it_sells_whatever_the_order(web):
    web.sells(**PAGES)
    web.finds(serpapi.results([("Lantern", "https://lantern.example.com/", "")]))
    engines = [*reversed(PAGES), "google"]

    with ThreadPoolExecutor(len(engines)) as pool:
        found = [answer.json() for answer in pool.map(lambda engine: ask(web, engine), engines)]

    assert found[:-1] == [PAGES[engine] for engine in engines[:-1]]
    assert found[-1]["organic_results"][0]["title"] == "Lantern"
    assert sorted(asked.engine for asked in web.requests) == sorted(engines)
    assert {asked.query for asked in web.requests if asked.engine in ("google", "ebay")} == {"lantern"}
    assert (web.unexpected, web.happened) == ([], [])


@pytest.mark.parametrize(
    ("engine", "fault", "name", "status", "told"),
    [
        ("google_shopping", shop_faults.price_absent(SHOPS), "price absent", 200, None),
        ("google_shopping", shop_faults.no_token(SHOPS), "no token", 200, None),
        ("google_shopping", shop_faults.spelling_fix(SHOPS, "lamp"), "spelling fix", 200, "lamp"),
        ("google_immersive_product", shop_faults.empty_stores(STORES), "empty stores", 200, '"stores": []'),
        ("ebay", shop_faults.price_absent(ITEMS), "price absent", 200, None),
        ("ebay", shop_faults.html(), "HTML", 200, "<html>"),
        ("ebay_product", shop_faults.error_with_200(), "error with 200", 200, '"error"'),
        ("ebay", shop_faults.too_many_this_hour(), "429 for the hour", 429, "per hour"),
        ("ebay", shop_faults.plan_spent(), "429 for the plan", 429, "run out"),
        ("ebay", shop_faults.slow(0.01, ITEMS), "slow", 200, "organic_results"),
    ],
)
def test_a_fault_of_the_shops_reaches_the_client_and_is_noted(web, engine, fault, name, status, told):
    web.sells(**{engine: fault})

    answer = ask(web, engine)

    assert (answer.status_code, web.happened) == (status, [name])
    assert (told or "results") in answer.text


@pytest.mark.parametrize("path", ["account", "account.json"])
def test_the_account_tells_what_is_left_and_is_no_search(web, path):
    web.account = serpapi.account(left=61)

    assert ask(web, "", path=path).json()["total_searches_left"] == 61
    assert (len(web.accounts), web.requests) == (1, [])
