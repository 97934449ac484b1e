"""Tells files apart: may one hold a secret, or would opening it run it?

Nobody who says “open” asks to run something.
"""

import contextlib
import functools
import os
import re
import stat
import sys
from collections.abc import Mapping
from itertools import pairwise

_FILE = os.path.join(os.path.dirname(__file__), "file_kinds.txt")
_OF_CONTENT = ("a private key", "a key or a token", "a password")
_ENTRY = b"[Desktop Entry]"  # by which a desktop knows one whatever its name is
_BEGINNING = 256  # bytes


@functools.cache
def _sections() -> Mapping[str, str]:
    """Return the lines of file_kinds.txt by section."""
    with open(_FILE, encoding="utf-8") as file:
        sections = re.split(r"(?m)^\[(.+)\]\n", file.read())[1:]
    return dict(zip(sections[::2], sections[1::2], strict=True))


@functools.cache
def _kind(name: str) -> re.Pattern[str]:
    return re.compile(_sections()[name].strip().replace("\n", "|"), re.MULTILINE)


def _is_a(name: str, text: str) -> bool:
    return bool(_kind(name).fullmatch(text))


def secret_in(text: str) -> str:
    """Return the secret that *text* seems to contain, such as `a private key`, or ""."""
    return next((each for each in _OF_CONTENT if _kind(each).search(text)), "")


def secret_place(path: str) -> str:
    """Return the name of the folder for secrets that *path* is or lies in, or ""."""
    parts = path.casefold().replace(os.sep, "/").split("/")
    places = (*parts, *map("/".join, pairwise(parts)))
    return next(filter(_kind("folder").fullmatch, places), "")


def may_hold_secret(path: str) -> bool:
    """Return whether the file at *path* may hold keys or passwords, by its name.

    An older one may, too. Else its last word counts: `password-policy.pdf` is about a policy.
    """
    name = re.sub(rf"(?<=.)({_kind('backup').pattern})+$", "", os.path.basename(path).casefold())
    if _is_a("empty", name) or _is_a("name", name):
        return not _is_a("empty", name)
    stem, _, ending = name.rpartition(".")
    if stem and _is_a("code", ending):
        return False
    words = "_".join(each for each in re.findall(r"[^\W\d_]+", stem or ending) if not _is_a("tail", each))
    return _is_a("password", words) or (_is_a("token", words) and not _is_a("document", ending))


def why_not_shown(path: str) -> str:
    """Return why opening *path* would not show it, such as `is no file`, or "".

    path: absolute, and not a link. Raises OSError if nothing is there.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "is neither a file nor a folder"
    ending = os.path.basename(path).rstrip(". ").rpartition(".")[2].lower()
    # Desktops of Linux show scripts unless they are marked as programs; in WSL it is that of Windows.
    is_linux = sys.platform.startswith("linux") and "WSL_DISTRO_NAME" not in os.environ
    runs = _sections()["runs"].split() + ([] if is_linux else _sections()["runs but on Linux"].split())
    if ending in runs:
        return f"ends in .{ending}: it would run or lead to something instead of being shown"
    if stat.S_ISDIR(mode):
        return ""
    if mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        return "is marked as a program: it might run instead of being shown"
    # Who may not read it can't be shown it either: the desktop says so.
    with contextlib.suppress(OSError), open(path, "rb") as file:
        if _ENTRY in file.read(_BEGINNING):
            return "is the entry of an app, which would be started"
    return ""
