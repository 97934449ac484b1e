"""Search results → addresses, best first. The model never writes one: it picks from these.

Which of them are official is told without knowing what was asked for; whose website is wanted only
changes the order. Pure and deterministic. Whatever JSON came, nothing here raises.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..core import urls
from .hosts import bare_name, is_owned, site_of
from .name_match import begins_with, is_host_of, is_part_of
from .sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ..core.types import Found

_FIRST_ORGANIC = 5  # further down, a host with the right name is more likely somebody else's
_IN_GRAPH = "its entry in Google's knowledge graph"
_BY_HOST = "its host is the name"


def extract(results: object, names: Sequence[str] = (), country: str = "") -> tuple[Found, ...]:
    """The addresses in *results*, each once, best first; no ads, nothing of the search's own.

    names: what the intent asks for the own website of; that of the first comes first.
    country: of the person, as hosts end there ("uk").
    """
    found = _with_official(read_sections(results), country)
    own = _own_site(found, names[0], country) if names else None
    return _merged([own, *found] if own else found)


def _with_official(found: list[Found], country: str) -> list[Found]:
    """*found*, with what is official for a name marked so, whatever was asked for."""
    bearers = _bearers(found)
    organic = [item for item in found if item.section == "organic"][:_FIRST_ORGANIC]
    return [
        _vouched(item, _IN_GRAPH, item.title)
        if item.section == "knowledge_graph"
        else _vouched(item, _BY_HOST, _own_name(urls.host_of(item.url), bearers, country))
        if item in organic
        else item
        for item in found
    ]


def _bearers(found: list[Found]) -> Mapping[str, set[str]]:
    """The sites that bear each name: example → example.com, example.github.io."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for site in {site_of(urls.host_of(item.url)) for item in found}:
        bearers[site.partition(".")[0]].add(site)
    return bearers


def _own_name(host: str, bearers: Mapping[str, set[str]], country: str) -> str:
    """The name that *host* itself is; empty where another site bears it too, or anyone could have it."""
    label, suffix = bare_name(host)
    # How such a name reads in other letters may be somebody else's.
    is_sure = is_owned(suffix, country) and not label.startswith("xn--")
    return label if is_sure and len(bearers[label]) == 1 else ""


def _vouched(item: Found, why: str, name: str) -> Found:
    return item._replace(official=why, official_name=name) if name else item


def _own_site(found: list[Found], name: str, country: str) -> Found | None:
    organic = [item for item in found if item.section == "organic"]
    official = [item for item in found if item.official and is_part_of(name, item.official_name)]
    graph = [item for item in official if item.official == _IN_GRAPH]
    spelt = [item for item in organic[:_FIRST_ORGANIC] if is_host_of(urls.host_of(item.url), name)]
    listed = [item for item in found if item.section == "local" and begins_with(item.title, name)]
    choices = (
        *graph,
        *sorted(official, key=_depth),
        *sorted(spelt, key=lambda item: (not _is_owned(item, country), _depth(item))),
        *sorted(listed, key=lambda item: len(item.title)),
        *organic,
    )
    return next(iter(choices), None)


def _depth(item: Found) -> bool:
    """The front page before a page within."""
    return "/" in urls.key_of(item.url)


def _is_owned(item: Found, country: str) -> bool:
    return is_owned(bare_name(urls.host_of(item.url))[1], country)


def _merged(found: Iterable[Found]) -> tuple[Found, ...]:
    kept: dict[str, Found] = {}
    for item in found:
        key = urls.key_of(item.url)
        kept[key] = _filled(kept[key], item) if key in kept else item
    return tuple(kept.values())


def _filled(better: Found, other: Found) -> Found:
    """*better*, with what only *other* knows: a title, a snippet, that https is served, whose it is."""
    secure = other.url.startswith("https:") and not better.url.startswith("https:")
    vouched = other if other.official == _IN_GRAPH or not better.official else better
    return better._replace(
        url=other.url if secure else better.url,
        title=better.title or other.title,
        snippet=better.snippet or other.snippet,
        official=vouched.official,
        official_name=vouched.official_name,
    )
