"""Where the person's files are, by the XDG rules."""

from __future__ import annotations

import os
import re

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_PICTURES = r'(?m)^[ \t]*XDG_PICTURES_DIR="(\$HOME/|/)((?:[^"\\\n]|\\.)*)"'


def home(env: Mapping[str, str]) -> str:
    if env.get("HOME", "").startswith("/"):
        return env["HOME"]
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:  # a container's made-up user
        return "/"


def config(env: Mapping[str, str]) -> str:
    return env.get("XDG_CONFIG_HOME") or os.path.join(home(env), ".config")


def pictures(env: Mapping[str, str]) -> str:
    """The folder for pictures; never the home folder itself, which is how “none” is written there."""
    own, chosen = home(env), os.path.join(config(env), "user-dirs.dirs")
    try:
        with open(chosen, encoding="utf-8", errors="surrogateescape") as file:
            lines = re.findall(_PICTURES, file.read(65536))
    except OSError:
        lines = []
    for start, rest in reversed(lines):  # a shell reads this file: the last one wins
        folder = os.path.normpath(os.path.join(own if "$" in start else "/", re.sub(r"\\(.)", r"\1", rest)))
        if folder not in (os.path.normpath(own), "/"):
            return folder
    return os.path.join(own, "Pictures")


def data(env: Mapping[str, str]) -> list[str]:
    """The folders that may hold `applications/`, the one that counts most first."""
    own = env.get("XDG_DATA_HOME") or os.path.join(home(env), ".local/share")
    everyones = env.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    # Many sessions leave these three out.
    often_missing = [
        f"{own}/flatpak/exports/share",
        "/var/lib/flatpak/exports/share",
        "/var/lib/snapd/desktop",
    ]
    folders = [folder.rstrip("/") for folder in (own, *everyones.split(":"), *often_missing)]
    return list(dict.fromkeys(folder for folder in folders if folder.startswith("/")))
