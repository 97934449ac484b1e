"""What the guard says: words, and what is to be done because of them → its verdict."""

from __future__ import annotations

from jarvis import guard
from jarvis.grant import grant_of
from jarvis.policy import Policy
from jarvis.turn import Address, Effect, Facts

MIT = Address("r1", "https://web.mit.edu/", "MIT", source="found", official="its website")

WIKI = Address("r2", "https://en.wikipedia.org/wiki/MIT", "MIT - Wikipedia", source="found")

NEWS = Address("r3", "https://mit-news.example/", "MIT news", source="found")

MUNICH = Address("r4", "https://xn--mnchen-3ya.example/", "Tickets", source="found")

SHORT = Address("r5", "https://bit.ly/abc", "MIT", source="found")

ODD = Address("r6", "https://a.example:8443/", "MIT", source="found")

FOUND = (MIT, WIKI, NEWS, MUNICH, SHORT, ODD)


def facts(*addresses, now=FOUND, **known):
    """As after a search of this turn that found *now*."""
    searches = (frozenset(a.id for a in now),) if now else ()
    everything = {address.id: address for address in (*addresses, *now)}
    return Facts(everything, searches=searches, **known)


def opening(words, address, known=None, policy=None):
    known = known or facts(address) if address.id not in {a.id for a in FOUND} else known or facts()
    effect = Effect("opens", address.url, address)
    return guard.check(effect, grant_of(words), known, policy or Policy()).verdict


def starting(words, app, known=None, policy=None):
    effect = Effect("launches", app)
    return guard.check(effect, grant_of(words), known or facts(now=()), policy or Policy()).verdict


def capturing(words, known=None):
    return guard.check(
        Effect("captures", "/x.png"), grant_of(words), known or facts(now=()), Policy()
    ).verdict


def naming(words):
    """Of opening the one address that stands in *words*, https://a.example."""
    address = Address("u1", "https://a.example")
    return opening(words, address, facts(address, now=()))


def searching(query, words, **known):
    return guard.check(Effect("reads", query), grant_of(words), facts(now=(), **known), Policy()).verdict
