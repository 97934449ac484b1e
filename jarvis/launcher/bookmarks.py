"""Read the bookmarks of a browser from its file: Chromium's JSON, or Firefox's places.sqlite."""

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
    """Return the bookmarks of web sites in the file at *path* as (title, address). Raises SettingsError."""
    try:
        found = list(_firefox(path) if path.endswith(".sqlite") else _chromium(path))
    except (OSError, ValueError, RecursionError) as error:
        raise SettingsError(
            f"The bookmarks in {path} can't be read: {error}.", hint="Check `bookmarks` in config.toml."
        ) from None
    return list(_kept(found))


def _kept(found: Iterable[tuple[object, object]]) -> Iterator[tuple[str, str]]:
    for title, url in found:
        if isinstance(title, str) and isinstance(url, str):
            try:
                yield title, urls.canon(url).url
            except BadTarget:  # a script, or a folder of the browser's own
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
    # Only needed for the bookmarks of Firefox.
    import sqlite3
    from contextlib import closing
    from urllib.parse import quote

    try:
        # A running browser locks the file. With `immutable` it is read without the lock, as last saved.
        with closing(sqlite3.connect(f"file:{quote(path)}?immutable=1", uri=True)) as database:
            yield from database.execute(_FIREFOX).fetchall()
    except sqlite3.Error as error:
        raise ValueError(str(error)) from None
