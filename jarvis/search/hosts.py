"""Which addresses out of search results may be offered at all, and whose a host is."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from .. import urls


def set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Google's search and services under every country's domain. Sites under .google, or a google.org,
# are sites like any other.
_GOOGLE = re.compile(r"(?:.+\.)?google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})\Z")
# What the search itself puts around results: caches, translations, ad clicks, shortened shares.
_WRAPPERS = re.compile(
    r"(?:.+\.)?(?:serpapi\.com|googleusercontent\.com|gstatic\.com|googleadservices\.com"
    r"|googlesyndication\.com|doubleclick\.net|googleweblight\.com|translate\.goog|goo\.gl|g\.co)\Z"
)
# Second-level labels that countries sell names under: example.co.uk, example.com.au.
_SECOND_LEVEL = set_of("ac co com edu go gob gouv gov govt ltd me mil ne net nhs nom or org plc sch")
# Endings whose bare name is rarely somebody else's. Under the newer ones, such as .support or
# .shop, anyone takes any name.
_OWNED = set_of("com org net edu gov mil int aero cat coop eu museum")
# Countries whose names were given away for nothing.
_GIVEN_AWAY = set_of("tk ml ga cf gq")


def public_address(raw: object) -> str | None:
    """*raw* as we keep it; None where it may not be opened, or leads back to the search itself.

    A Google redirect (`/url?q=`) is unwrapped once and judged by what is inside.
    """
    url = urls.found(raw)
    if url and _GOOGLE.match(urls.host_of(url)):
        url = urls.found(_wrapped(url))
    return None if not url or _leads_back(urls.host_of(url)) else url


def names_of(host: str) -> tuple[str, ...]:
    """The names whose own site *host* plainly is; none if that is unsure.

    `t-mobile.co.uk` → t-mobile, t-mobilecouk: some names have their ending in them (monday.com).
    A subdomain tells nothing: `someone.github.io` isn't GitHub's.
    """
    labels = re.sub(r"\Awww?\d?\.", "", host).split(".")
    ends = 2 if len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL else 1
    if len(labels) != ends + 1:
        return ()
    whole, end = "".join(labels), labels[-1]
    owned = end in _OWNED or (len(end) == 2 and end not in _GIVEN_AWAY)
    return (labels[0], whole) if owned else (whole,)


def _leads_back(host: str) -> bool:
    return bool(_GOOGLE.match(host) or _WRAPPERS.match(host))


def _wrapped(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.path != "/url":
        return None
    inside = parse_qs(parts.query)
    return next((inside[name][0] for name in ("q", "url") if name in inside), None)
