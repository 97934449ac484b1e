"""Whose a host is, by the list of public suffixes."""

from __future__ import annotations

from jarvis.search.hosts import names_match, site_of

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


SAME = [
    *(("MIT", "mit"), ("acme", "Acme, Inc."), ("City of Zürich", "zurich"), ("T-Quokka", "tquokka")),
    *(("Stack Overflow", "stackoverflow"), ("StackOverflow", "stack-overflow"), ("O'Hara’s", "OHaras")),
    *(("otters river", "Blue River Otters"), ("日本放送協会", "日本放送協会")),
]
OTHER = [
    *(("Acme", "Acmeville"), ("Acme Easton", "Acme Weston"), ("!!!", "???"), ("Acme", "")),
    ("PayPal", "pаypal"),  # the second letter is Cyrillic
    ("MIT", "Massachusetts Institute of Technology"),
]


def test_names_of_the_same_words_match_both_ways_and_others_do_not():
    both_ways = [(a, b) for pair in (*SAME, *OTHER) for a, b in (pair, pair[::-1])]

    matching = [pair for pair in both_ways if names_match(*pair)]

    assert matching == both_ways[: 2 * len(SAME)]
