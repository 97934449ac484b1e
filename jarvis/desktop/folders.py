"""Find the person's folders by the XDG rules."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..config.paths import home_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def config_folder(env: Mapping[str, str]) -> str:
    return env.get("XDG_CONFIG_HOME") or os.path.join(home_of(env), ".config")


def pictures(env: Mapping[str, str]) -> str:
    """Return the folder for pictures; never the home folder, which stands for “none” in user-dirs.dirs."""
    own, chosen = home_of(env), os.path.join(config_folder(env), "user-dirs.dirs")
    try:
        with open(chosen, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read(65536).split("\n")
    except OSError:
        lines = []
    for line in reversed(lines):  # the file is a shell script: its last line wins
        name, _, value = line.strip(" \t").partition("=")
        if name == "XDG_PICTURES_DIR" and value.startswith(('"$HOME/', '"/')):
            path = _quoted(value)
            folder = os.path.normpath(own + path[len("$HOME") :] if path.startswith("$") else path)
            if folder != os.path.normpath(own) and folder.strip("/"):
                return folder
    return os.path.join(own, "Pictures")


def _quoted(value: str) -> str:
    """Return the text in the quotes with which *value* begins; "/" if they are not closed."""
    text, signs = "", iter(value[1:])
    for sign in signs:
        if sign == '"':
            return text
        text += next(signs, "") if sign == "\\" else sign
    return "/"


def data(env: Mapping[str, str]) -> list[str]:
    """Return the folders that may hold `applications/`, the most important first."""
    own = env.get("XDG_DATA_HOME") or os.path.join(home_of(env), ".local/share")
    everyones = env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    # Many sessions leave these three out of XDG_DATA_DIRS.
    often_missing = [
        f"{own}/flatpak/exports/share",
        "/var/lib/flatpak/exports/share",
        "/var/lib/snapd/desktop",
    ]
    folders = [folder.rstrip("/") for folder in (own, *everyones.split(":"), *often_missing)]
    return list(dict.fromkeys(folder for folder in folders if folder.startswith("/")))
