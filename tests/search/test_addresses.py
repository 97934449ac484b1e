"""Which addresses come out of search results, and which of them first."""

from __future__ import annotations

import copy

import pytest

from jarvis.search.extract import extract


def organic(*links: str) -> dict[str, object]:
    return {"organic_results": [{"title": f"Page {n}", "link": link} for n, link in enumerate(links)]}


def urls(results: object, name: str = "") -> list[str]:
    return [found.url for found in extract(results, name)]


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


def test_with_a_name_its_own_site_comes_first_then_the_first_result_with_pages_below_it():
    plain, named = urls(FULL), urls(FULL, "quokka")

    assert named[:2] == ["https://quokka.org/", "https://facts.example.com/q"]
    assert named[2:] == [url for url in plain if url not in named[:2]]


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


# Google's own pages, by host and path: results like others; and what only leads to others'.
PRODUCTS = [
    *("cloud.google.com/run", "developers.google.com/search/docs", "docs.google.com/document/d/1/edit"),
    *("maps.google.com/?cid=1", "support.google.com/mail/answer/1", "scholar.google.com/citations?user=x"),
    *("play.google.com/store/apps/details?id=x", "store.google.com/product/x", "cloud.google.com/translate"),
]
WAYS = [
    *("maps.google.com/url?q=x", "support.google.com/aclk?sa=L", "scholar.google.com/scholar_url?url=x"),
    *("accounts.google.com/x?continue=https%3A%2F%2Fevil.example", "docs.google.com/viewer?url=x"),
    *("cloud.google.com/%75rl?q=x", "docs.google.com/;a/gview?u=x", "news.google.com/articles/x"),
    *("images.google.com/x", "translate.google.com/x", "www.google.com/maps"),
]


def test_googles_own_pages_are_found_and_what_leads_to_others_is_not():
    products = [f"https://{page}" for page in PRODUCTS]

    assert urls(organic(*products, *(f"https://{page}" for page in WAYS))) == products


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


def official(links: str, name: str, sitelinks: object = None, graph: tuple[str, str] = ("", "")) -> list[str]:
    """What a search for *name* alone says is its own site, of the hosts or addresses *links*.

    sitelinks: of the first.
    """
    results = organic(*(link if "://" in link else f"https://{link}/" for link in links.split()))
    results["organic_results"][0]["sitelinks"] = sitelinks
    if graph[0]:
        results["knowledge_graph"] = {"title": graph[0], "website": graph[1]}
    told = [found for found in extract(results, name) if found.official]
    assert {found.official_name for found in told} <= {name}
    assert not any(found.official for found in extract(results))
    return [found.url.removeprefix("https://").rstrip("/") for found in told]


EXPANDED = {"expanded": [{"title": "About", "link": "https://acme.com/about"}]}
# what was found, the name, what the engine shows below the first → what is its site
FIRST = [
    *(("acme.com e.example", name, EXPANDED, ["acme.com"]) for name in ("Acme", "the acme", "ACME")),
    ("www.acme.co.uk", "Acme", EXPANDED, ["www.acme.co.uk"]),
    ("acme.com acme.org", "Acme", EXPANDED, ["acme.com"]),
    *(
        ("acme.com e.example", "Acme", less, [])
        for less in (None, {}, {"expanded": []}, {"inline": EXPANDED["expanded"]}, [], "x")
    ),
    *(
        (f"{host} acme.com", "Acme", EXPANDED, [])
        for host in ("e.example", "login.acme.com", "acme.github.io", "acme.weebly.com", "acme.com/evil")
    ),
]


@pytest.mark.parametrize(("links", "name", "sitelinks", "own"), FIRST)
def test_the_first_result_is_the_site_of_its_name_if_the_engine_shows_its_pages(links, name, sitelinks, own):
    assert official(links, name, sitelinks) == own


@pytest.mark.parametrize(
    ("title", "links", "sitelinks", "own"),
    [
        ("Acme Museum of Art", "www.museum.example e.example", EXPANDED, ["museum.example"]),
        ("Acme Museum of Art", "www.museum.example e.example", None, []),
        ("Acme Museum of Art", "e.example www.museum.example", EXPANDED, []),
        ("Zenith", "www.museum.example e.example", EXPANDED, []),
    ],
)
def test_an_entry_of_a_longer_name_counts_if_its_site_is_also_the_first_result(title, links, sitelinks, own):
    assert official(links, "Acme", sitelinks, graph=(title, "https://museum.example/")) == own


def test_without_a_site_of_its_own_what_is_likely_comes_first():
    results = organic("https://e.example/", "https://acme.org/", "https://www.acme.com/")
    assert urls(results, "acme") == ["https://acme.org/", "https://www.acme.com/", "https://e.example/"]
    assert urls(results, "acme pens") == ["https://acme.org/", "https://www.acme.com/", "https://e.example/"]
    results["organic_results"][0]["sitelinks"] = EXPANDED
    results["knowledge_graph"] = {"title": "Acme Fan Club", "website": "https://fans.example/"}
    assert urls(results, "acme")[:3] == ["https://e.example/", "https://fans.example/", "https://acme.org/"]


# title and website of the entry, the name → whether it is taken for the site of that name
ENTRIES = [
    ("Acme", "https://w.example.com/", "acme", True),
    ("Acme, Inc.", "https://acme.example/", "acme", True),
    ("StackOverflow", "https://w.example.com/", "stack overflow", True),
    ("Louvre Museum", "https://www.louvre.fr/", "the Louvre", True),
    ("Massachusetts Institute of Technology", "https://web.mit.edu/", "MIT", True),
    ("Acme Fan Club", "https://acmepals.example/", "Acme", False),
    ("Zenith", "https://zenith.example/", "Acme", False),
    ("Zenith", "https://acme.example/", "Acme", False),
    ("", "https://acme.example/", "Acme", False),
    ("!", "https://acme.example/", "???", False),
    ("Massachusetts Info Traders", "https://traders.example/", "MIT", False),
    ("Pаypal", "https://paypal.example/", "PayPal", False),  # the second letter is Cyrillic
]


@pytest.mark.parametrize(("title", "website", "name", "is_own"), ENTRIES)
def test_an_entry_of_the_knowledge_graph_vouches_for_the_name_that_it_has(title, website, name, is_own):
    links = "a.example acme-shop.example"

    own = official(links, name, graph=(title, website)) if title else []

    assert own == ([website.removeprefix("https://").rstrip("/")] if is_own else [])


def test_the_entry_outweighs_a_host_and_the_site_comes_first():
    results = {
        **organic("https://acme.com/"),
        "knowledge_graph": {"title": "Acme", "website": "https://acme.io/"},
    }

    first, second = extract(results, "acme")

    assert (first.url, first.official) == ("https://acme.io/", "its entry in Google's knowledge graph")
    assert (second.url, second.official, second.official_name) == ("https://acme.com/", "", "")


@pytest.mark.parametrize("junk", [None, [], ["x", 7, None, {}], 7, "x", {"link": ["x"]}, True])
def test_any_part_may_be_junk(junk):
    for path in _paths(FULL):
        results = copy.deepcopy(FULL)
        holder = results
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = junk

        assert all(found.url.startswith("https://") for found in extract(results, "quokka"))


def _paths(value, before=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*before, key)
        yield from _paths(item, (*before, key))
