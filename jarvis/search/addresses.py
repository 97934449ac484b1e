"""Search results → addresses, best first. The model never writes one: it picks from these.

Pure and deterministic. Whatever JSON came, nothing here raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import urls
from .names import begins_with, imitates, is_host_of, same_name, words
from .sections import read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..turn import Found

_FIRST_ORGANIC = 5  # further down, a host with the right name is more likely somebody else's


def extract(results: object, *, site: str | None) -> tuple[Found, ...]:
    """The addresses in *results*, each once, best first; no ads, nothing of the search's own.

    site: the name whose own website is wanted. Then that website comes first, and says in
    `official` why it is that, if Python is sure.
    """
    found = read(results)
    own = _own_site(found, site) if site else None
    return _merged([own, *found] if own else found)


def _own_site(found: list[Found], site: str) -> Found | None:
    organic = [item for item in found if item.section == "organic"]
    return (
        _in_knowledge_graph(found, site)
        or _by_host(organic[:_FIRST_ORGANIC], site)
        or _in_listings(found, site)
        or next(iter(organic), None)
    )


def _in_knowledge_graph(found: list[Found], site: str) -> Found | None:
    for item in found:
        if item.section == "knowledge_graph" and same_name(site, item.title):
            return item._replace(official="its entry in Google's knowledge graph")
    return None


def _by_host(organic: list[Found], site: str) -> Found | None:
    named = [item for item in organic if is_host_of(urls.host_of(item.url), site)]
    # The front page before a page within; min keeps the first of equals.
    best = min(named, key=lambda item: "/" in urls.key_of(item.url), default=None)
    return best._replace(official="its host is the name") if best else None


def _in_listings(found: list[Found], site: str) -> Found | None:
    listed = [item for item in found if item.section == "local" and begins_with(item.title, site)]
    best = min(listed, key=lambda item: words(item.title) != words(site), default=None)
    if best is None or not imitates(urls.host_of(best.url), site):
        return best and best._replace(official="its listing's website")
    # Anyone can list a place, so a host that only wears the name isn't vouched for.
    return best if words(best.title) == words(site) else None


def _merged(found: Iterable[Found]) -> tuple[Found, ...]:
    kept: dict[str, Found] = {}
    for item in found:
        key = urls.key_of(item.url)
        kept[key] = _filled(kept[key], item) if key in kept else item
    return tuple(kept.values())


def _filled(better: Found, other: Found) -> Found:
    """*better*, with what only *other* knows: a title, a snippet, that https is served."""
    secure = other.url.startswith("https:") and not better.url.startswith("https:")
    return better._replace(
        url=other.url if secure else better.url,
        title=better.title or other.title,
        snippet=better.snippet or other.snippet,
    )
