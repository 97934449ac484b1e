"""Whose a host is, by the list of public suffixes and by where anybody may have pages."""

from jarvis.core.types import Address, Found
from jarvis.search.hosts import GraphEntries, bears, one_of_each_site, site_of

SITES = {
    "example.com": "www.a.example.com A.Example.COM. example.com",
    "example.co.uk": "shop.example.co.uk",
    "x.github.io": "a.b.x.github.io x.github.io",
    "github.io": "github.io",
    "evil.pages.dev": "evil.pages.dev",
    "foo.bar.ck": "foo.bar.ck",
    "www.ck": "www.ck",
    "xn--bcher-kva.de": "shop.xn--bcher-kva.de",
    "b.nonesuch": "a.b.nonesuch",
    **{whole: whole for whole in ("co.uk", "localhost", "192.168.1.1", "[::1]", "a..b")},
}


def test_a_site_is_what_somebody_registered():
    told = {host: site_of(host) for hosts in SITES.values() for host in hosts.split()}

    assert told == {host: site for site, hosts in SITES.items() for host in hosts.split()}
    assert site_of("") == ""


# The name → where it is the front page of the host that bears it, and where it isn't.
BEARERS = {
    "Acme": (
        "acme.com www.acme.co.uk http://acme.io/ acme.de/en acme.org/pt-br/",
        "docs.acme.com acme.com/legal acme.github.io acme.weebly.com acme-shop.com xn--cme-8cd.com "
        "en.acme.com acme.com.evil.example acme.uk.com acme.lima-city.de acme.com/evil acme.blogspot.com/en",
    ),
    "Blue River Otters": (
        "blue-river-otters.com blueriverotters.org",
        "blue.river-otters.com",
    ),
    "the Füchse": ("fuechse.org fuchse.de", "fuechse-berlin.de"),
    "P&Q": ("pandq.com pq.com", "p.q.com"),
    "Tumblr": ("tumblr.com", "evil.tumblr.com tumblr.com/evil"),
    "Weebly": ("weebly.com", "weebly.weebly.com"),
    "issuu": ("issuu.com", "issuu.com/evil"),
    "GitHub": ("github.com github.com/en", "github.com/evil gist.github.com github.github.io"),
}


def test_a_host_bears_a_name_on_its_front_page_alone_and_on_no_place_of_a_provider():
    for name, (bearing, other) in BEARERS.items():
        both = [url if "://" in url else f"https://{url}" for url in (*bearing.split(), *other.split())]

        assert [url for url in both if bears(url, name)] == both[: len(bearing.split())]


def test_they_choose_among_sites_and_not_among_pages():
    urls = "https://a.example/1 https://acme.io/x https://acme.io/ https://a.example/2 https://x.github.io/a"
    found = [Address(f"r{n}", url) for n, url in enumerate(urls.split())]

    assert [each.id for each in one_of_each_site(found)] == ["r0", "r1", "r4"]


def test_entries_count_in_their_own_conversation_for_their_own_name_the_newest_first():
    entries = GraphEntries()
    shown = [("a", "Larch Museum", "old"), ("a", "Larch Museum", "new"), ("b", "Elm", "elm")]
    for thread, title, host in shown:
        entries.keep(thread, [Found(f"https://{host}.example/", title, section="knowledge_graph")])
    entries.keep("a", [Found("https://evil.example/", "Elm", section="organic")])

    assert [entries.site("a", name) for name in ("the larch museum", "Elm", "Larch")] == [
        *("https://new.example/", "", ""),
    ]
