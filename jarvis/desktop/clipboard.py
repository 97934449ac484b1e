"""Put a text on the user's clipboard, and take what is on it, by the system's own programs.

Not by pyperclip, which does not look at a program's exit status, nor tells which one it was. Over SSH none is
asked: its clipboard would be that of a desktop where the user is not.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO

from ..core.errors import ActionFailed
from .desktop import own_program, system, which
from .pictures import keep, read_picture
from .running import Finished, run_program

_SECONDS = 5.0  # for a program of the system
_MOST = 24_000  # characters that are taken: 6,000 tokens, as of a page
_SYSTEM = "C:\\Windows\\System32"
_GET = "[Console]::OutputEncoding=[Text.Encoding]::UTF8;Get-Clipboard -Raw"
# By the system, the programs that take what is to be copied on their stdin, best first.
_COPY = {
    "macos": (("/usr/bin/pbcopy",),),
    "windows": ((f"{_SYSTEM}\\clip.exe",),),
    "wsl": (("clip.exe",),),
    "linux": (("wl-copy",), ("xclip", "-selection", "clipboard"), ("xsel", "--clipboard", "--input")),
}
# Those that print the text which was copied.
_PASTE = {
    "macos": (("/usr/bin/pbpaste",),),
    "windows": ((f"{_SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe", "-NoProfile", "-Command", _GET),),
    "wsl": (("powershell.exe", "-NoProfile", "-Command", _GET),),
    "linux": (
        ("wl-paste", "--no-newline", "--type", "text"),
        ("xclip", "-selection", "clipboard", "-o"),
        ("xsel", "--clipboard", "--output"),
    ),
}
_ON_LINUX = (
    ("wl-paste", "--type", "image/png"),
    ("xclip", "-selection", "clipboard", "-t", "image/png", "-o"),
)
_ON_MACOS = (("/usr/bin/osascript", "-e", "get the clipboard as \u00abclass PNGf\u00bb"),)
_PASTE_PICTURE = {"linux": _ON_LINUX, "wsl": _ON_LINUX, "macos": _ON_MACOS, "windows": ()}


def copied_by(text: str, env: Mapping[str, str]) -> str:
    """Put *text* on the clipboard. Return the name of the program that did, or "" if none could."""
    for argv in _there(_COPY, env):
        data = text.encode("utf-16-le" if argv[0].endswith("clip.exe") else "utf-8", "replace")
        if not run_program(argv, env, _SECONDS, stdin=data).trouble:
            return os.path.basename(argv[0]).removesuffix(".exe")
    return ""


def pasted(path: str, env: Mapping[str, str]) -> str:
    """Return the text on the clipboard, or "" after saving the picture on it at *path*.

    Raises ActionFailed.
    """
    for argv in _there(_PASTE, env):
        ended = run_program(argv, env, _SECONDS)
        if not ended.trouble and (text := ended.out.decode("utf-8", "replace").strip()):
            return text[:_MOST]
    _save_picture(path, env)
    return ""


def _save_picture(path: str, env: Mapping[str, str]) -> None:
    """Save the picture on the clipboard at *path*. Raises ActionFailed."""
    from PIL import Image, ImageGrab  # few copy pictures

    ended = [run_program(argv, env, _SECONDS) for argv in _there(_PASTE_PICTURE, env)]
    found = next(filter(None, map(picture_in, ended)), b"")
    picture: object = read_picture(BytesIO(found)) if found else None
    if system(env) == "windows" and not _is_far(env):
        with suppress(OSError, ValueError):  # another program may be at it
            picture = ImageGrab.grabclipboard()  # by the system itself
    if not isinstance(picture, Image.Image):  # it may be a list of files
        message = "There is no text and no picture on your clipboard."
        hint = "On Linux this needs wl-clipboard or xclip. It doesn't work over SSH."
        raise ActionFailed(message, hint=hint, code="no_clipboard")
    keep(picture, path)


def picture_in(ended: Finished) -> bytes:
    """Return the PNG that a program wrote, or no bytes. macOS's writes `«data PNGf8950…»`."""
    is_hex = ended.out.startswith("\u00abdata PNGf".encode())
    out = bytes.fromhex(ended.out[11:-3].decode()) if is_hex else ended.out
    return out if out.startswith(b"\x89PNG") else b""


def _there(programs: Mapping[str, Sequence[Sequence[str]]], env: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield those of *programs* that are here, by their paths. Raises LaunchFailed for a stranger's."""
    for name, *options in () if _is_far(env) else programs[system(env)]:
        if which(name, env):  # those of another session fail
            yield [own_program(name, env), *options]


def _is_far(env: Mapping[str, str]) -> bool:
    return bool(env.get("SSH_CONNECTION") or env.get("SSH_TTY"))
