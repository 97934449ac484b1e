"""Puts a text on the clipboard by a program of the desktop's own.

Not by pyperclip: it does not look at the exit status of such a program, nor tells which one it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from . import pick
from .programs import run_program

_SECONDS = 5.0


class _Way(NamedTuple):
    """A program that takes what is to be copied on its stdin."""

    argv: tuple[str, ...]
    encoding: str = "utf-8"


def copied_by(text: str, env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Put *text* on the clipboard; return the name of the program that did, empty where none could.

    Over SSH none is asked: its clipboard would be that of a desktop where the person is not.
    """
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return ""
    for way in _ways(env, platform):
        said = text.encode(way.encoding, "replace")
        if run_program(way.argv, env, _SECONDS, said=said).status == 0:
            return os.path.basename(way.argv[0]).removesuffix(".exe")
    return ""


def _ways(env: Mapping[str, str], platform: str) -> Iterator[_Way]:
    match pick(env, platform, "microsoft"):
        case "macos":
            yield _Way(("/usr/bin/pbcopy",))
        case "windows":
            folder = env.get("SystemRoot") or env.get("SYSTEMROOT") or "C:\\Windows"
            yield _Way((os.path.join(folder, "System32", "clip.exe"),), "utf-16-le")
        case "wsl":
            yield from _found(_Way(("clip.exe",), "utf-16-le"), env)
        case "linux":
            if env.get("WAYLAND_DISPLAY"):
                yield from _found(_Way(("wl-copy",)), env)
            if env.get("DISPLAY"):
                yield from _found(_Way(("xclip", "-selection", "clipboard")), env)
                yield from _found(_Way(("xsel", "--clipboard", "--input")), env)


def _found(way: _Way, env: Mapping[str, str]) -> Iterator[_Way]:
    """Yield *way* with the path of its program, if that is installed."""
    from .linux.session import which  # one system's own

    if path := which(way.argv[0], env):
        yield way._replace(argv=(path, *way.argv[1:]))
