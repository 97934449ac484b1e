"""Ids in a reply become the numbers of its sources, as it is written; and hosts that nothing vouches for."""

import pytest

from jarvis.agent.citations import MOST, Writing, unverified
from jarvis.core.types import Address

KNOWN = [Address(f"r{n}", f"https://{n}.example/", source="found") for n in range(1, 5)]


@pytest.mark.parametrize(
    ("text", "shown", "cited"),
    [
        ("So it is [r3].", "So it is [1].", ["r3"]),
        ("a [r2] b [r1] c [r2]", "a [1] b [2] c [1]", ["r2", "r1"]),
        ("both [r1, r2]", "both [1][2]", ["r1", "r2"]),
        ("`ldr r0, [r9]` and arr[u8]", "`ldr r0, [r9]` and arr[u8]", []),
        ("mixed [r9; r4], none [r9] and [u7, s8].", "mixed [1], none and.", ["r4"]),
        ("no [citation] here [1] and a[0]", "no [citation] here [1] and a[0]", []),
    ],
)
def test_ids_become_numbers_in_the_order_in_which_they_are_named(text, shown, cited):
    writing = Writing(KNOWN)

    assert writing.rewritten(text) == shown
    assert [address.id for address in writing.cited] == cited


def test_behind_tables_sources_are_numbered_on_and_an_offer_is_its_line():
    writing = Writing([*KNOWN, Address("o9", "https://shop.example/9")], ["o3", "o1", "o3"])

    assert writing.rewritten("a [r2] b [o1] c [o3, r2] d [o9] e [o8]") == "a [4] b [2] c [1][4] d [5] e"
    assert [address.id for address in writing.cited] == ["r2", "o9"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("take [o5] or [o4], not [o9]", "take [2] or [1], not"),
        ("[o5, o9] or [o10] or [o0]", "[2] or or"),
        ("as [r2] says, take [o5]", "as says, take [2]"),
    ],
)
def test_in_a_list_that_stands_an_offer_is_its_line_and_nothing_is_a_source(text, shown):
    writing = Writing(KNOWN, ["o4", "o5"], keeps_list=True, offers=9)

    assert [writing.rewritten(text) for _ in range(2)] == [shown] * 2
    assert writing.cited == []


def test_what_is_shown_while_it_is_written_never_has_to_be_taken_back():
    text = "First [r3], then [not one] and [r1]; [r9] or [r2, r4] end [r1,\n r2] " + f"[{'r1, ' * 30}r2] [r1"
    text += " [o5], [r1, o9]"
    whole = Writing(KNOWN, ["o4", "o5"], offers=9).rewritten(text)
    writing, shown = Writing(KNOWN, ["o4", "o5"], offers=9), ""
    for end in range(len(text) + 1):
        so_far = writing.rewritten(text[:end], is_whole=False)
        assert so_far.startswith(shown)
        assert whole.startswith(so_far)
        shown = so_far


VOUCHED = (
    "https://web.mit.edu/about",
    "https://typed.example/a?b=c",
    "https://www.bbc.co.uk/",
    "https://mine.github.io/x",
    "https://github.io/",
    "https://xn--bcher-kva.de",
    "http://127.0.0.1:8000/",
)
TEXTS = {
    "https://evil.example": "evil.example",
    "See http://evil.example/a?b=c.d.": "evil.example",
    "HTTPS://EVIL.EXAMPLE": "evil.example",
    "[MIT](https://evil.example/x)": "evil.example",
    "[https://web.mit.edu](https://evil.example)": "evil.example",
    "<https://evil.example>": "evil.example",
    "(https://evil.example).": "evil.example",
    "“https://evil.example”, he said": "evil.example",
    "https://web.mit.edu@evil.example/": "evil.example",
    "https://a:b@c:d@evil.example:99/": "evil.example",
    "https://web.mit.edu.evil.example/": "web.mit.edu.evil.example",
    "https://web.mit.edu。evil.example/": "web.mit.edu。evil.example",
    "https:\\\\evil.example": "evil.example",
    "https://evil.example,https://bad.example": "evil.example bad.example",
    "www.evil.example evil.com Evil.RU": "www.evil.example evil.com evil.ru",
    "evil.com, evil.com and www.evil.com": "evil.com",
    "**evil.com** _bad.com_ evil.net!": "evil.com bad.com evil.net",
    "evil.com:8080 evil.club/login": "evil.com evil.club",
    "evil.co.at x.github.io": "evil.co.at x.github.io",
    "яндекс.рф": "xn--d1acpjx3f.xn--p1ai",
    "https://ｅｖｉｌ.example": "ｅｖｉｌ.example",
    "https://pаypal.com": "xn--pypal-4ve.com",
    "http://127.0.0.1:8080/ http://10.0.0.1 http://10.0.0.2": "10.0.0.1 10.0.0.2",
    "http://nas/ http://2130706433/": "nas 2130706433",
    "ftp://evil.com //bad.com/x": "evil.com bad.com",
    "https://x.github.io https://mine.github.io/y": "x.github.io",
    "https://mit.edu": "mit.edu",
    "https://evil.web.mit.edu/ http://web.mit.edu. web.mit.edu": "",
    "bbc.co.uk www.bbc.co.uk news.bbc.co.uk bücher.de typed.example/z": "",
    "main.py README.md index.js self.id logging.info(x) os.path.join src/main.rs:3 lib.rs": "",
    "e.g. this, i.e. that ... 3.14 12.5/7 10:30 C++ v1.2.3 U.S.A. and/or": "",
    "a@evil.com mailto:b.c@evil.com": "",
    "http: a protocol, https:// and http://": "",
    "It ends.Then it begins.But no": "",
    "https://web.mit.edu/evil.com?x=bad.com#worse.com,worst.com": "",
    "/etc/evil.conf ~/x.sh ./run.sh data.tar.gz a.b.c..d": "",
    "": "",
}


@pytest.mark.parametrize(("text", "hosts"), TEXTS.items())
def test_the_hosts_that_nothing_vouches_for_are_told_once_and_in_order(text, hosts):
    assert unverified(text, VOUCHED) == tuple(f"https://{host}" for host in hosts.split())


def test_at_most_twenty_are_told():
    text = " ".join(f"https://n{n}.example/" for n in range(100))

    assert unverified(text, ()) == tuple(f"https://n{n}.example" for n in range(MOST))


@pytest.mark.parametrize(
    "piece", ["a", "a.", "www.", "http://", "http:", "a@", "[", ")", ".", "日本.", "http:a,", "//[", "-."]
)
def test_a_very_long_text_comes_through(piece):
    assert len(unverified(piece * (100_000 // len(piece)), VOUCHED)) <= MOST
