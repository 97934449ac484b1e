"""Takes the addresses out of search results, best first. The model never writes one: it picks from these.

SerpAPI's answers differ by year and engine, and any part may be missing or malformed. Those parts are
skipped, so nothing here raises. Ads have their own sections, which are never read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from urllib.parse import parse_qs, unquote, urlsplit

from ..core import urls
from ..core.text import one_line
from ..core.types import Found
from .hosts import IN_GRAPH, mark_official

# From what answers a question best to what answers it least, as Found.section has them: where each stands, in
# the newer schemas and the older; where its entries keep their address: the first that can be used counts.
_SECTIONS = {
    "answer_box": (
        ("answer_box", "answer_box_list", "featured_snippet"),
        ("link", "source.link", "source.website", "source"),
    ),
    "organic": (("organic_results",), ("link", "url", "redirect_link")),
    "knowledge_graph": (
        ("knowledge_graph",),
        ("website", "website.link", "official_website", "official_website.link", "links.website"),
    ),
    "sitelink": ((), ("link",)),  # read out of organic results
    "news": (("news_results",), ("link",)),
    "top_stories": (("top_stories",), ("link",)),
    "video": (("inline_videos", "video_results", "videos_results"), ("link",)),
    "shopping": (("shopping_results", "inline_shopping_results"), ("link", "product_link")),
    "local": (("local_results", "place_results"), ("website", "links.website", "links.website.link")),
}
_TITLES = ("title", "name")
_SNIPPETS = ("snippet", "answer", "result", "description", "address", "channel", "source.name", "source")
# What marks a shopping entry as paid for: Google's own web results have neither.
PAID = ("block_position", "tracking_link", "sponsored")
# Google's search and services under every country's domain. Sites under .google, or a google.org,
# are sites like any other.
_GOOGLE = re.compile(r"(?:.+\.)?google\.(?:com|cat|[a-z]{2}|com?\.[a-z]{2})\Z")
# So are its own products, below google.com, but for those that search, or show or lead to others' pages.
_SEARCHING = {"www", "adservice", "cse", "images", "lens", "news", "shopping", "translate", "url"}
_LEADING = {"aclk", "goto", "gview", "imgres", "scholar_url", "url", "viewer"}  # parts of a path
# What the search itself puts around results: caches, translations, ad clicks, shortened shares.
_WRAPPERS = re.compile(
    r"(?:.+\.)?(?:serpapi\.com|googleusercontent\.com|gstatic\.com|googleadservices\.com"
    r"|googlesyndication\.com|doubleclick\.net|googleweblight\.com|translate\.goog|goo\.gl|g\.co)\Z"
)


def extract(results: object, name: str = "") -> tuple[Found, ...]:
    """Return the addresses in *results*, each once, best first, without ads and the engine's own pages.

    name: if the search was for this name only, its likely sites come first.
    """
    page = results if isinstance(results, dict) else {}
    found = [each for section in _SECTIONS for each in _read_section(section, page)]
    return _merged(mark_official(found, name) if name else found)


def _read_section(section: str, results: dict[str, object]) -> Iterator[Found]:
    keys, paths = _SECTIONS[section]
    for entry in _entries(section, keys, results):
        if section == "shopping" and any(entry.get(mark) for mark in PAID):
            continue
        links = (public_address(at(entry, *path.split("."))) for path in paths)
        if address := next(filter(None, links), None):
            title, snippet = _first_text(entry, _TITLES, 160), _first_text(entry, _SNIPPETS, 400)
            host, has_sitelinks = address.host.removeprefix("www."), bool(at(entry, "sitelinks", "expanded"))
            yield Found(address.url, title, snippet, section, host=host, has_sitelinks=has_sitelinks)


def _entries(section: str, keys: Sequence[str], results: dict[str, object]) -> Iterator[dict[str, object]]:
    if section == "sitelink":
        for entry in objects_in(results.get("organic_results")):
            yield from objects_in(entry.get("sitelinks"))
    for key in keys:
        # These two are one object with lists of other things in it.
        whole = key in ("answer_box", "knowledge_graph") and isinstance(results.get(key), dict)
        yield from objects_in([results.get(key)] if whole else results.get(key))


def objects_in(value: object) -> Iterator[dict[str, object]]:
    """Yield the objects in *value*: a list of them, one of them, or lists of them under any names."""
    lists = [value]
    if isinstance(value, dict):
        yield value
        lists = list(value.values())
    for some in lists:
        if isinstance(some, list):
            yield from (item for item in some if isinstance(item, dict))


def at(entry: object, *keys: str) -> object:
    """Return the value in *entry* under these nested keys, or None."""
    for key in keys:
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def _first_text(entry: dict[str, object], paths: tuple[str, ...], limit: int) -> str:
    texts = (at(entry, *path.split(".")) for path in paths)
    lines = (one_line(text, limit) for text in texts if isinstance(text, str))
    return next(filter(None, lines), "")


def public_address(raw: object) -> urls.Canon | None:
    """Return *raw* as an address to open, or None if it isn't one or leads back to the search.

    A Google redirect (`/url?q=`) is unwrapped once. Its target is checked.
    """
    address = urls.found(raw)
    if address and _leads_back(address):
        address = urls.found(_wrapped(address.url))
    return None if address and _leads_back(address) else address


def is_google(host: str) -> bool:
    """Return whether *host* is Google's search, or a service of it, in any country."""
    return bool(_GOOGLE.match(host))


def _leads_back(address: urls.Canon) -> bool:
    """Return whether *address* is of the search itself, or a way of Google's to others' pages."""
    host, path = address.host, unquote(urlsplit(address.url).path).lower()
    is_product = host.endswith(".google.com") and _SEARCHING.isdisjoint(host.split("."))
    is_way = leads_on(address.url) or not _LEADING.isdisjoint(re.split("[/;]", path))
    return bool(_WRAPPERS.match(host)) or (is_google(host) and (is_way or not is_product))


def leads_on(url: str) -> bool:
    """Return whether *url* contains another address, so it may be a redirect."""
    inside = unquote(unquote(url.partition("://")[2])).lower()
    return "://" in inside or "http:/" in inside or "https:/" in inside


def _wrapped(url: str) -> str | None:
    parts = urlsplit(url)
    if parts.path != "/url":
        return None
    inside = parse_qs(parts.query)
    return next((inside[name][0] for name in ("q", "url") if name in inside), None)


def _merged(found: Iterable[Found]) -> tuple[Found, ...]:
    kept: dict[str, Found] = {}
    for item in found:
        key = key_of(item.url)
        kept[key] = _filled(kept[key], item) if key in kept else item
    return tuple(kept.values())


def _filled(better: Found, other: Found) -> Found:
    """Return *better*, with what only *other* knows: title, snippet, that https is served, whose it is."""
    secure = other.url.startswith("https:") and not better.url.startswith("https:")
    verified = other if other.official == IN_GRAPH or not better.official else better
    return better._replace(
        url=other.url if secure else better.url,
        title=better.title or other.title,
        snippet=better.snippet or other.snippet,
        official=verified.official,
        official_name=verified.official_name,
    )


def key_of(url: str) -> str:
    """Return a key that is equal for two spellings of one address."""
    return url.removeprefix("https://").removeprefix("http://").removeprefix("www.").rstrip("/")
