"""Whose a host is, by the list of public suffixes and by where anybody may have pages."""

from __future__ import annotations

import pytest

from jarvis.search.hosts import is_within, rivals, site_of

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


GITHUB = "https://github.com"


@pytest.mark.parametrize(
    ("base", "within", "beyond"),
    [
        ("https://paypal.com", "paypal.com www.paypal.com/x http://login.paypal.com:8443/", "paypal.net"),
        ("https://www.example.co.uk/", "example.co.uk a.example.co.uk/b", "other.co.uk co.uk example.com"),
        # Of a host for everybody only its front page is its own, and what is not on that host.
        (
            GITHUB,
            "github.com docs.github.com/en",
            "github.com/evil gist.github.com/evil evil.github.io m.github.com/evil",
        ),
        (
            f"{GITHUB}/good",
            "github.com/good github.com/Good/x",
            "github.com github.com/goodness docs.github.com",
        ),
        (
            "https://www.google.com",
            "www.google.com/maps",
            "docs.google.com/document/d/1 sites.google.com/view/x script.google.com/macros/s/x",
        ),
        ("https://docs.google.com/document", "docs.google.com/document", "docs.google.com/document/d/1"),
        (
            "https://www.facebook.com/",
            "facebook.com m.facebook.com",
            "m.facebook.com/evil de-de.facebook.com/evil",
        ),
        ("https://facebook.com/good", "m.facebook.com/good/x de.facebook.com/good", "m.facebook.com/evil"),
        ("https://good.weebly.com", "good.weebly.com/x", "evil.weebly.com weebly.com"),
        ("https://medium.com/@good", "medium.com/@good/x", "medium.com/@evil evil.medium.com"),
        ("https://x.github.io", "x.github.io/y", "y.github.io github.io"),
        ("https://chatgpt.com", "chatgpt.com", "chatgpt.com/share/evil"),
        ("https://www.dropbox.com", "dropbox.com", "www.dropbox.com/s/evil"),
        ("https://bandcamp.com", "bandcamp.com/about", "evil.bandcamp.com"),
    ],
)
def test_a_site_is_a_domain_or_a_place_where_anybody_may_have_one(base, within, beyond):
    urls = [url if "://" in url else f"https://{url}" for url in (*within.split(), *beyond.split())]

    assert [url for url in urls if is_within(url, base)] == urls[: len(within.split())]


def test_what_may_be_meant_is_a_page_of_each_site_those_with_the_name_first():
    found = [
        "https://a.example/1",
        "https://acme.io/x",
        "https://acme.io/",
        "https://a.example/2",
        "https://github.com/a",
        "https://github.com/b",
    ]

    assert rivals([(str(n), url) for n, url in enumerate(found)], "Acme") == ["2", "0", "4", "5"]
