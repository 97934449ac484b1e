"""Brave, and a SearXNG of one's own, in SerpAPI's place: who is asked, what is offered, what goes wrong."""

import asyncio
import logging
from functools import partial

import pytest

from jarvis.config.keys import BRAVE
from jarvis.config.settings import Budgets, read_settings
from jarvis.config.sources import Secret
from jarvis.core.errors import (
    KeyRefused,
    RateLimited,
    SearchFailed,
    ServiceUnreachable,
    SettingsError,
)
from jarvis.search.other_search import other_search
from tests.search.test_serpapi import KEY, Redirect, failure, search
from tests.twins.endless import packed
from tests.twins.faults import Html, Raw, Reset, Stall
from tests.twins.other_search import (
    FORBIDDEN,
    REFUSED_KEY,
    TOO_MANY,
    UNFIT,
    BraveError,
    BraveTwin,
    SearxngTwin,
    brave_page,
    searxng_page,
)

MIT = ("MIT", "https://web.mit.edu/", "A university in Cambridge.")
PAGES = {"brave": brave_page, "searxng": searxng_page}
SEARCH = {"action": "search", "query": "mit"}
OPEN = {"action": "open_website", "address": "r1", "finish": True}
REPLY = {"action": "reply", "text": "A university [r1].", "finish": True}


@pytest.fixture
def brave():
    with BraveTwin() as twin:
        yield twin
        assert twin.unexpected == []


@pytest.fixture
def searxng():
    with SearxngTwin() as twin:
        yield twin
        assert twin.unexpected == []


@pytest.fixture
def twins(serpapi, brave, searxng):
    return {"serpapi": serpapi, "brave": brave, "searxng": searxng}


def having(twins, *services, seconds=10.0):
    """The environment of a person who has these."""
    return {
        "SERPAPI_API_KEY": "serpapi-key-of-the-tests" if "serpapi" in services else "",
        "BRAVE_API_KEY": KEY if "brave" in services else "",
        "BRAVE_BASE_URL": twins["brave"].url,
        "SEARXNG_URL": twins["searxng"].url if "searxng" in services else "",
    }


ORDER = [
    (("serpapi", "brave", "searxng"), "serpapi"),
    (("brave", "searxng"), "brave"),
    (("searxng",), "searxng"),
    (("serpapi", "searxng"), "serpapi"),
]


@pytest.mark.parametrize(("has", "first"), ORDER, ids=str)
def test_one_is_asked_once_serpapi_before_brave_and_that_before_searxng(house, twins, has, first):
    house.environment |= having(twins, *has)
    if first == "serpapi":
        house.search_finds(MIT[1])
    else:
        twins[first].finds(PAGES[first](MIT))
    house.model_plans(SEARCH, OPEN)

    asked = house.ask("find the mit website and open it")

    assert (asked.status, house.desktop.opened) == (("done", 0), [MIT[1]])
    assert {name: len(twin.requests) for name, twin in twins.items() if twin.requests} == {first: 1}
    assert asked.summary["usage"]["credits"] == 1
    assert house.rows("SELECT sum(searches) FROM usage") == [(1,)]


def test_without_any_no_search_is_offered_and_a_way_to_one_is_told(house, twins):
    house.environment |= having(twins)
    house.model_plans(REPLY)

    asked = house.ask("what is mit?")

    assert "search" not in house.gemini.requests[0].enum("action")
    assert "Web search is off until: jarvis keys set serpapi   (or brave)" in asked.note


def test_what_sells_and_flies_still_needs_serpapi(house, twins):
    house.environment |= having(twins, "brave")
    house.model_plans(REPLY)

    house.ask("find me a used lantern under 150 dollars")

    offered = house.gemini.requests[0].enum("action")
    assert ("search" in offered, "find_products" in offered) == (True, False)


@pytest.mark.parametrize("service", PAGES)
def test_without_a_graph_or_sitelinks_they_choose_the_host_that_is_the_name_first(house, twins, service):
    box = {"title": "Quillfeather", "infobox": "Quillfeather", "website_url": "https://evil.example/"}
    box["urls"] = [{"title": "Official website", "url": "https://evil.example/", "official": True}]
    rows = [("Quillfeather", f"https://{host}/", "") for host in ("evil.example", "quillfeather.com")]
    house.environment |= having(twins, service)
    twins[service].finds(PAGES[service](*rows, infobox={"results": [box]}, infoboxes=[box]))
    house.gemini.reading = "open site Quillfeather"
    house.model_plans({**SEARCH, "query": "Quillfeather"}, OPEN)
    house.answers = ["1"]

    house.ask("could you go to Quillfeather for me")

    (question,) = house.questions
    assert [option.host for option in question.choices] == ["quillfeather.com", "evil.example"]
    assert (question.marked, house.desktop.opened) == (1, ["https://quillfeather.com/"])


# What a search may bring, and is never offered.
NO_ADDRESSES = [
    *("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "ftp://a.example/", "//a.example"),
    *("http://127.0.0.1/", "http://10.0.0.1/", "http://169.254.169.254/", "http://localhost/", "http://nas/"),
    *("http://[::1]/", "http://0x7f.1/", "https://me:pw@a.example/", "https://www.google.com/aclk?adurl=x"),
    *("https://a.example\\@evil.example", "https://a\u202e.example/", "", None, 7, ["https://a.example"]),
]


def settings(service, url, key=KEY, seconds=10.0):
    own = read_settings({})._replace(budgets=Budgets(search_seconds=seconds))
    if service == "brave":
        return own._replace(api_keys={"brave": Secret(key)}, brave_base_url=url)
    return own._replace(searxng_url=url)


def found(service, url, **how):
    return asyncio.run(other_search(settings(service, url, **how), "acme & sons", ""))


@pytest.mark.parametrize("service", PAGES)
def test_what_is_no_public_address_and_what_stands_elsewhere_is_left_out(twins, service):
    rows = [("x", url, "") for url in NO_ADDRESSES]
    ad = {"results": [{"title": "Buy", "url": "https://ad.example/", "description": "Now"}]}
    twins[service].finds(
        PAGES[service](*rows, MIT, ads=ad, videos=ad, news=ad, organic_results=ad["results"])
    )

    assert [item.url for item in found(service, twins[service].url)] == [MIT[1]]


def test_the_ten_best_of_many_come_back(brave):
    brave.finds(brave_page(*[(f"{n}", f"https://p{n}.example/", "") for n in range(20)]))

    assert [item.url for item in found("brave", brave.url)] == [f"https://p{n}.example/" for n in range(10)]


def test_titles_and_texts_are_plain_and_steer_no_terminal(brave):
    brave.finds(
        brave_page(
            (
                "<strong>Q&amp;A</strong> &lt;b&gt;\x1b[31m",
                MIT[1],
                "It&#x27;s <strong>fast</strong>&#8238;.",
            ),
            (["no text"], "https://b.example/", {"no": "text"}),
        )
    )

    first, second = found("brave", brave.url)

    assert (first.title, first.snippet) == ("Q&A <b>", "It's fast.")
    assert second.url == "https://b.example/"


ODD = BraveError(400, "ODD", f"Odd \x1b[31mthing with {KEY}")
FAULTS = [
    ("brave", REFUSED_KEY, KeyRefused, "Brave refused the key: BRAVE_API_KEY", "jarvis keys set brave"),
    ("brave", Raw(b"{}", status=401), KeyRefused, "Brave refused the key", "jarvis keys set brave"),
    ("brave", UNFIT, SearchFailed, "Brave says: Unable to validate", "BRAVE_BASE_URL"),
    (
        "brave",
        TOO_MANY,
        RateLimited,
        "for now: Request rate limit exceeded for plan.",
        "api-dashboard.search",
    ),
    ("brave", ODD, SearchFailed, "Brave says: Odd thing with [key]", "BRAVE_BASE_URL"),
    ("searxng", FORBIDDEN, SettingsError, "JSON may not be among its formats", "formats: [html, json]"),
    ("searxng", Raw(b"", status=401), SettingsError, "Your SearXNG refused the search", "settings.yml"),
    ("searxng", Raw(b"Too Many Requests", status=429), RateLimited, "SearXNG allows no more", "in a moment"),
    (
        "searxng",
        Raw(b'{"error": "No query"}', status=400),
        SearchFailed,
        "SearXNG says: No query",
        "SEARXNG_URL",
    ),
    *(
        (service, step, family, said, "")
        for service in ("serpapi", *PAGES)
        for step, family, said in (
            (Html(200), ServiceUnreachable, "A web page came instead of"),
            (Html(502), ServiceUnreachable, "(502 from 127.0.0.1:"),
            (Raw(b"{}", status=503), ServiceUnreachable, "has a fault: it answered with status 503"),
            (Redirect(), SearchFailed, "answered with status 302"),
            (Raw(b"no json"), SearchFailed, "it isn't JSON."),
            (Raw(b" " * 5_000_000), SearchFailed, "too large: more than 3 MB came."),
            (packed("gzip", b"not gzip at all"), SearchFailed, "unpack"),
            (Reset(), ServiceUnreachable, "broke off"),
        )
    ),
]


@pytest.mark.parametrize(("service", "step", "family", "said", "cure"), FAULTS)
def test_a_faulty_answer_is_told_for_what_it_is_with_its_cure(twins, service, step, family, said, cure):
    twins[service].finds(step)

    ask = search if service == "serpapi" else partial(found, service)
    wrong = failure(twins[service].url, ask)

    assert isinstance(wrong, family)
    assert said in wrong.message
    assert cure in wrong.hint
    assert len(twins[service].requests) == 1


@pytest.mark.parametrize("service", PAGES)
def test_one_that_finds_nothing_or_is_of_another_shape_finds_nothing(twins, service):
    for page in (PAGES[service](), [1, 2], {"web": 7, "results": "x"}, {"web": {"results": [None, 7, "x"]}}):
        twins[service].finds(Raw(b"[1, 2]") if isinstance(page, list) else page)

        assert found(service, twins[service].url) == ()


def test_one_that_is_not_there_or_hangs_is_told(searxng):
    with BraveTwin() as gone:
        pass
    searxng.finds(Stall(20))

    assert failure(gone.url, partial(found, "brave")).message == "Brave can't be reached: no connection."
    assert (
        failure(searxng.url, partial(found, "searxng"), seconds=0.2).message
        == "SearXNG did not answer within 0.2 s."
    )


def test_a_searxng_may_stand_below_a_path(searxng):
    searxng.path = "/searxng/search"
    searxng.finds(searxng_page(MIT))

    assert [item.title for item in found("searxng", f"{searxng.url}/searxng")] == ["MIT"]


def test_the_key_is_in_no_log_no_address_and_no_repr(brave, caplog):
    brave.finds(brave_page(MIT))

    with caplog.at_level(logging.DEBUG):
        found("brave", brave.url)

    (request,) = brave.requests
    assert (request.headers["x-subscription-token"], request.params) == (KEY, {"q": "acme & sons"})
    assert request.url.startswith(BRAVE.check, 1)
    assert "/res/v1/web/search" in caplog.text
    assert KEY not in caplog.text + request.url + repr(settings("brave", brave.url))
