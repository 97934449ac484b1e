"""Tells whose a host is: the site that it belongs to, and whether that is the official one of a name.

Which addresses are official does not depend on what was asked for. That only changes their order.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

from ..core.urls import DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from publicsuffixlist import PublicSuffixList

    from ..core.types import Found

IN_GRAPH = "its entry in Google's knowledge graph"
_BY_HOST = "its host is the name"
_FIRST_ORGANIC = 5  # further down, a host with the right name is more likely somebody else's
# Endings under which a bare name is rarely somebody else's. Under those of most countries, and under
# the newer ones such as .support or .shop, anyone takes any name.
_OWNED = frozenset(("com", "org", "net", "edu", "gov", "int"))
_UMLAUTS: dict[int, str] = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}


def site_of(host: str) -> str:
    """Return the part of *host* that somebody registered: `a.b.example.co.uk` → example.co.uk.

    Where a provider lets out subdomains, each is a site of its own: `x.github.io` → x.github.io.
    A host that has no such part (an IP address, localhost, a public suffix itself) is returned whole.
    """
    host = host.lower().rstrip(".")
    is_number = not host.rpartition(".")[2].strip(DIGITS)  # so it is an IP address
    return host if is_number else suffix_list().privatesuffix(host) or host


def suffix_of(host: str) -> str:
    """Return the public suffix of *host*: co.uk, github.io; empty for one that does not exist."""
    known = suffix_list()
    return (known.publicsuffix(host) or "") if known.privatesuffix(host, accept_unknown=False) else ""


def name_of_host(host: str) -> tuple[str, str]:
    """Return the one label of *host* and its registry's suffix; ("", "") where there are more labels.

    `www.example.co.uk` → example, co.uk. Only registries count: `x.github.io` has two labels under io.
    """
    host = host.lower().removeprefix("www.")
    if suffix_list(only_registries=True).privatesuffix(host) != host:
        return "", ""
    label, _, suffix = host.partition(".")
    return label, suffix


def _is_owned(suffix: str, country: str) -> bool:
    """Return whether a bare name under *suffix* is likely its owner's. country: the person's, as in hosts."""
    return suffix in _OWNED or bool(country and suffix.rpartition(".")[2] == country)


@functools.cache
def suffix_list(*, only_registries: bool = False) -> PublicSuffixList:
    """Return the list of public suffixes. only_registries: without providers who let out subdomains."""
    from publicsuffixlist import PublicSuffixList  # not before it is asked whose a host is

    return PublicSuffixList(only_icann=only_registries)


def names_match(asked: str, official_name: str) -> bool:
    """Return whether *asked* may mean what goes by *official_name*, case and accents apart.

    The words of one all stand in the other, or both are the same without spaces.
    """
    return _is_part_of(asked, official_name) or _is_part_of(official_name, asked)


def _is_part_of(short: str, long: str) -> bool:
    """Return whether the words of *short* all stand in *long*, or both are the same without spaces."""
    ours, theirs = host_words(short), host_words(long)
    return bool(ours) and (set(ours) <= set(theirs) or "".join(ours) == "".join(theirs))


def _is_host_of(host: str, asked: str) -> bool:
    """Return whether *host* is *asked* and no more: acme.co.uk, purse.app, but not acme-help.com.

    It is good for an order only: under most endings anyone may have such a host.
    """
    label, suffix = name_of_host(host)
    if len(suffix.rpartition(".")[2]) > 2 and not _is_owned(suffix, ""):
        label = ""  # of the newer endings, only where they are part of the name
    return any(spelling in (label, host.replace(".", "")) for spelling in _spellings(asked))


def _begins_with(title: str, asked: str) -> bool:
    """Return whether *title* is *asked*, perhaps with a branch or a trade after it."""
    ours = host_words(asked)
    return bool(ours) and host_words(title)[: len(ours)] == ours


def _spellings(asked: str) -> set[str]:
    """Return how a host may write *asked*: with or without hyphens, ü as u or ue, & as and."""
    names = (asked, asked.casefold().translate(_UMLAUTS), asked.replace("&", " and "))
    return {sign.join(host_words(name)) for name in names for sign in ("", "-")} - {""}


def host_words(name: str) -> list[str]:
    """Return the words of *name* without case, accents and apostrophes."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    bare = "".join(c for c in letters if c not in "'’" and not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", bare)


def with_official(found: list[Found], country: str) -> list[Found]:
    """Return *found*, with what is official for a name marked so."""
    bearers = _bearers(found)
    organic = [item for item in found if item.section == "organic"][:_FIRST_ORGANIC]
    return [
        _verified(item, IN_GRAPH, item.title)
        if item.section == "knowledge_graph"
        else _verified(item, _BY_HOST, _own_name(item.host, bearers, country))
        if item in organic
        else item
        for item in found
    ]


def _bearers(found: list[Found]) -> Mapping[str, set[str]]:
    """Return the sites that bear each name: example → example.com, example.github.io."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for site in {site_of(item.host) for item in found}:
        bearers[site.partition(".")[0]].add(site)
    return bearers


def _own_name(host: str, bearers: Mapping[str, set[str]], country: str) -> str:
    """Return the name that *host* itself is; empty where another site bears it, or anyone could have it."""
    label, suffix = name_of_host(host)
    # How such a name reads in other letters may be somebody else's.
    is_sure = _is_owned(suffix, country) and not label.startswith("xn--")
    return label if is_sure and len(bearers[label]) == 1 else ""


def _verified(item: Found, why: str, name: str) -> Found:
    return item._replace(official=why, official_name=name) if name else item


def own_site(found: list[Found], name: str, country: str) -> Found | None:
    """Return the address of *found* that is most likely the own website of *name*; None: there is none."""
    organic = [item for item in found if item.section == "organic"]
    official = [item for item in found if item.official and _is_part_of(name, item.official_name)]
    graph = [item for item in official if item.official == IN_GRAPH]
    spelt = [item for item in organic[:_FIRST_ORGANIC] if _is_host_of(item.host, name)]
    local = [item for item in found if item.section == "local" and _begins_with(item.title, name)]
    choices = (
        *graph,
        *sorted(official, key=_is_within),
        *sorted(
            spelt, key=lambda item: (not _is_owned(name_of_host(item.host)[1], country), _is_within(item))
        ),
        *sorted(local, key=lambda item: len(item.title)),
        *organic,
    )
    return next(iter(choices), None)


def _is_within(item: Found) -> bool:
    """Return whether it is a page within a site; front pages come first."""
    return item.url.rstrip("/").count("/") > 2
