"""Tells what a file is: one that may hold a secret; one that would run if it were opened, and not be shown.

To run something, nobody asks for who says “open”.
"""

import functools
import os
import re
import stat
import sys
from collections.abc import Mapping
from itertools import pairwise

_FILE = os.path.join(os.path.dirname(__file__), "secrets.txt")
_OF_CONTENT = ("a private key", "a key or a token", "a password")


@functools.cache
def _secrets() -> Mapping[str, re.Pattern[str]]:
    """Return the patterns in secrets.txt by their sections."""
    with open(_FILE, encoding="utf-8") as file:
        sections = re.split(r"(?m)^\[(.+)\]\n", file.read())[1:]
    patterns = (each.strip().replace("\n", "|") for each in sections[1::2])
    return {name: re.compile(each, re.MULTILINE) for name, each in zip(sections[::2], patterns, strict=True)}


def secret_in(text: str) -> str:
    """Return what secret seems to stand in *text*: `a private key`; empty: none."""
    return next((each for each in _OF_CONTENT if _secrets()[each].search(text)), "")


def secret_place(path: str) -> str:
    """Return the folder for secrets that *path* is, or lies in, as it is called; empty: it lies in none."""
    parts = path.casefold().replace(os.sep, "/").split("/")
    places = (*parts, *map("/".join, pairwise(parts)))
    return next(filter(_secrets()["folder"].fullmatch, places), "")


def may_hold_secret(path: str) -> bool:
    """Return whether the file at *path* may hold keys or passwords, by its name.

    An older one may, too. Else its last word counts: `password-policy.pdf` is about a policy.
    """
    is_a = {name: pattern.fullmatch for name, pattern in _secrets().items()}
    name = re.sub(rf"(?<=.)({_secrets()['backup'].pattern})+$", "", os.path.basename(path).casefold())
    if is_a["empty"](name) or is_a["name"](name):
        return not is_a["empty"](name)
    stem, _, ending = name.rpartition(".")
    if stem and is_a["code"](ending):
        return False
    words = [each for each in re.findall(r"[^\W\d_]+", stem or ending) if not is_a["tail"](each)]
    *others, last = words or [""]
    if is_a["password"](last) or (is_a["key"](last) and any(map(is_a["of keys"], others))):
        return True
    return bool(is_a["token"](last) and not is_a["document"](ending)) and not any(
        map(is_a["of no secret"], others)
    )


# Each of these has some system run something, install it, or follow where it leads. Mail programs hold back
# the same ones.
_RUN = frozenset(
    "accde action ade adp afploc ahk apk app appcontent-ms appimage appinstaller application appref-ms appx "
    "appxbundle atloc bat caction cdxml chm cmd com command contact cpl crx deb deskthemepack desktop "
    "diagcab diagcfg diagpkg dmg dqy exe fileloc flatpak flatpakref flatpakrepo ftploc gadget hta ica "
    "inetloc inf ins iqy isp jar jnlp job jse kdelnk kext lib library-ms lnk mailloc mde mobileconfig mpkg "
    "msc msi msix msixbundle msp mst msu newsloc nsh oqy osax oxt pif pkg ppkg prefpane ps1 ps1xml psc1 "
    "psm1 pyzw rdp reg rpm rqy run safariextz saver scf scpt scptd scr sct search-ms searchconnector-ms "
    "settingcontent-ms shb shs snap sparsebundle sparseimage sys terminal theme themepack tool url vb vbe "
    "vbs vhd vhdx vncloc vsix webloc website workflow ws wsb wsc wsf wsh xbap xll xpi ymp".split()
)
# Desktops of Linux show these unless they are marked as programs.
_RUN_ELSEWHERE = frozenset("js php pl py pyc pyw pyz rb sh".split())
_ENTRY = b"[Desktop Entry]"  # by which a desktop knows one whatever its name is
_BEGINNING = 256  # bytes


def why_not_shown(path: str) -> str:
    """Return what keeps that at *path* from being shown if it were opened: `is no file`; empty: nothing does.

    path: absolute, and no link. Raises OSError where there is none.
    """
    mode = os.stat(path).st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        return "is no file and no folder"
    ending = os.path.basename(path).rstrip(". ").rpartition(".")[2].lower()
    if ending in _RUN or (ending in _RUN_ELSEWHERE and not _is_linux()):
        return f"ends in .{ending}: it would run or lead to something instead of being shown"
    if stat.S_ISDIR(mode):
        return ""
    if mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH):
        return "is marked as a program: it might run instead of being shown"
    return "is the entry of an app, which would be started" if _is_entry(path) else ""


def _is_linux() -> bool:
    """Return whether it is a desktop of Linux: in WSL it is that of Windows."""
    return sys.platform.startswith("linux") and "WSL_DISTRO_NAME" not in os.environ


def _is_entry(path: str) -> bool:
    """Return whether what is in the file makes it one, whatever it is called."""
    try:
        with open(path, "rb") as file:
            return _ENTRY in file.read(_BEGINNING)
    except OSError:  # who may not read it can't be shown it either: the desktop says so
        return False
