"""Which addresses out of search results may be offered at all, and whose a host is."""

from __future__ import annotations

import functools
import re
from urllib.parse import parse_qs, urlsplit

from ..core import urls
from ..core.hostnames import is_ipv4
from ..core.stdlib import TYPE_CHECKING

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

# Google's search and services under every country's domain. Sites under .google, or a google.org,
# are sites like any other.
_GOOGLE = re.compile(r"(?:.+\.)?google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})\Z")
# What the search itself puts around results: caches, translations, ad clicks, shortened shares.
_WRAPPERS = re.compile(
    r"(?:.+\.)?(?:serpapi\.com|googleusercontent\.com|gstatic\.com|googleadservices\.com"
    r"|googlesyndication\.com|doubleclick\.net|googleweblight\.com|translate\.goog|goo\.gl|g\.co)\Z"
)
# Endings under which a bare name is rarely somebody else's. Under those of most countries, and under
# the newer ones such as .support or .shop, anyone takes any name.
_OWNED = frozenset(("com", "org", "net", "edu", "gov", "int"))


def public_address(raw: object) -> str | None:
    """*raw* as we keep it; None where it may not be opened, or leads back to the search itself.

    A Google redirect (`/url?q=`) is unwrapped once and judged by what is inside.
    """
    url = urls.found(raw)
    if url and _GOOGLE.match(urls.host_of(url)):
        url = urls.found(_wrapped(url))
    return None if not url or _leads_back(urls.host_of(url)) else url


def site_of(host: str) -> str:
    """The part of *host* that somebody registered: `a.b.example.co.uk` → example.co.uk.

    Where a provider lets out subdomains, each is a site of its own: `x.github.io` → x.github.io.
    A host that has no such part (an IP address, localhost, a public suffix itself) is returned whole.
    """
    host = host.lower().rstrip(".")
    return host if is_ipv4(host) else listed().privatesuffix(host) or host


def suffix_of(host: str) -> str:
    """The public suffix that *host* stands below: co.uk, github.io; empty for one that does not exist."""
    known = listed()
    return (known.publicsuffix(host) or "") if known.privatesuffix(host, accept_unknown=False) else ""


def bare_name(host: str) -> tuple[str, str]:
    """The one label of *host* and the registry's suffix that it stands under; ("", "") if there is more.

    `www.example.co.uk` → example, co.uk. Only registries count: `x.github.io` has two labels under io.
    """
    host = host.lower().removeprefix("www.")
    if listed(only_registries=True).privatesuffix(host) != host:
        return "", ""
    label, _, suffix = host.partition(".")
    return label, suffix


def is_owned(suffix: str, country: str) -> bool:
    """Whether a bare name under *suffix* is likely its owner's. country: of the person, as in hosts: uk."""
    return suffix in _OWNED or bool(country and suffix.rpartition(".")[2] == country)


def _leads_back(host: str) -> bool:
    return bool(_GOOGLE.match(host) or _WRAPPERS.match(host))


def _wrapped(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.path != "/url":
        return None
    inside = parse_qs(parts.query)
    return next((inside[name][0] for name in ("q", "url") if name in inside), None)


@functools.cache
def listed(*, only_registries: bool = False) -> PublicSuffixList:
    """only_registries: without the hosts of providers who let out subdomains."""
    from publicsuffixlist import PublicSuffixList  # not before it is asked whose a host is

    return PublicSuffixList(only_icann=only_registries)
