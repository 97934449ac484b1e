"""Addresses as browsers read them: what we accept, an independent WHATWG parser reads the same way."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import pytest
from ada_url import URL

from jarvis.core import urls
from jarvis.core.errors import BadTarget

if TYPE_CHECKING:
    from collections.abc import Iterable

PORTS = {"http": 80, "https": 443}
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-_"
SCHEMES = (
    *(["https://"] * 24 + ["http://"] * 8),
    *("HTTPS://", "hTTp://", "http:", "https:/", "https:///", "https:\\\\", "httpſ://", "//", "ftp://", ""),
    *("ws://", "javascript://", "https://https://", " https://", "\thttps://", "ht\ntps://", "data:"),
)
USERS = (
    *([""] * 12),
    *("u@", "u:p@", "@", "good.example@", "a@b@", "%40@", "u:@", ":@", "good.example:443@", "ü@", "<>@"),
)
HOSTS = (
    *"""
    example.com web.mit.edu Bücher.DE straße.de faß.example ελλάς.gr 例え.jp пример.рф xn--bcher-kva.de
    XN--Bcher-Kva.de xn--a xn-- xn--a.example xn--zz-.com xn--abc-.com xn--ls8h.la xn--0.pt
    xn--u-ccb.com xn--xn---epa.com xn--strae-oqa.de xn--fa-hia.de 127.0.0.1 127.1 0x7f.1 0x7f000001
    2130706433 0177.0.0.1 0 1.2.3 1.2.3.4.5 08 256.1.1.1 1.1.1.01 1.2.3.4. 0x 1.0x a.0x7f a.1 a.09
    ４.3.2.1 ①.example [::1] [::ffff:1.2.3.4] [0:0::1] [1:0:0:2:0:0:0:3] [::] [1::2::3] [fe80::1%25eth0]
    [::1 exa%6dple.com a%2eb.example example.com%00 example。com example．com example｡com example.com.
    example.com.. .example.com a..b -a.example a-.example _dmarc.a.example a_b.c ＥＸＡＭＰＬＥ.com
    ﬁne.example K.example İ.example ı.example ſ.example ß.example ς.gr א1.example aא.example אa.example
    א.1.example I♥.example 🎉.ws a\\b.example a<b.example a|b.example a^b.example a`b.example
    a{b}.example a,b.example a;b.example . .. localhost LOCALHOST ab--cd.example
    good.example\\@evil.example good.example#@evil.example good.example?@evil.example good.example/@e.c
    ꭰ.example Ꭰ.example Ⓐ.example ㎏.example ℀.example ／.example ？.example ＃.example ẞ.example
    ǆ.example ΐ.example 𝐚.example ა.ge Ა.ge
    """.split(),
    *("", "a b.example", "a\tb.example", "a" * 63 + ".example", "a" * 64 + ".example", "ex\xadample.com"),
    *(f"a{hidden}b.example" for hidden in "\u200d\u200c\u2060"),
    *("a\u0301.example", "\u0301a.example", "a\ufe0f.example", "a\u115f.example"),
)
ENDS = (
    *([""] * 8),
    *":80 :443 :8443 :00443 :0 :65535 :65536 : :８０ :٤٤٣ :80x :-1 :%38".split(),
    ": 80",
)
PATHS = (
    *([""] * 3 + ["/", "/a?b=c#d"]),
    *"/a//b /.. /%2e%2e/ /ü ?x #y /x@y /:80 /http://evil.example \\evil.example /<>{}|^` /a\\b".split(),
    *("/a b", "/\x00", "/\u202e", "/'", '/"', "#:~:text=a", "//evil.example", "/\ufeff", "/%zz"),
)
ODD = "。．｡@:/\\?#%[].-_\t\n\r \x00\xad\u200b\u200d\u2060\ufeff\u3002ßςſKİıﬁＡ０①٠אａ́🎉éxn"


class Reading(NamedTuple):
    scheme: str
    host: str
    port: int


def as_browsers_read(url: str) -> Reading | None:
    try:
        parsed = URL(url)
    except ValueError:
        return None
    scheme = parsed.protocol.rstrip(":")
    return Reading(scheme, parsed.hostname, int(parsed.port or PORTS.get(scheme, 0)))


def as_we_keep(address: urls.Canon) -> Reading:
    scheme = address.url.partition(":")[0]
    return Reading(scheme, address.host, int(address.port or PORTS[scheme]))


def addresses(count: int, seed: int) -> Iterable[str]:
    """Whole ones, and mutations of them. Half of the hosts are random."""
    chance = random.Random(seed)
    for _ in range(count):
        host = chance.choice(HOSTS) if chance.random() < 0.6 else random_host(chance)
        parts = [
            chance.choice(SCHEMES),
            chance.choice(USERS),
            host,
            chance.choice(ENDS),
            chance.choice(PATHS),
        ]
        url = "".join(parts)
        yield mutated(url, chance) if chance.random() < 0.3 else url


def random_host(chance: random.Random) -> str:
    def label() -> str:
        text = "".join(chance.choices(LETTERS, k=chance.randint(1, 8)))
        if chance.random() < 0.2:
            text += chr(chance.randrange(0xA1, 0x3400))
        return ("xn--" if chance.random() < 0.15 else "") + (text.upper() if chance.random() < 0.2 else text)

    return ".".join(label() for _ in range(chance.randint(1, 4)))


def mutated(url: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(url) + 1)
        odd = chance.choice(ODD) if chance.random() < 0.8 else chr(chance.randrange(0x20, 0xD800))
        url = url[:at] + odd + url[at + chance.randint(0, 1) :]
    return url


@pytest.mark.slow
def test_what_is_accepted_leads_where_a_browser_goes(long):
    count, accepted = (200_000 if long else 10_000), 0
    for url in addresses(count, seed=11):
        try:
            ours = urls.canon(url)
        except BadTarget:
            continue
        accepted += 1
        theirs = as_browsers_read(url)
        # The stop at the end is the root of all names: the same host, of which we keep one form.
        raw = theirs and theirs._replace(host=theirs.host.removesuffix("."))
        assert (raw, as_browsers_read(ours.url)) == (as_we_keep(ours), as_we_keep(ours)), ascii(url)
        assert urls.canon(ours.url) == ours
        assert len(ours.url) <= urls.LONGEST
    assert accepted > count / 10


def test_what_was_found_is_never_an_ip_address_nor_on_this_network():
    kept = [kept.url for url in addresses(10_000, seed=12) if (kept := urls.found(url))]

    assert len(kept) > 250
    for url in kept:
        host = URL(url).hostname
        assert "." in host
        assert not host.startswith("[")
        assert not host.rpartition(".")[2].isdigit()


TWO_WAYS = """
http://0x7f.1/ http://2130706433/ http://0177.0.0.1/ http://1.1.1.01/ http://a.1/ https://a.example:８０/
httpſ://a.example/ https://xn--a.example/ https://xn--abc-.com/ https://[1::2::3]/ https://ẞ.example/
https://xn--psd.example/ https://א.1.example/
""".split()


def test_an_address_that_can_be_read_in_two_ways_is_refused():
    for url in TWO_WAYS:
        with pytest.raises(BadTarget):
            urls.canon(url)


def test_what_is_encoded_counts_as_it_is_kept():
    fits = "https://a.example/" + "x" * (urls.LONGEST - 21)

    assert len(urls.canon(fits + "{").url) == urls.LONGEST
    with pytest.raises(BadTarget, match="up to 8,000"):
        urls.canon(fits + "{{")
