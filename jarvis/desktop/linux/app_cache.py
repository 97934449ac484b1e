"""Keep the names of the installed apps until the time stamp of a folder with their entries changes.

An entry that is edited in place changes no folder's stamp: so it is read again before its app is started.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from json import dumps, loads
from typing import Any, NamedTuple

from ...core.errors import StoreFailed
from ...core.files import is_own, private_folder, replace_file
from .. import folders
from ..apps import ARTICLES, ENTRY, SHORT_NAMES, App

# Imported when first used: a name in the cache is found without the index.

_FORMAT = 2
_SETTLED = 2.0  # seconds; within them a folder may change again without another stamp
_MOST_LEVELS = 8


class Listed(NamedTuple):
    """One app in the cache."""

    id: str
    path: str
    name: str

    @property
    def key(self) -> str:
        """Return the key, the same as `App.key`."""
        return self.id + ENTRY


def apps_by_name(names: Sequence[str], env: Mapping[str, str], cache: str) -> list[Listed]:
    """Return the apps whose whole name, or else whose program's name, is one of *names*.

    names: in lower case, without signs, best first. cache: the folder of the cache, empty for none.
    """
    levels = _levels(env, cache)
    if not all(map(str.isascii, names)):
        from ..match import normalise  # the index has names without accents

        names = [*names, *map(normalise, names)]
    long = [SHORT_NAMES[name] for name in names if name in SHORT_NAMES]
    for level, name in (*_wanted(names), *_wanted(long)):
        if hits := levels[level].get(name):
            return [Listed(*hit) for hit in hits]
    return []


def names_kept(cache: str) -> list[tuple[str, str]]:
    """Return the names of the apps in the cache, fresh or not: name in lower case, name in the menu."""
    kept = _kept(os.path.join(cache, "apps.json"))
    levels = kept.get("levels", [{}]) if kept.get("key", [0])[:1] == [_FORMAT] else [{}]
    return [(name, Listed(*hits[0]).name) for name, hits in levels[0].items()]


def _wanted(names: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Return the names to look up, each after its level, in the order of `match.find`."""
    yield from ((0, name) for name in names)
    yield from ((1, name.replace(" ", "")) for name in names)
    # “The code” does not mean the program `code`.
    yield from ((2, name) for name in names if not any(f"{word} {name}" in names for word in ARTICLES))


def only(name: str, env: Mapping[str, str], cache: str) -> App | None:
    """Return the only app of that *name*, read from its entry again; None if there are none or several."""
    from .. import match
    from .desktop_entries import read_entry

    hits = apps_by_name(match.forms(name), env, cache) if cache else []
    app = read_entry(hits[0].path, hits[0].id, env) if len(hits) == 1 else None
    return app if app and match.is_called(name, app) else None


def _levels(env: Mapping[str, str], cache: str) -> list[dict[str, list[list[str]]]]:
    """Return three tables, name → apps: by their names, by these without spaces, by their programs."""
    key = _key(env)
    file = os.path.join(cache, "apps.json") if cache else ""
    kept = _kept(file) if file else {}
    if kept.get("key") == key and all(_stamp(path) == at for path, at in kept["folders"]):
        levels: list[dict[str, list[list[str]]]] = kept["levels"]
        return levels
    stamps = [(path, _stamp(path)) for path in _folders(env)]  # before their entries are read
    levels = _read(env)
    if file and all(time.time_ns() - at > _SETTLED * 1e9 for _, at in stamps):
        _keep(file, {"key": key, "folders": stamps, "levels": levels})
    return levels


def _read(env: Mapping[str, str]) -> list[dict[str, list[list[str]]]]:
    from .. import match
    from .desktop_entries import index

    levels: list[dict[str, list[App]]] = [{}, {}, {}]
    for app in index(env):
        for level, names in zip(levels, match.whole_names(app), strict=True):
            for name in names:
                level.setdefault(name, []).append(app)
    return [
        {name: [[a.id, a.path, a.name] for a in match.distinct(apps)] for name, apps in level.items() if name}
        for level in levels
    ]


def _key(env: Mapping[str, str]) -> list[Any]:
    """Return what decides, besides the folders, which apps there are and what they are called."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG", "XDG_CURRENT_DESKTOP", "PATH")
    return [_FORMAT, folders.data(env), [env.get(name, "") for name in names]]


def _folders(env: Mapping[str, str]) -> Iterator[str]:
    """Return every folder that may hold entries, whether it exists or not."""
    for folder in folders.data(env):
        root = os.path.join(folder, "applications")
        yield root
        yield from _below(root, _MOST_LEVELS)


def _below(folder: str, levels: int) -> Iterator[str]:
    try:
        inner = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir()) if levels else []
    except OSError:
        return
    for path in inner:
        yield path
        yield from _below(path, levels - 1)


def _stamp(path: str) -> int:
    """Return the time of the last change of *path* in nanoseconds; 0 if it does not exist."""
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return 0


def _kept(file: str) -> dict[str, Any]:
    try:
        with open(file, encoding="utf-8") as stream:
            kept = loads(stream.read()) if is_own(os.fstat(stream.fileno())) else None
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _keep(file: str, record: dict[str, Any]) -> None:
    try:
        private_folder(os.path.dirname(file))
        replace_file(file, dumps(record))  # ASCII, which keeps names that are not UTF-8
    except StoreFailed:
        pass  # a full disk only makes the next look-up slower
