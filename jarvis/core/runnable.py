"""Tells whether a file is shown when it is opened, or would run: that, nobody asks for who says “open”."""

from __future__ import annotations

import os
import stat
import sys

# Each of these has some system run something, install it, or follow where it leads. Mail programs hold back
# the same ones.
_RUN = frozenset(
    "ade adp app appimage application appref-ms apk appx appxbundle bat chm cmd com command cpl deb desktop "
    "diagcab dmg exe flatpak flatpakref flatpakrepo gadget hta inf ins isp jar jnlp job jse kext lib lnk mde "
    "mpkg msc msi msix msixbundle msp mst pif pkg prefpane ps1 ps1xml psc1 psm1 reg rpm run saver scf scr "
    "sct settingcontent-ms shb shs snap sys terminal tool url vb vbe vbs webloc workflow ws wsc wsf wsh "
    "xll".split()
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
