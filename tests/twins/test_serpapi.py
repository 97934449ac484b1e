"""The SerpAPI twin, asked by the real client: what a test scripts is what the client meets."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from serpapi import GoogleSearch

from jarvis.search.offers.engines import READERS
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


def test_the_search_log_tells_query_key_and_path(web):
    web.finds({})

    search(web, "tea", key="secret")

    [asked] = web.requests
    assert (asked.path, asked.query, asked.params["api_key"]) == ("/search", "tea", "secret")
    assert asked.params["output"] == "json"


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (serpapi.Status(401), "Invalid API key"),
        (serpapi.Status(429, "Enough."), "Enough."),
        (serpapi.Status(503), "unavailable"),
        (serpapi.NoResults(), "hasn't returned any results"),
    ],
)
def test_an_error_of_the_search_reaches_the_client(web, step, told):
    web.finds(step)

    assert told in search(web)["error"]


@pytest.mark.parametrize(
    ("step", "error"),
    [
        (serpapi.Html(502), json.JSONDecodeError),
        (serpapi.Raw(b"\xff\xfe", "text/plain", 200), json.JSONDecodeError),
        (serpapi.Stall(), requests.Timeout),
        (serpapi.SlowBody(60), requests.ConnectionError),
        (serpapi.Reset(), requests.ConnectionError),
    ],
)
def test_a_broken_answer_of_the_search_reaches_the_client(web, step, error):
    web.finds(step)

    with pytest.raises(error):
        search(web, timeout=1)


def test_a_big_page_has_the_size_asked_for(web):
    web.finds(serpapi.Big(3_000_000))

    response = requests.get(f"{web.url}/search.json?q=a&api_key=k", timeout=5)

    assert len(response.content) == 3_000_000
    assert "Content-Length" not in response.headers
    assert "padding" in response.json()


def test_a_trickle_outlasts_any_timeout_of_a_single_read(web):
    web.finds(serpapi.Trickle(150, 0.01))

    start = time.perf_counter()

    assert search(web, timeout=1)["organic_results"] == []
    assert time.perf_counter() - start > 1


def test_a_slow_body_arrives_in_the_end(web):
    web.finds(serpapi.SlowBody(0.05, {"found": 1}))

    assert search(web) == {"found": 1}


def test_an_unscripted_search_is_an_error_and_is_noted(web):
    assert "script is empty" in search(web)["error"]
    assert web.unexpected == ["search 1 had no step in the script"]


def test_a_default_answers_whatever_is_not_scripted():
    with SerpApiTwin(default={"always": 1}, refuse_key="bad") as web:
        assert search(web) == {"always": 1}
        assert "Invalid API key" in search(web, key="bad")["error"]
        assert web.unexpected == []


def test_leaving_the_block_is_quick_and_ends_every_stalled_call():
    with SerpApiTwin() as web:
        web.finds(serpapi.Stall())
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(search, web, timeout=30)
            while not web.requests:
                time.sleep(0.001)
            start = time.perf_counter()
            web.__exit__()

            with pytest.raises(requests.ConnectionError):
                waiting.result(5)
        web.__enter__()

    assert time.perf_counter() - start < 20  # of the 30 that the client would wait
    assert not web.requests[0].gone


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


def test_several_things_that_an_engine_sells_come_in_turn_and_the_last_stays(web):
    web.sells(ebay=[shop_faults.error_with_200(), ITEMS])

    assert [list(ask(web, "ebay").json()) for _ in range(3)] == [["error"], [*ITEMS], [*ITEMS]]


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


def test_what_a_fault_took_away_is_missed_by_the_reader(web):
    web.sells(google_shopping=[shop_faults.price_absent(SHOPS), shop_faults.no_token(SHOPS)])

    found = [READERS["google_shopping"](ask(web, "google_shopping").json(), "us", "USD") for _ in range(2)]

    assert found[0].left_out == {"without a price": 1}
    assert ["page_token" in offer.private for offer in found[1].offers] == [False, True]


def test_of_five_that_are_asked_at_once_one_may_be_slow(web):
    def answer(asked):
        return shop_faults.slow(60, STORES) if asked.params["page_token"] == "token-of-3" else STORES

    web.sells(google_immersive_product=answer)

    def status(number):
        params = {"engine": "google_immersive_product", "page_token": f"token-of-{number}", "api_key": "k"}
        try:
            return requests.get(f"{web.url}/search.json", params, timeout=1).status_code
        except requests.RequestException:
            return 0

    with ThreadPoolExecutor(5) as pool:
        assert list(pool.map(status, range(1, 6))) == [200, 200, 0, 200, 200]
    assert web.happened == ["slow"]


@pytest.mark.parametrize("path", ["account", "account.json"])
def test_the_account_tells_what_is_left_and_is_no_search(web, path):
    web.account = serpapi.account(left=61)

    assert ask(web, "", path=path).json()["total_searches_left"] == 61
    assert (len(web.accounts), web.requests) == (1, [])
