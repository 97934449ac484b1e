"""Put a text on the clipboard by a program of the desktop's own.

Not by pyperclip: it does not look at the exit status of such a program, nor tells which one it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from shutil import which

from . import pick
from .programs import run_program

_SECONDS = 5.0
# By the system, the programs that take what is to be copied on their stdin, best first.
_PROGRAMS = {
    "macos": (("/usr/bin/pbcopy",),),
    "windows": (("C:\\Windows\\System32\\clip.exe",),),
    "wsl": (("clip.exe",),),
    "linux": (("wl-copy",), ("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")),
}
_NEEDS = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY", "xsel": "DISPLAY"}


def copied_by(text: str, env: Mapping[str, str], platform: str = sys.platform) -> str:
    """Put *text* on the clipboard; return the name of the program that did, empty where none could.

    Over SSH none is asked: its clipboard would be that of a desktop where the person is not.
    """
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return ""
    for program, *options in _PROGRAMS[pick(env, platform, "microsoft")]:
        path = program if os.path.isabs(program) else _installed(program, env)
        said = text.encode("utf-16-le" if program.endswith("clip.exe") else "utf-8", "replace")
        if path and run_program([path, *options], env, _SECONDS, said=said).status == 0:
            return os.path.basename(path).removesuffix(".exe")
    return ""


def _installed(program: str, env: Mapping[str, str]) -> str | None:
    """Return the path of *program*, if it is installed and has the screen that it needs."""
    needed = _NEEDS.get(program)
    return which(program, path=env.get("PATH")) if not needed or env.get(needed) else None
