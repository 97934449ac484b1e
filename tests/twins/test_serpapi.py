"""The SerpAPI twin, asked by the real client: what a test scripts is what the client meets."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests
from serpapi import GoogleSearch

from tests.twins import serpapi

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
