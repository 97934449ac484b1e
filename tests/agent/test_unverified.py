"""Which hosts in a text nothing vouches for."""

from __future__ import annotations

import pytest

from jarvis.agent.citations import MOST, unverified

KNOWN = (
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
    assert unverified(text, KNOWN) == tuple(f"https://{host}" for host in hosts.split())


def test_at_most_twenty_are_told():
    text = " ".join(f"https://n{n}.example/" for n in range(100))

    assert unverified(text, ()) == tuple(f"https://n{n}.example" for n in range(MOST))


@pytest.mark.parametrize(
    "piece", ["a", "a.", "www.", "http://", "http:", "a@", "[", ")", ".", "日本.", "http:a,", "//[", "-."]
)
def test_a_very_long_text_comes_through(piece):
    assert len(unverified(piece * (100_000 // len(piece)), KNOWN)) <= MOST
