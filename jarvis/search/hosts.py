"""Tells whose a host is: the site that it belongs to, and whether that is the own one of a name."""

from __future__ import annotations

import functools
import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..core.text import fold_case
from ..core.types import Address, Facts, Found, Site
from ..core.urls import DIGITS, host_of

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

# Searches of a turn: the query of each, the ids of what it found, and the own site of the name it was for.
Lookups = Sequence[Sequence[Any]]

# Why an address is the own site of a name.
IN_GRAPH = "its entry in Google's knowledge graph"
SITELINKS = "the first result for its name, with pages of its own below it"
_UMLAUTS: dict[int, str] = {ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"}
_LANGUAGE = re.compile(r"(?:[a-z]{2}(?:[-_][a-z]{2,4})?)?/?")  # what a front page may have as its path
_MOST_ENTRIES = 500
_MOST_CHOICES = 6  # pages that a name may mean
_SHORT = 2  # letters of a word that says nothing of a host it stands in


def site_of(host: str) -> str:
    """Return the part of *host* that somebody registered: `a.b.example.co.uk` → example.co.uk.

    Where a provider lets out subdomains, each is a site of its own: `x.github.io` → x.github.io.
    A host that has no such part (an IP address, localhost, a public suffix itself) is returned whole.
    """
    host = host.lower().rstrip(".")
    is_number = not host.rpartition(".")[2].strip(DIGITS)  # so it is an IP address
    return host if is_number else suffix_list().privatesuffix(host) or host


def suffix_of(host: str) -> str:
    """Return the public suffix of *host*, such as co.uk or github.io, or "" if it has none."""
    suffixes = suffix_list()
    return (suffixes.publicsuffix(host) or "") if suffixes.privatesuffix(host, accept_unknown=False) else ""


@functools.cache
def suffix_list(*, only_registries: bool = False) -> PublicSuffixList:
    """Return the list of public suffixes, with providers who let out subdomains, or without them."""
    from publicsuffixlist import PublicSuffixList  # not before it is asked whose a host is

    return PublicSuffixList(only_icann=only_registries)


def name_words(name: str) -> list[str]:
    """Return the words of *name* without case, accents and apostrophes."""
    return re.findall(r"[^\W_]+", re.sub("['’]", "", fold_case(name)))


def without_the(name: str) -> str:
    """Return *name* without its article: “the Louvre”, and “The Verge”, which a host may write either way."""
    first, _, rest = name.strip().partition(" ")
    return rest if rest and first.casefold() == "the" else name


def mark_official(found: Sequence[Found], name: str) -> list[Found]:
    """Mark the official site of *name* among the results of a search for exactly that name. Likely sites
    first.

    It is the knowledge graph's entry of that name, or else the first organic result, if its host is the name
    and the search shows its own pages below it.
    """
    graph = [item for item in found if item.section == "knowledge_graph"]
    first = [item for item in found if item.section == "organic"][:1]
    first = [item for item in first if item.has_sitelinks]
    own = {item: IN_GRAPH for item in graph if is_about(item, name, [item.host for item in first])}
    own = own or {item: SITELINKS for item in first if bears(item.url, name)}

    words = [word for word in name_words(name) if len(word) > _SHORT]

    def doubt(item: Found) -> tuple[bool, bool, bool, int]:
        hits = sum(word in item.host for word in words)
        return item not in own, item not in graph + first, not bears(item.url, name), -hits

    marks = {item: item._replace(official=why, official_name=name) for item, why in own.items()}
    return [marks.get(item, item) for item in sorted(found, key=doubt)]


def is_about(entry: Found, name: str, sure: Sequence[str] = ()) -> bool:
    """Return whether *entry* of the knowledge graph is about *name*, not about a namesake.

    sure: hosts with sitelinks under the first result of a search for that name.
    """
    title, name_sought = name_words(without_the(entry.title)), name_words(without_the(name))
    if not (title and name_sought):
        return False
    if "".join(title) == "".join(name_sought):
        return True
    # A longer or shorter name of it, or its capitals, count only if the host is that, or first.
    is_related = set(name_sought) <= set(title) or set(title) <= set(name_sought)
    capitals = "".join(filter(str.isupper, entry.title)).casefold()
    is_called = site_of(entry.host).partition(".")[0] in _spellings(name)
    return (is_related or "".join(name_sought) == capitals) and (is_called or entry.host in sure)


def bears(url: str, name: str) -> bool:
    """Return whether *url* is the front page of a host that is the bare *name*: https://www.acme.co.uk/en.

    Below it, and on its subdomains, pages may be anybody's: many a provider lets them out.
    """
    host = host_of(url).removeprefix("www.")
    label, _, suffix = host.partition(".")
    path = url.partition("://")[2].partition("/")[2]
    if label not in _spellings(name) or not _LANGUAGE.fullmatch(path.lower()):
        return False
    return "." not in suffix or suffix_list(only_registries=True).publicsuffix(suffix) == suffix


def one_of_each_site(addresses: Iterable[Address]) -> list[Address]:
    """Return the first of *addresses* on each site, in their order."""
    sites: dict[str, Address] = {}
    for address in addresses:
        sites.setdefault(site_of(host_of(address.url)), address)
    return list(sites.values())


def searched_site(by_id: Site, name: str, lookups: Lookups, addresses: Mapping[str, Address]) -> Site:
    """Return *by_id* with the site of *name* that this turn's searches found.

    If a search for exactly that name marks none as official, the user chooses among the results. A known site
    with a similar name and the user's last choice come first.
    """
    if by_id.url:
        return by_id
    by_name = next((each for each in reversed(lookups) if fold_case(each[0]) == fold_case(name)), None)
    if by_name and by_name[2] and not by_id.near:
        return by_id._replace(url=by_name[2], was_searched=True)
    ids = dict.fromkeys(id_ for each in ([by_name] if by_name else lookups) for id_ in each[1])
    found = [addresses[id_] for id_ in ids if id_ in addresses]
    if not by_name:  # nothing of them is in the order of that name
        found.sort(key=lambda address: not bears(address.url, name))
    leading = [address for address in addresses.values() if address.url in (by_id.near, by_id.last)]
    choices = one_of_each_site([*leading, *found])[:_MOST_CHOICES]
    return by_id._replace(choices=tuple(choices), was_searched=by_name is not None)


def name_to_search(facts: Facts, *, opened: str = "", query: str = "") -> str:
    """Return the name whose site must be searched first, or "".

    opened: the name whose site is to be opened. Otherwise the words of *query* tell which of several it is
    for.
    """
    query_words = set(name_words(query)) if facts.intent and facts.intent.parts[1:] else None
    for n, part in facts.parts_left:
        # What may not be meant at all takes the place of no search.
        is_it = not part.unsure and (query_words is None or query_words >= set(name_words(part.value)))
        is_it = n == facts.part_naming(opened) if opened else is_it
        meanings = facts.meaning_of(n)
        if (
            is_it
            and part.is_name
            and not (meanings.addresses or meanings.site.url or meanings.site.was_searched)
        ):
            return part.value
    return ""


class GraphEntries:
    """Keeps the knowledge graph entries of recent searches, as long as this process lives.

    They never come from the database: anyone who can write there could claim a site.
    """

    def __init__(self) -> None:
        self._entries: deque[tuple[str, Found]] = deque(maxlen=_MOST_ENTRIES)

    def keep(self, thread: str, found: Iterable[Found]) -> None:
        """Keep the entries among *found*, which a search of *thread* showed."""
        self._entries.extend((thread, item) for item in found if item.section == "knowledge_graph")

    def site(self, thread: str, name: str) -> str:
        """Return the address of the site in the newest entry about *name*, or ""."""
        entries = (item for where, item in reversed(self._entries) if where == thread)
        return next((item.url for item in entries if is_about(item, name)), "")


def _spellings(site_name: str) -> set[str]:
    """Return *site_name* as hosts may write it: without hyphens or article, ü as u or ue, & as and."""
    both = (site_name, without_the(site_name))
    names = [
        way
        for name in both
        for way in (name, name.casefold().translate(_UMLAUTS), name.replace("&", " and "))
    ]
    return {sign.join(name_words(name)) for name in names for sign in ("", "-")} - {""}
