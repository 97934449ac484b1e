"""Read the installed apps from their desktop entries.

Source: Desktop Entry Specification 1.5, Desktop Menu Specification (ids).
A broken entry is skipped: it must not hide all other apps.
"""

from __future__ import annotations

import os
import stat
from itertools import takewhile
from typing import TYPE_CHECKING

from ...core.text import one_line
from .. import folders
from ..apps import App
from . import exec_line
from .session import which

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_BYTES = 256 * 1024
_MOST_LEVELS = 8  # of folders in folders
_LONGEST_NAME = 80

_TRANSLATED = ("Name", "GenericName")
_KEYS = frozenset(
    "Type Name GenericName Exec TryExec Hidden NoDisplay OnlyShowIn NotShowIn Terminal DBusActivatable "
    "Path".split()
)


def index(env: Mapping[str, str], *, all_languages: bool = False) -> list[App]:
    """Return every app that a menu would show, each id once.

    all_languages: read their names in all languages, not in the person's alone.
    """
    seen: set[str] = set()
    apps = []
    for folder in folders.data(env):
        root = os.path.join(folder, "applications")
        for path in _entries(root, set(), _MOST_LEVELS):
            app_id = os.path.relpath(path, root)[: -len(".desktop")].replace("/", "-")
            if app_id in seen:
                continue
            seen.add(app_id)  # before it is read: a hidden entry hides those of the same id in later folders
            app = read_entry(path, app_id, env, all_languages=all_languages)
            if app:
                apps.append(app)
    return apps


def find_entry(app_id: str, env: Mapping[str, str]) -> App | None:
    """Return the app of that id, as `index` would list it, without reading the others."""
    if not app_id or "/" in app_id:
        return None
    for folder in folders.data(env):
        if path := _path(os.path.join(folder, "applications"), app_id):
            return read_entry(path, app_id, env)  # a hidden one hides those in later folders
    return None


def _path(folder: str, app_id: str) -> str:
    """Return the path of that id's entry in *folder*, or empty. Each `-` may end the name of a subfolder."""
    for at in (n for n, sign in enumerate(app_id) if sign == "-"):
        inner = os.path.join(folder, app_id[:at])
        if app_id[:at].strip(".") and os.path.isdir(inner) and (path := _path(inner, app_id[at + 1 :])):
            return path
    path = os.path.join(folder, f"{app_id}.desktop")
    return path if os.path.lexists(path) else ""


def read_entry(path: str, app_id: str, env: Mapping[str, str], *, all_languages: bool = False) -> App | None:
    """Return the app whose entry is at *path*; None if it is hidden or broken."""
    languages = _languages(env)
    keys = _keys(path, languages, all_languages)
    if not _is_shown(keys, env):
        return None
    names = _localised(keys, "Name", languages)
    try:
        command = exec_line.split(keys.get("Exec", ""))
    except ValueError:
        return None
    if not names or not (command or keys.get("DBusActivatable") == "true"):
        return None
    return App(
        id=app_id,
        path=path,
        names=names,
        generic=_localised(keys, "GenericName", languages),
        command=tuple(command),
        terminal=keys.get("Terminal") == "true",
        cwd=exec_line.unescape(keys.get("Path", "")),
        translations=tuple(_translated(keys, "Name")) if all_languages else (),
        generic_translations=tuple(_translated(keys, "GenericName")) if all_languages else (),
    )


def _entries(folder: str, seen: set[tuple[int, int]], levels: int) -> Iterator[str]:
    """Yield the paths of the entries in *folder* and below; each folder is entered once, despite links."""
    try:
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen or not levels:
            return
        seen.add((status.st_dev, status.st_ino))
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        path = os.path.join(folder, name)
        if name.endswith(".desktop"):
            yield path
        elif os.path.isdir(path):
            yield from _entries(path, seen, levels - 1)


def _keys(path: str, languages: list[str], all_languages: bool) -> dict[str, str]:
    """Return the known keys of the [Desktop Entry] at *path*, the first of each; empty if there is none."""
    wanted = {f"{key}[{language}]" for key in _TRANSLATED for language in languages} | _KEYS
    keys: dict[str, str] = {}
    for line in _section(_text(path)):
        key, equals, value = line.partition("=")
        key = key.rstrip(" \t")
        if equals and (key in wanted or (all_languages and key.partition("[")[0] in _TRANSLATED)):
            keys.setdefault(key, value.strip())
    return keys


def _section(text: str) -> list[str]:
    """Return the lines of [Desktop Entry]; none if a zero byte is among them."""
    lines = iter(text.split("\n"))
    if not any(line.rstrip(" \t\r") == "[Desktop Entry]" for line in lines):
        return []
    section = list(takewhile(lambda line: not line.startswith("["), lines))
    return [] if any("\0" in line for line in section) else section


def _text(path: str) -> str:
    try:
        # O_NONBLOCK: opening a pipe would wait until somebody writes to it.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return ""
    try:
        data = os.read(fd, _MOST_BYTES) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    except OSError:
        data = b""
    finally:
        os.close(fd)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _is_shown(keys: Mapping[str, str], env: Mapping[str, str]) -> bool:
    if keys.get("Type") != "Application" or "true" in (keys.get("Hidden"), keys.get("NoDisplay")):
        return False
    here = set(env.get("XDG_CURRENT_DESKTOP", "").split(":"))
    if "OnlyShowIn" in keys and not here & _listed(keys["OnlyShowIn"]):
        return False
    if here & _listed(keys.get("NotShowIn", "")):
        return False
    needed = exec_line.unescape(keys.get("TryExec", ""))
    return not needed or which(needed, env) is not None


def _listed(value: str) -> set[str]:
    return {part for part in value.split(";") if part}


def _languages(env: Mapping[str, str]) -> list[str]:
    """Return the locales whose names to take, best first: `sr_RS@latin`, `sr_RS`, `sr@latin`, `sr`."""
    locale = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG") or ""
    place, at, modifier = locale.partition("@")
    language, country = place.partition(".")[0].partition("_")[::2]
    if not language:
        return []
    country, modifier = country and f"_{country}", modifier and at + modifier
    return list(
        dict.fromkeys((language + country + modifier, language + country, language + modifier, language))
    )


def _localised(keys: Mapping[str, str], key: str, languages: list[str]) -> tuple[str, ...]:
    """Return the best translation and the untranslated value, cleaned for printing."""
    best = next((keys[f"{key}[{lang}]"] for lang in languages if f"{key}[{lang}]" in keys), "")
    values = (one_line(exec_line.unescape(value), _LONGEST_NAME) for value in (best, keys.get(key, "")))
    return tuple(dict.fromkeys(value for value in values if value))


def _translated(keys: Mapping[str, str], key: str) -> Iterator[str]:
    """Return every translation that was read. There are thousands, so they are not cleaned for printing."""
    return (exec_line.unescape(keys[name])[:_LONGEST_NAME] for name in keys if name.startswith(f"{key}["))
