"""Searches the web with Brave or the user's own SearXNG, if there is no SerpAPI key."""

import re
from html import unescape

from ..config.keys import BRAVE, refused_key
from ..config.settings import Settings
from ..core.errors import SettingsError
from ..core.types import Found
from .extract import at, extract, objects_in
from .http import client_of
from .serpapi import best_of
from .web_service import WebService, checked_json


async def other_search(settings: Settings, query: str, name: str) -> tuple[Found, ...]:
    """Search by Brave where they have its key, else by their SearXNG: with the settings an actions.Search."""
    organic = [_read(entry) for entry in objects_in(await _results(settings, query))]
    return best_of(extract({"organic_results": organic}, name))


async def _results(settings: Settings, query: str) -> object:
    """Return the results of the configured engine. Raises JarvisErrors, without any trace of the key."""
    if key := settings.key(BRAVE):
        server = WebService("Brave", settings.brave_base_url, "BRAVE_BASE_URL", BRAVE.page)
        path, part = BRAVE.check, "web.results"
        params, headers = {"q": query}, {BRAVE.sent_as: key.reveal()}
    else:
        server = WebService("SearXNG", settings.searxng_url, "SEARXNG_URL", "https://docs.searxng.org")
        path, part = "search", "results"
        params, headers = {"q": query, "format": "json"}, {}
    url, seconds = f"{server.url}/{path}", settings.budgets.search_seconds
    async with client_of(server) as client:
        came = await client.get(url, params=params, headers=headers, timeout=seconds)
    if came.status_code in (401, 403) and not key:  # with a page, as for a browser
        hint = f"In its settings.yml: search: formats: [html, json]   (see {server.page})"
        raise SettingsError("Your SearXNG refused the search: JSON may not be among its formats.", hint=hint)
    page = checked_json(came.text, came.status_code, server, key.reveal(), lambda: refused_key(BRAVE, key))
    return at(page, *part.split("."))


def _read(entry: dict[str, object]) -> dict[str, object]:
    """Return *entry* as extract.py reads SerpAPI's, without Brave's emphasis, and `&amp;` as its sign."""
    texts = {"title": entry.get("title"), "snippet": entry.get("description") or entry.get("content")}
    plain = {name: unescape(re.sub("</?strong>", "", f"{text}")) for name, text in texts.items() if text}
    return {"link": entry.get("url"), **plain}
