"""Which addresses come out of search results, and which of them first."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest

from jarvis.search.extract import extract


def organic(*links: str) -> dict[str, object]:
    return {"organic_results": [{"title": f"Page {n}", "link": link} for n, link in enumerate(links)]}


def urls(results: object, names: Sequence[str] = ()) -> list[str]:
    return [found.url for found in extract(results, names)]


FULL = {
    "ads": [{"title": "Quokka - Official Site", "link": "https://quokka-deals.example.com/"}],
    "answer_box": {"title": "What it is", "answer": "A marsupial", "link": "https://zoo.example.com/quokka"},
    "knowledge_graph": {"title": "Quokka", "website": "https://quokka.org/"},
    "organic_results": [
        {
            "title": "Quokka facts",
            "link": "https://facts.example.com/q",
            "snippet": "Small.",
            "sitelinks": {
                "inline": [{"title": "Food", "link": "https://facts.example.com/food"}],
                "expanded": [{"title": "Home", "link": "https://facts.example.com/home"}],
            },
        },
    ],
    "news_results": [{"title": "Seen again", "link": "https://news.example.com/1"}],
    "top_stories": {"carousel": [{"title": "Selfie", "link": "https://news.example.com/2"}]},
    "inline_videos": [{"title": "Jump", "link": "https://videos.example.com/3"}],
    "shopping_results": [
        {"title": "Plush", "link": "https://toys.example.com/4"},
        {"title": "Paid plush", "link": "https://toys.example.com/paid", "block_position": "right"},
    ],
    "local_results": {"places": [{"title": "Quokka Bar", "links": {"website": "https://bar.example.com/"}}]},
}


def test_without_a_name_the_order_is_from_the_best_answer_to_the_least():
    assert [(found.section, found.url) for found in extract(FULL)] == [
        ("answer_box", "https://zoo.example.com/quokka"),
        ("organic", "https://facts.example.com/q"),
        ("knowledge_graph", "https://quokka.org/"),
        ("sitelink", "https://facts.example.com/food"),
        ("sitelink", "https://facts.example.com/home"),
        ("news", "https://news.example.com/1"),
        ("top_stories", "https://news.example.com/2"),
        ("video", "https://videos.example.com/3"),
        ("shopping", "https://toys.example.com/4"),
        ("local", "https://bar.example.com/"),
    ]


def test_with_a_name_its_own_site_comes_first_and_the_rest_keep_their_order():
    plain, named = urls(FULL), urls(FULL, ["quokka"])

    assert named[0] == "https://quokka.org/"
    assert named[1:] == [url for url in plain if url != named[0]]


NO_ADDRESSES = [
    *("https://www.google.com/search?q=quokka", "https://google.co.uk/", "https://google.com.au/x"),
    *("https://maps.google.de/?cid=1", "https://webcache.googleusercontent.com/search?q=cache:x"),
    "https://www.googleadservices.com/pagead/aclk?adurl=https://shop.example.com",
    *("https://serpapi.com/search.json?q=x", "https://www.google.com/url?q=https://serpapi.com/x"),
    "https://www.google.com/url?q=https://www.google.com/url?q=https://site.example.com",
    *("https://www.google.com/url?q=javascript:alert(1)", "https://www.google.com/url?sa=t"),
    *("ftp://files.example.com/", "javascript:alert(1)", "http://127.0.0.1/", "http://localhost/admin"),
    *("https://user:pass@site.example.com/", "/url?q=https://site.example.com", "site.example.com", ""),
    *(None, 7, ["https://site.example.com"], {"link": "https://site.example.com"}),
]


def test_what_is_no_public_address_or_leads_back_to_the_search_is_left_out():
    for link in NO_ADDRESSES:
        results = {"organic_results": [{"title": "x", "link": link}], "answer_box": {"link": link}}
        assert urls(results) == [], link


def test_a_google_redirect_is_unwrapped_once():
    assert urls(
        organic(
            "https://www.google.com/url?sa=t&url=https://one.example.com/a%3Fb%3D1&ved=2",
            "https://google.de/url?q=https://two.example.com/",
        )
    ) == ["https://one.example.com/a?b=1", "https://two.example.com/"]


def test_a_site_that_only_sounds_like_google_is_a_site_like_any_other():
    links = ["https://notgoogle.com/", "https://google.com.evil.example/", "https://google.example.com/"]

    assert urls(organic(*links)) == links


def test_one_address_in_several_spellings_comes_once_with_what_each_knows():
    results = {
        "answer_box": {"link": "http://www.acme.com/about/"},
        "organic_results": [{"title": "About", "snippet": "Us", "link": "https://acme.com/about"}],
    }

    (found,) = extract(results)

    assert (found.url, found.section) == ("https://acme.com/about", "answer_box")
    assert (found.title, found.snippet) == ("About", "Us")


def test_titles_and_snippets_are_cleaned_and_cut():
    results = {
        "organic_results": [
            {"link": "https://a.example.com", "title": "\x1b[31mRed\nhot " + "t" * 200, "snippet": "s" * 500}
        ]
    }

    (found,) = extract(results)

    assert found.title.startswith("Red hot ttt")
    assert (len(found.title), len(found.snippet)) == (160, 400)


def graph(title: object, *links: str) -> dict[str, object]:
    return {**organic(*links), "knowledge_graph": {"title": title, "website": "https://w.example.com/"}}


def official(results: object, country: str = "") -> dict[str, str]:
    """What is official, for which name: whatever is asked for."""
    told = {found.url: found.official_name for found in extract(results, country=country) if found.official}
    asked = extract(results, ["Acme"], country)
    assert told == {found.url: found.official_name for found in asked if found.official}
    return told


def test_the_website_in_the_knowledge_graph_is_official_for_its_title():
    (found, other) = sorted(
        extract(graph("Acme, Inc.", "https://other.example.com/")), key=lambda f: f.section
    )

    assert (found.official, found.official_name) == ("its entry in Google's knowledge graph", "Acme, Inc.")
    assert (other.official, other.official_name) == ("", "")


def test_what_the_knowledge_graph_says_of_an_address_outweighs_its_host():
    results = {
        **organic("https://acme.com/"),
        "knowledge_graph": {"title": "Acme Corporation", "website": "http://www.acme.com"},
    }

    (found,) = extract(results)

    assert (found.url, found.official_name) == ("https://acme.com/", "Acme Corporation")


@pytest.mark.parametrize(
    ("link", "country", "name"),
    [
        ("https://www.acme.com/", "", "acme"),
        ("https://acme.com/legal/terms", "", "acme"),
        ("https://acme.org/", "", "acme"),
        ("https://blue-river-otters.net/", "", "blue-river-otters"),
        ("https://acme.gov/", "de", "acme"),
        ("https://acme.de/", "de", "acme"),
        ("https://www.acme.co.uk/", "uk", "acme"),
    ],
)
def test_a_bare_name_is_official_for_that_name(link, country, name):
    results = organic("https://encyclopedia.example.com/acme", link)

    assert official(results, country) == {link: name}


@pytest.mark.parametrize("ending", ["cm", "to", "io", "ai", "de", "co.uk", "co"])
def test_a_squat_above_the_real_one_is_not_vouched_for(ending):
    squat, real = f"https://paypal.{ending}/", "https://www.paypal.com/"

    assert official(organic(squat, real), "at") == {}
    assert official(organic(squat), "at") == {}
    assert urls(organic(squat, real), ["PayPal"])[0] == real


@pytest.mark.parametrize("section", ["organic_results", "news_results", "local_results"])
def test_a_name_that_two_sites_bear_is_neithers(section):
    for other in ("https://acme.cm/", "https://login.acme.co/", "https://acme.github.io/"):
        results = organic("https://acme.com/", "https://n.example.com/")
        results[section] = [*results.get(section, []), {"title": "x", "link": other, "website": other}]

        assert other in urls(results)
        assert official(results, "at") == {}


def test_another_page_of_the_same_site_takes_nothing_away():
    results = organic("https://www.acme.com/", "https://shop.acme.com/", "https://acme.com/about")

    assert official(results) == {"https://www.acme.com/": "acme", "https://acme.com/about": "acme"}


def test_what_anyone_can_have_is_official_for_nothing():
    hosts = "acme-support.com.evil.example acme.evil.com acme.github.io acme.uk.com acme.support"
    for host in (*hosts.split(), "xn--cme-8cd.com"):
        assert official(organic("https://encyclopedia.example.com/acme", f"https://{host}/"), "uk") == {}
    assert official({"local_results": [{"title": "Acme", "website": "https://acme.com/"}]}) == {}


def test_a_bare_name_far_down_is_not_trusted():
    results = organic(*(f"https://n{n}.example.com/" for n in range(5)), "https://acme.com/")

    assert official(results) == {}
    assert urls(results, ["Acme"])[0] == "https://n0.example.com/"


OWN = {
    "Acme": "https://acme.co.uk/",
    "Blue River Otters": "https://blueriverotters.com https://blue-river-otters.net/",
    "Füchse": "https://fuechse.de/ https://fuchse.de/",
    "P&Q": "https://pandq.com",
    "Purse App": "https://purse.app/",
}


def test_a_host_that_is_the_name_comes_first():
    for name, links in OWN.items():
        for link in links.split():
            assert urls(organic("https://encyclopedia.example.com/acme", link), [name])[0] == link


@pytest.mark.parametrize(
    ("asked", "title"),
    [("Acme", "Acme, Inc."), ("zurich", "City of Zürich"), ("stack overflow", "StackOverflow")],
)
def test_the_entry_of_that_name_comes_first_of_all(asked, title):
    results = graph(title, "https://acme.example.com/", f"https://{asked.replace(' ', '')}.com/")

    assert urls(results, [asked])[0] == "https://w.example.com/"
    assert urls(results, ["Zenith"])[0] == "https://acme.example.com/"


@pytest.mark.parametrize(
    "local",
    [
        [{"title": "Birch Inn", "website": "https://inn.example.com/"}],
        {"places": [{"title": "Birch Inn, Old Town", "links": {"website": "https://inn.example.com/"}}]},
        [
            {"title": "Birch Inn Annex", "website": "https://annex.example.com/"},
            {"title": "Birch Inn", "website": "https://inn.example.com/"},
        ],
    ],
)
def test_the_website_of_a_place_of_that_name_comes_first(local):
    results = {"local_results": local, **organic("https://guide.example.com/")}

    assert urls(results, ["birch inn"])[0] == "https://inn.example.com/"


@pytest.mark.parametrize("junk", [None, [], ["x", 7, None, {}], 7, "x", {"link": ["x"]}, True])
def test_any_part_may_be_junk(junk):
    for path in _paths(FULL):
        results = copy.deepcopy(FULL)
        holder = results
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = junk

        assert all(found.url.startswith("https://") for found in extract(results, ["quokka"]))


def _paths(value, before=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*before, key)
        yield from _paths(item, (*before, key))
