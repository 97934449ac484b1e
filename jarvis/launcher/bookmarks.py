"""The bookmarks of a browser, as it keeps them in a file: Chromium's JSON, or Firefox's places.sqlite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ..core import urls
from ..core.errors import BadTarget, SettingsError

_FIREFOX = (
    "SELECT moz_bookmarks.title, moz_places.url FROM moz_bookmarks"
    " JOIN moz_places ON moz_places.id = moz_bookmarks.fk WHERE moz_bookmarks.title != ''"
)


def bookmarks(path: str) -> list[tuple[str, str]]:
    """Each as (title, address); those that are no web sites are left out. Raises SettingsError."""
    try:
        found = list(_firefox(path) if path.endswith(".sqlite") else _chromium(path))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(
            f"The bookmarks in {path} can't be read: {error}.", hint="See bookmarks in config.toml."
        ) from None
    return list(_kept(found))


def _kept(found: Iterable[tuple[object, object]]) -> Iterator[tuple[str, str]]:
    for title, url in found:
        if isinstance(title, str) and isinstance(url, str):
            try:
                yield title, urls.canon(url).url
            except BadTarget:  # a script, a folder of the browser's own
                continue


def _chromium(path: str) -> Iterator[tuple[object, object]]:
    with open(path, encoding="utf-8") as file:
        left = [json.load(file)]
    while left:
        node = left.pop()
        if isinstance(node, dict) and node.get("type") == "url":
            yield node.get("name"), node.get("url")
        elif isinstance(node, dict):
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)


def _firefox(path: str) -> Iterator[tuple[object, object]]:
    # Only Firefox keeps them so.
    import sqlite3
    from contextlib import closing
    from urllib.parse import quote

    try:
        # A browser that runs holds a lock: it is read as it was written down last.
        with closing(sqlite3.connect(f"file:{quote(path)}?immutable=1", uri=True)) as database:
            yield from database.execute(_FIREFOX).fetchall()
    except sqlite3.Error as error:
        raise ValueError(str(error)) from None
