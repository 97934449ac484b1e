"""Whose a host is, by the list of public suffixes."""

from __future__ import annotations

import pytest

from jarvis.search.hosts import names_match, site_of


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("example.com", "example.com"),
        ("www.a.example.com", "example.com"),
        ("A.Example.COM.", "example.com"),
        ("shop.example.co.uk", "example.co.uk"),
        ("a.b.x.github.io", "x.github.io"),
        ("x.github.io", "x.github.io"),
        ("github.io", "github.io"),
        ("me.blogspot.com", "me.blogspot.com"),
        ("evil.pages.dev", "evil.pages.dev"),
        ("foo.bar.ck", "foo.bar.ck"),
        ("www.ck", "www.ck"),
        ("shop.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("a.b.nonesuch", "b.nonesuch"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("192.168.1.1", "192.168.1.1"),
        ("[::1]", "[::1]"),
        ("a..b", "a..b"),
        ("", ""),
    ],
)
def test_a_site_is_what_somebody_registered(host, site):
    assert site_of(host) == site
    assert site_of(site) == site


@pytest.mark.parametrize(
    ("asked", "official"),
    [
        ("MIT", "mit"),
        ("acme", "Acme, Inc."),
        ("Acme Inc.", "acme"),
        ("City of Zürich", "zurich"),
        ("Stack Overflow", "stackoverflow"),
        ("StackOverflow", "stack-overflow"),
        ("T-Quokka", "tquokka"),
        ("McDonald's", "mcdonalds"),
        ("O'Hara’s", "OHaras"),
        ("otters river", "Blue River Otters"),
        ("日本放送協会", "日本放送協会"),
    ],
)
def test_names_of_the_same_words_match_both_ways(asked, official):
    assert names_match(asked, official)
    assert names_match(official, asked)


@pytest.mark.parametrize(
    ("asked", "official"),
    [
        ("Acme", "Acmeville"),
        ("Acme Easton", "Acme Weston"),
        ("PayPal", "pаypal"),  # the second letter is Cyrillic
        ("MIT", "Massachusetts Institute of Technology"),
        ("!!!", "???"),
        ("Acme", ""),
        ("", "Acme"),
    ],
)
def test_other_names_do_not(asked, official):
    assert not names_match(asked, official)
    assert not names_match(official, asked)
