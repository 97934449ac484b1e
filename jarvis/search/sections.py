"""Where addresses stand in SerpAPI's answer, and how to read them whatever shape they come in.

The shapes differ by year and by engine, and any part may be missing, null or something else:
what can't be read is passed over, so nothing here raises. Ads have sections of their own,
which aren't listed here and so are never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.stdlib import NamedTuple
from ..core.text import one_line
from ..core.types import Found
from .hosts import public_address

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Section(NamedTuple):
    name: str  # as Found.section tells it
    keys: tuple[str, ...]  # where it stands, in the newer schemas and the older
    links: tuple[str, ...]  # where its entries keep their address; the first that can be used counts


# From what answers a question best to what answers it least.
_SECTIONS = (
    _Section(
        "answer_box",
        ("answer_box", "answer_box_list", "featured_snippet"),
        ("link", "source.link", "source.website", "source"),
    ),
    _Section("organic", ("organic_results",), ("link", "url", "redirect_link")),
    _Section(
        "knowledge_graph",
        ("knowledge_graph",),
        ("website", "website.link", "official_website", "official_website.link", "links.website"),
    ),
    _Section("sitelink", (), ("link",)),  # read out of organic results
    _Section("news", ("news_results",), ("link",)),
    _Section("top_stories", ("top_stories",), ("link",)),
    _Section("video", ("inline_videos", "video_results", "videos_results"), ("link",)),
    _Section("shopping", ("shopping_results", "inline_shopping_results"), ("link", "product_link")),
    _Section("local", ("local_results", "place_results"), ("website", "links.website", "links.website.link")),
)
_TITLES = ("title", "name")
_SNIPPETS = ("snippet", "answer", "result", "description", "address", "channel", "source.name", "source")
# What marks a shopping entry as paid for: Google's own web results have neither.
_PAID = ("block_position", "tracking_link", "sponsored")


def read_sections(results: object) -> list[Found]:
    """Every address in *results*, in the order of the sections; duplicates are still in."""
    if not isinstance(results, dict):
        return []
    return [found for section in _SECTIONS for found in _read_section(section, results)]


def _read_section(section: _Section, results: dict[str, object]) -> Iterator[Found]:
    for entry in _entries(section, results):
        if section.name == "shopping" and any(entry.get(mark) for mark in _PAID):
            continue
        url = next((url for path in section.links if (url := public_address(_at(entry, path)))), None)
        if url:
            title, snippet = _first_text(entry, _TITLES, 160), _first_text(entry, _SNIPPETS, 400)
            yield Found(url, title, snippet, section.name)


def _entries(section: _Section, results: dict[str, object]) -> Iterator[dict[str, object]]:
    if section.name == "sitelink":
        for entry in _objects(results.get("organic_results")):
            yield from _objects(entry.get("sitelinks"))
    for key in section.keys:
        # These two are one object with lists of other things in it.
        whole = key in ("answer_box", "knowledge_graph") and isinstance(results.get(key), dict)
        yield from _objects([results.get(key)] if whole else results.get(key))


def _objects(value: object) -> Iterator[dict[str, object]]:
    """The objects in *value*: a list of them, one of them, or lists of them under any names."""
    lists = [value]
    if isinstance(value, dict):
        yield value
        lists = list(value.values())
    for some in lists:
        if isinstance(some, list):
            yield from (item for item in some if isinstance(item, dict))


def _at(entry: dict[str, object], path: str) -> object:
    value: object = entry
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first_text(entry: dict[str, object], paths: tuple[str, ...], limit: int) -> str:
    texts = (value for path in paths if isinstance(value := _at(entry, path), str))
    return next((line for text in texts if (line := one_line(text, limit))), "")
