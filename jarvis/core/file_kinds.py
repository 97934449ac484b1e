"""Tells what a file is: one that may hold a secret; one that would run if it were opened, and not be shown.

To run something, nobody asks for who says “open”.
"""

import os
import re
import stat
import sys

_SECRETS = (
    r"(?i)\.env.*|id_[a-z0-9_]+|.*\.(env|pem|key|ppk|p12|pfx|kdbx|jks|keystore|gpg)"
    r"|.*(credential|secret|passw).*|\.(netrc|pgpass|npmrc|pypirc|htpasswd)"
)


def may_hold_secret(path: str) -> bool:
    """Return whether the file at *path* may hold keys or passwords, by its name."""
    return bool(re.fullmatch(_SECRETS, os.path.basename(path)))


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
