"""Find the app that a Mac uses for a role: the person's default app, else the system's own.

Source: the file in which LaunchServices keeps those choices, as others read it; Apple documents no format.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...config.paths import home_of
from ..apps import ROLES
from .apps import read_plist

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ..apps import App

_CHOICES = "Library/Preferences/com.apple.LaunchServices/com.apple.launchservices.secure.plist"
_OPENS = {
    "browser": ("LSHandlerURLScheme", "https"),
    "mail": ("LSHandlerURLScheme", "mailto"),
    "editor": ("LSHandlerContentType", "public.plain-text"),
}
_OWN = {
    "browser": "com.apple.Safari",
    "mail": "com.apple.mail",
    "files": "com.apple.finder",
    "terminal": "com.apple.Terminal",
    "editor": "com.apple.TextEdit",
    "settings": "com.apple.systempreferences",  # the id of System Settings, too
}


def role(names: Sequence[str], apps: Sequence[App], env: Mapping[str, str]) -> App | None:
    """Return the one of *apps* that has the role which one of *names* is; None: no role, or no app for it."""
    kind = next((ROLES[name] for name in names if name in ROLES), "")
    # LaunchServices keeps ids in lower case.
    listed = {app.id.casefold(): app for app in apps}
    hits = (listed.get(bundle_id.casefold()) for bundle_id in (*_chosen(kind, env), _OWN.get(kind, "")))
    return next(filter(None, hits), None)


def _chosen(kind: str, env: Mapping[str, str]) -> Iterator[str]:
    """Yield the ids of the apps that the person chose for the role *kind*."""
    key, value = _OPENS.get(kind, ("", ""))
    kept = read_plist(os.path.join(home_of(env), _CHOICES)) if key else {}
    handlers = kept.get("LSHandlers")
    for handler in handlers if isinstance(handlers, list) else ():
        if isinstance(handler, dict) and handler.get(key) == value:
            yield str(handler.get("LSHandlerRoleAll", ""))
