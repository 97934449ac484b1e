"""What was found is opened where the words plainly ask for it, and only what they mean."""

from __future__ import annotations

import pytest

from jarvis import guard
from jarvis.grant import grant_of
from jarvis.guard import ALLOW, ASK, REFUSE
from jarvis.policy import Policy, Rule
from jarvis.turn import Address, Effect
from tests.guard.verdicts import FOUND, MIT, MUNICH, NEWS, ODD, SHORT, WIKI, facts, opening, starting


@pytest.mark.parametrize(
    "words",
    [
        "find the MIT website and open it",
        "open the MIT site please",
        "I'd like you to take me to MIT's website",
        "show me the MIT website",
        "the MIT website in my browser",
        "once you have found the MIT website open it",
        "I need the MIT website opened please",
        "what's the best university in boston? go to the MIT website",
        "go to the MIT website and tell me who runs it",
    ],
)
def test_what_was_found_for_words_that_ask_to_open_it_is_opened(words):
    assert opening(words, MIT) == ALLOW


@pytest.mark.parametrize(
    "words",
    [
        "open the sound of music imdb page",
        "open the mean streets page",
        "open github because my build is red",
        "open github in dark mode",
        "open the to do list",
        "what's the best pizza in naples? go to their website",
    ],
)
def test_words_that_only_look_like_a_statement_ask_to_open(words):
    assert grant_of(words).opens == "said"


@pytest.mark.parametrize(
    "words",
    [
        "who runs MIT?",
        "find the MIT website",
        "how do I open a website?",
        "qui dirige le MIT ?",
        "ouvre le site du MIT",
    ],
)
def test_where_nothing_is_plainly_to_be_opened_it_is_asked(words):
    assert opening(words, MIT) == ASK


@pytest.mark.parametrize(
    "words",
    [
        "find the MIT website, but don't open it",
        "who runs MIT? do not open anything",
        "find MIT without opening anything",
        "open nothing, just tell me who runs MIT",
    ],
)
def test_where_they_said_not_to_nothing_is_opened(words):
    assert opening(words, MIT) == REFUSE
    assert starting(words, "mit") == REFUSE


def test_what_was_found_is_not_opened_in_place_of_what_they_named():
    named = Address("u1", "https://a.example/x")

    assert opening("open a.example/x", NEWS, facts(named, now=(NEWS,))) == ASK
    assert opening("check a.example/x and open it", NEWS, facts(named, now=(NEWS,))) == ASK
    assert opening("open firefox", NEWS, facts(now=(NEWS,))) == ASK
    assert opening("launch vs code please", NEWS, facts(now=(NEWS,))) == ASK
    assert opening("find MIT, then start gimp", MIT) == ASK
    mozilla = Address("r9", "https://www.mozilla.org/", source="found")
    assert opening("open mozilla", mozilla, facts(now=(mozilla, NEWS))) == ALLOW
    assert opening("open the best pizzeria near me", NEWS, facts(now=(NEWS,))) == ALLOW


@pytest.mark.parametrize(
    "words",
    [
        "open mozilla with firefox",
        "open mozilla in incognito",
        "open mozilla on my laptop",
        "open mozilla for a sec",
        "open mozilla since my tests are red",
        "open the mozilla repo",
        "open mozilla's twitter",
        "open the mozilla wiki",
    ],
)
def test_what_surrounds_a_name_is_no_part_of_it(words):
    mozilla = Address("r9", "https://www.mozilla.org/", source="found")

    assert opening(words, mozilla, facts(now=(mozilla, NEWS))) == ALLOW


@pytest.mark.parametrize(
    "words", ["open firefox with github", "start gimp on my laptop", "open vlc for a sec"]
)
def test_an_app_with_something_around_its_name_is_no_site_that_was_found(words):
    assert opening(words, NEWS, facts(now=(NEWS,))) == ASK


def test_another_page_of_the_host_they_named_is_not_what_they_named():
    leaking = Address("r1", "https://a.example/x?leak=1", source="found")
    named = Address("u1", "https://a.example/x")

    assert opening("open a.example/x", leaking, facts(named, leaking, now=())) == ASK
    assert opening("open a.example", leaking, facts(leaking, now=())) == ALLOW


def test_where_an_official_address_was_found_another_host_is_asked_about():
    words = "find the MIT website and open it"

    assert opening(words, WIKI) == ASK
    assert opening(words, NEWS) == ASK
    sub = Address("r7", "https://admissions.web.mit.edu/", source="found")
    assert opening(words, sub, facts(now=(*FOUND, sub))) == ALLOW
    assert opening("find a pizzeria and open one", WIKI, facts(now=(WIKI, NEWS))) == ALLOW


def test_an_official_address_of_another_search_counts_too():
    other = Address("r8", "https://mit-help.example/", "MIT", source="found")
    known = facts(now=())._replace(
        addresses={a.id: a for a in (MIT, other)}, searches=(frozenset({"r1"}), frozenset({"r8"}))
    )

    assert opening("open the MIT website", other, known) == ASK
    assert opening("open the MIT website", MIT, known) == ALLOW


@pytest.mark.parametrize(
    ("official", "host", "verdict"),
    [
        ("substack.com", "verify-account.substack.com", ASK),
        ("github.io", "github-login.github.io", ASK),
        ("wordpress.com", "help-wordpress.wordpress.com", ASK),
        ("writer.substack.com", "substack.com", ASK),
        ("substack.com", "www.substack.com", ALLOW),
        ("mit.edu", "web.mit.edu", ALLOW),
    ],
)
def test_a_subdomain_that_anybody_can_have_is_not_the_official_site(official, host, verdict):
    own = Address("r1", f"https://{official}/", "Own", source="found", official="its website")
    other = Address("r2", f"https://{host}/", "Own", source="found")

    assert opening("find their website and open it", other, facts(now=(own, other))) == verdict


@pytest.mark.parametrize("odd", [MUNICH, SHORT, ODD])
def test_what_is_odd_among_what_was_found_is_asked_about(odd):
    assert opening("find the ticket shop and open it", odd, facts(now=(odd, NEWS))) == ASK


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://10.0.0.1/",
        "https://8.8.8.8/",
        "https://u:p@a.example/",
        "http://[::1]/",
        "ftp://a.example/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://a.local/",
        "HTTPS://A.example/",
    ],
)
def test_what_was_found_and_is_no_public_site_is_refused_even_if_it_got_this_far(url):
    poisoned = Address("r1", url, source="found")

    assert opening("find it and open it", poisoned, facts(now=(poisoned,))) == REFUSE
    anything = Policy((Rule(1, "allow", "opens"),))
    assert opening("find it and open it", poisoned, facts(now=(poisoned,)), anything) == REFUSE


@pytest.mark.parametrize(
    "changed",
    [
        {"url": "https://web.mit.edu/?leak=1"},
        {"url": "https://b.example/"},
        {"source": "typed"},
        {"id": "r9"},
    ],
)
def test_an_address_that_is_not_exactly_one_that_is_known_is_refused(changed):
    address = MIT._replace(**changed)

    assert (
        guard.check(
            Effect("opens", address.url, address), grant_of("open the MIT website"), facts(), Policy()
        ).verdict
        == REFUSE
    )
    unknown = Effect("opens", "https://web.mit.edu/", None)
    assert guard.check(unknown, grant_of("open the MIT website"), facts(), Policy()).verdict == REFUSE
    other = Effect("opens", "https://web.mit.edu/?q=1", MIT)
    assert guard.check(other, grant_of("open the MIT website"), facts(), Policy()).verdict == REFUSE


def test_no_more_is_opened_than_the_words_ask_for():
    assert opening("open the MIT website", MIT, facts(done=("opens",))) == REFUSE
    assert (
        opening("open the MIT website and the wikipedia article", WIKI, facts(now=(WIKI,), done=("opens",)))
        == ALLOW
    )
