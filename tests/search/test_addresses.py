"""Which addresses come out of search results, and which of them first."""

from __future__ import annotations

import copy

import pytest

from jarvis.search.addresses import extract


def organic(*links: str) -> dict[str, object]:
    return {"organic_results": [{"title": f"Page {n}", "link": link} for n, link in enumerate(links)]}


def urls(results: object, site: str | None = None) -> list[str]:
    return [found.url for found in extract(results, site=site)]


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
    assert [(found.section, found.url) for found in extract(FULL, site=None)] == [
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
    plain, named = urls(FULL), urls(FULL, "quokka")

    assert named[0] == "https://quokka.org/"
    assert named[1:] == [url for url in plain if url != named[0]]


def test_ads_never_come_out():
    found = urls(FULL)

    assert "https://quokka-deals.example.com/" not in found
    assert "https://toys.example.com/paid" not in found


@pytest.mark.parametrize(
    "link",
    [
        "https://www.google.com/search?q=quokka",
        "https://google.co.uk/",
        "https://google.com.au/x",
        "https://maps.google.de/?cid=1",
        "https://webcache.googleusercontent.com/search?q=cache:x",
        "https://www.googleadservices.com/pagead/aclk?adurl=https://shop.example.com",
        "https://www.google.com/aclk?adurl=https://shop.example.com",
        "https://serpapi.com/search.json?q=x",
        "https://www.google.com/url?q=https://serpapi.com/x",
        "https://www.google.com/url?q=https://www.google.com/url?q=https://site.example.com",
        "https://www.google.com/url?q=javascript:alert(1)",
        "https://www.google.com/url?sa=t",
        "ftp://files.example.com/",
        "javascript:alert(1)",
        "http://127.0.0.1/",
        "http://localhost/admin",
        "https://user:pass@site.example.com/",
        "/url?q=https://site.example.com",
        "site.example.com",
        "",
        None,
        7,
        ["https://site.example.com"],
        {"link": "https://site.example.com"},
    ],
)
def test_what_is_no_public_address_or_leads_back_to_the_search_is_left_out(link):
    assert urls({"organic_results": [{"title": "x", "link": link}], "answer_box": {"link": link}}) == []


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

    (found,) = extract(results, site=None)

    assert (found.url, found.section) == ("https://acme.com/about", "answer_box")
    assert (found.title, found.snippet) == ("About", "Us")


def test_titles_and_snippets_are_cleaned_and_cut():
    results = {
        "organic_results": [
            {"link": "https://a.example.com", "title": "\x1b[31mRed\nhot " + "t" * 200, "snippet": "s" * 500}
        ]
    }

    (found,) = extract(results, site=None)

    assert found.title.startswith("Red hot ttt")
    assert (len(found.title), len(found.snippet)) == (160, 400)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Acme", "Acme"),
        ("acme", "ACME Inc."),
        ("The Acme Company", "Acme, LLC"),
        ("Acme", "Acme Air Lines"),
        ("city of Zürich", "Zurich"),
        ("Zurich", "City of Zürich"),
        ("MIT", "Massachusetts Institute of Technology"),
        ("Massachusetts Institute of Technology", "MIT"),
        ("M.I.T.", "Massachusetts Institute of Technology"),
        ("O'Hara", "O’Hara’s"),
    ],
)
def test_a_knowledge_graph_entry_of_that_name_tells_the_official_site(name, title):
    results = {
        **organic("https://other.example.com/"),
        "knowledge_graph": {"title": title, "website": "https://w.example.com/"},
    }

    first = extract(results, site=name)[0]

    assert first.url == "https://w.example.com/"
    assert first.official == "its entry in Google's knowledge graph"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("Strictly Acme", "Acme"),
        ("Acme Easton", "Acme"),
        ("Acme", "Acmeville"),
        ("Acme", "Acme Support"),
        ("Acme", "Zenith"),
        ("Acme", None),
        ("Acme", 7),
        ("!!!", "???"),
    ],
)
def test_a_knowledge_graph_entry_of_another_name_tells_nothing(name, title):
    results = {
        **organic("https://other.example.com/"),
        "knowledge_graph": {"title": title, "website": "https://w.example.com/"},
    }

    first = extract(results, site=name)[0]

    assert (first.url, first.official) == ("https://other.example.com/", "")


@pytest.mark.parametrize(
    ("name", "link"),
    [
        ("Acme", "https://www.acme.com/"),
        ("Acme Inc.", "https://acme.co.uk/"),
        ("The Acme", "https://theacme.org/"),
        ("Blue River Otters", "https://blueriverotters.com"),
        ("Blue River Otters", "https://blue-river-otters.net/"),
        ("T-Quokka", "https://tquokka.com/"),
        ("Füchse", "https://fuechse.de/"),
        ("Füchse", "https://fuchse.de/"),
        ("city of Wombatville", "https://wombatville.at/"),
        ("P&Q", "https://pandq.com"),
        ("Acme.com", "https://acme.com"),
        ("Purse App", "https://purse.app/"),
    ],
)
def test_a_host_that_is_the_name_is_official(name, link):
    first = extract(organic("https://encyclopedia.example.com/acme", link), site=name)[0]

    assert (first.url, first.official) == (link, "its host is the name")


@pytest.mark.parametrize(
    "link",
    [
        "https://acme-support.com/",
        "https://acme.com.evil.example/",
        "https://acme.evil.com/",
        "https://evil.com/acme.com",
        "https://acme.github.io/",
        "https://acme.support/",
        "https://acme.vip/",
        "https://ac-me.com/",
        "https://acmee.com/",
        "https://xn--cme-8cd.com/",
        "https://www.acme.shop.example/",
    ],
)
def test_a_look_alike_is_never_official(link):
    results = organic("https://encyclopedia.example.com/acme", link)

    assert not any(found.official for found in extract(results, site="Acme"))
    assert not any(found.official for found in extract(results, site="Acme support"))


@pytest.mark.parametrize(
    ("title", "link"),
    [
        ("Acme", "https://acme-support.com/"),
        ("Acme", "https://acme.com.evil.example/"),
        ("Acme", "https://ac-me.com/"),
        ("Acme Support", "https://helpers.example.com/"),
        ("Acme Phone Number", "https://acme-phone.com/"),
    ],
)
def test_a_listing_that_anyone_could_have_made_is_never_official(title, link):
    results = {"local_results": [{"title": title, "website": link}]}

    assert not any(found.official for found in extract(results, site="Acme"))
    assert not any(found.official for found in extract(results, site="Acme support"))


def test_a_host_with_the_name_far_down_is_not_trusted():
    results = organic(*(f"https://n{n}.example.com/" for n in range(5)), "https://acme.com/")

    assert extract(results, site="Acme")[0].url == "https://n0.example.com/"


def test_the_front_page_comes_before_a_page_within():
    results = organic("https://acme.com/legal/terms", "https://acme.com/")

    assert urls(results, "Acme") == ["https://acme.com/", "https://acme.com/legal/terms"]


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
def test_a_place_of_that_name_tells_its_website(local):
    first = extract({"local_results": local, **organic("https://guide.example.com/")}, site="birch inn")[0]

    assert (first.url, first.official) == ("https://inn.example.com/", "its listing's website")


def test_where_nothing_fits_the_first_organic_result_leads_and_is_not_official():
    results = {**organic("https://first.example.com/"), "answer_box": {"link": "https://box.example.com/"}}

    first = extract(results, site="Acme")[0]

    assert (first.url, first.official) == ("https://first.example.com/", "")


def test_only_the_name_that_was_asked_for_has_an_official_site():
    assert not any(found.official for found in extract(FULL, site=None))


def test_an_answer_box_without_a_link_of_its_own_gives_its_source():
    box = {"link": "https://www.google.com/search?q=x", "source": {"link": "https://source.example.com/"}}

    assert urls({"answer_box": box}) == ["https://source.example.com/"]


@pytest.mark.parametrize("results", [None, [], {}, "x", 7, [FULL], {"organic_results": {"a": {"b": [[[]]]}}}])
def test_what_is_no_answer_gives_no_addresses(results):
    assert extract(results, site="Acme") == ()


@pytest.mark.parametrize("junk", [None, [], ["x", 7, None, {}], 7, "x", {"link": ["x"]}, True])
def test_any_part_may_be_junk(junk):
    for path in _paths(FULL):
        results = copy.deepcopy(FULL)
        holder = results
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = junk

        assert all(found.url.startswith("https://") for found in extract(results, site="quokka"))


def _paths(value, before=()):
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield (*before, key)
        yield from _paths(item, (*before, key))


def test_an_ending_that_was_given_away_vouches_for_nobody():
    listed = {
        "organic_results": [
            {"title": "PayPal", "link": "https://paypal.tk/", "snippet": ""},
            {"title": "PayPal", "link": "https://www.paypal.com/", "snippet": ""},
        ]
    }

    found = {item.url: item.official for item in extract(listed, site="paypal")}

    assert found == {"https://www.paypal.com/": "its host is the name", "https://paypal.tk/": ""}
