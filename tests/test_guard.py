"""The one way to an opener."""

from __future__ import annotations

import random

import pytest

from jarvis import guard, urls
from jarvis.turn import Address, Effect, Facts

TYPED = Address("u1", "http://192.168.1.1/admin")
FOUND = Address("r1", "https://a.example/", "A", source="found")
FACTS = Facts({"u1": TYPED, "r1": FOUND})


def opening(address, url=None):
    return guard.check(Effect("opens", url or address.url, address), FACTS).verdict


def test_what_the_person_typed_is_theirs_to_open():
    assert opening(TYPED) == guard.ALLOW


def test_what_was_found_and_is_public_may_be_opened():
    assert opening(FOUND) == guard.ALLOW


@pytest.mark.parametrize(
    "url",
    ["http://localhost/", "http://10.0.0.1/", "https://8.8.8.8/", "https://u:p@a.example/", "http://[::1]/",
     "ftp://a.example/", "javascript:alert(1)", "file:///etc/passwd", "https://a.local/", "HTTPS://A.example/"],
)  # fmt: skip
def test_what_was_found_and_leads_elsewhere_is_refused_even_if_it_got_this_far(url):
    poisoned = Address("r1", url, source="found")
    facts = Facts({"r1": poisoned})

    assert guard.check(Effect("opens", url, poisoned), facts).verdict == guard.REFUSE


def test_an_address_that_is_not_known_is_refused():
    assert opening(None, "https://a.example/") == guard.REFUSE
    assert opening(FOUND, "https://a.example/?leak=1") == guard.REFUSE
    assert opening(FOUND._replace(url="https://b.example/")) == guard.REFUSE
    assert opening(FOUND._replace(source="typed")) == guard.REFUSE
    assert opening(FOUND._replace(id="r2")) == guard.REFUSE


def test_an_effect_without_a_rule_is_refused():
    assert guard.check(Effect("spends", "all"), FACTS).verdict == guard.REFUSE
    assert guard.check(Effect("nonsense", ""), FACTS).verdict == guard.REFUSE


def test_of_five_thousand_random_effects_none_is_allowed_that_is_not_known():
    chance = random.Random(11)
    parts = [
        "https://",
        "http://",
        "a.example",
        "127.0.0.1",
        "u:p@",
        "/",
        "?x=1",
        "[::1]",
        "\\",
        "xn--",
        ".local",
        "u1",
    ]
    allowed = 0
    for _ in range(5000):
        url = "".join(chance.choices(parts, k=chance.randrange(1, 6)))
        source, known = chance.choice(["typed", "found"]), chance.random() < 0.8
        address = Address("r1", url, source=source)
        facts = Facts({"r1": address} if known else {})
        verdict = guard.check(Effect("opens", url, address), facts).verdict
        if verdict == guard.ALLOW:
            assert known
            assert urls.canon(url).url == url
            assert source == "typed" or urls.is_public(urls.canon(url))
            allowed += 1
    assert allowed > 50  # or the test would show nothing
