"""List the apps of a Mac: those in the application folders, and those that Spotlight knows of.

Spotlight may be off, so the folders are read too. Only Spotlight knows an app's name in the person's
language.
"""

from __future__ import annotations

import os
import plistlib
from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError

from ...config.sources import home_of
from ...core.text import one_line
from ..apps import LONGEST_NAME, App
from ..programs import run_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FOLDERS = (
    "Applications", "Applications/Utilities", "System/Applications", "System/Applications/Utilities",
    "System/Cryptexes/App/System/Applications", "System/Library/CoreServices/Applications",
)  # fmt: skip
_FINDER = "System/Library/CoreServices/Finder.app"
_ATTRIBUTE = "kMDItemDisplayName"
_MOST_BYTES = 1024 * 1024  # of a property list
# What plistlib raises for a broken file, besides its own error.
_BROKEN = (OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)


def index_bundles(env: Mapping[str, str], root: str, timeout: float) -> list[App]:
    """Return every app once, by its bundle's id; those in the application folders come first.

    timeout: seconds for Spotlight.
    """
    listed = run_program(spotlight_argv(root), env, timeout).out
    local = spotlight_names(listed.decode("utf-8", "replace"))
    apps: dict[str, App] = {}
    for path in dict.fromkeys([*_bundles(env, root), *local]):
        if os.path.isdir(path):
            app = read_bundle(path, local.get(path, ""))
            apps.setdefault(app.id, app)
    return list(apps.values())


def bundled(env: Mapping[str, str], root: str = "/") -> list[App]:
    """Return the apps in the application folders, by their files' names: no file is read, no program run."""
    # Some apps lie in one of the folders and are linked to from another.
    paths = {os.path.realpath(path): path for path in reversed([*_bundles(env, root)])}
    stems = {path: os.path.basename(path).removesuffix(".app") for path in paths.values()}
    return [App(stem, path, (one_line(stem, LONGEST_NAME),)) for path, stem in stems.items() if stem]


def _bundles(env: Mapping[str, str], root: str) -> Iterator[str]:
    folders = [os.path.join(root, folder) for folder in _FOLDERS]
    for folder in (*folders, os.path.join(home_of(env), "Applications")):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (os.path.join(folder, name) for name in names if name.endswith(".app"))
    yield os.path.join(root, _FINDER)


def spotlight_argv(root: str = "/") -> list[str]:
    """Return the command that lists all apps with the names that the Finder shows."""
    query = "kMDItemContentType == 'com.apple.application-bundle'"
    return [os.path.join(root, "usr/bin/mdfind"), "-attr", _ATTRIBUTE, query]


def spotlight_names(listed: str) -> dict[str, str]:
    """Return path → name shown from mdfind's lines, without parts of other apps and without the trash."""
    names = {}
    for line in listed.splitlines():
        path, _, name = line.partition(f"{_ATTRIBUTE} = ")
        path, name = path.rstrip(), name.strip().removesuffix(".app")
        if path.startswith("/") and path.endswith(".app") and not _is_hidden(path):
            names[path] = "" if name == "(null)" else name
    return names


def _is_hidden(path: str) -> bool:
    """Return whether *path* is in the trash or within another app.

    An app that another one keeps for the person (as Xcode does) is not hidden.
    """
    above = os.path.dirname(path)
    return "/.Trash/" in path or (".app/" in above + "/" and os.path.basename(above) != "Applications")


def read_bundle(path: str, local: str = "") -> App:
    """Return the app whose bundle is at *path*. local: its name in the person's language."""
    keys = _read_plist(os.path.join(path, "Contents", "Info.plist"))
    stem = os.path.basename(path).removesuffix(".app")
    names = [local, stem, *(keys.get(key) for key in ("CFBundleDisplayName", "CFBundleName"))]
    shown = [one_line(name, LONGEST_NAME) for name in names if isinstance(name, str)]
    own_id = keys.get("CFBundleIdentifier")
    return App(
        id=one_line(own_id, LONGEST_NAME) if isinstance(own_id, str) else path,
        path=path,
        names=tuple(dict.fromkeys(filter(None, shown))),
    )


def _read_plist(file: str) -> dict[str, object]:
    """Return the content of the property list *file*; empty if it is broken."""
    try:
        with open(file, "rb") as stream:
            keys = plistlib.loads(stream.read(_MOST_BYTES))
    except (ExpatError, *_BROKEN):
        return {}
    return keys if isinstance(keys, dict) else {}
