"""Use the desktop of a macOS session by the programs that come with the system.

Each is run by its full path, so that no other of the same name on the PATH is run instead.
"""

import ctypes
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..config.sources import home_of
from ..core.errors import CaptureFailed
from ..core.text import one_line
from .apps import LONGEST_NAME, App
from .by_program import ByProgram
from .pictures import keep, read_picture
from .running import run_program

_CORE_GRAPHICS = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
_PRIVACY = "x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture"

_FOLDERS = (
    "Applications", "Applications/Utilities", "System/Applications", "System/Applications/Utilities",
    "System/Cryptexes/App/System/Applications", "System/Library/CoreServices/Applications",
)  # fmt: skip
# Terminal, mail and calculator are called so.
_ROLES = {"browser": "Safari", "files": "Finder", "editor": "TextEdit", "settings": "System Settings"}
_FINDER = "System/Library/CoreServices/Finder.app"
_ATTRIBUTE = "kMDItemDisplayName"  # as the Finder shows it
_BUNDLES = "kMDItemContentType == 'com.apple.application-bundle'"


@dataclass(frozen=True)
class MacOS(ByProgram):
    """The Platform of macOS. Times are in seconds."""

    roles: ClassVar[Mapping[str, str]] = _ROLES
    by_hand: ClassVar[str] = "the Finder"

    root: str = "/"  # the folder of the system's files
    may_capture: Callable[[], bool] | None = None  # if this terminal may see the screen, or None to ask macOS
    search_timeout: float = 3.0
    patience: float = 60.0  # for the user to choose

    def url_command(self, url: str) -> list[str]:
        return self.path_command(url)

    def path_command(self, path: str, *, is_app: bool = False) -> list[str]:
        """Return the command that sends *path* to its app, and ends before that app does."""
        return [os.path.join(self.root, "usr/bin/open"), *(["-a"] if is_app else []), path]

    def known_apps(self) -> list[App]:
        return _apps_at(_bundles(self.env, self.root), {})

    def listed(self) -> list[App]:
        """Return those in the application folders first."""
        argv = [os.path.join(self.root, "usr/bin/mdfind"), "-attr", _ATTRIBUTE, _BUNDLES]
        listed = run_program(argv, self.env, self.search_timeout).out
        local = _spotlight_names(listed.decode("utf-8", "replace"))
        return _apps_at([*_bundles(self.env, self.root), *local], local)

    def capture(self, path: str, *, is_part: bool = False) -> tuple[int, int]:
        """Save a picture of the main screen at *path*, or a part of it. Return its size in pixels.

        The system's own program takes it, not Pillow, which runs the same one without a time limit and
        ignores its status.
        """
        # Without the permission the program reports success, and gives only the wallpaper.
        if not (self.may_capture or may_capture)():
            raise CaptureFailed(
                "This terminal may not see the screen. Allow it in System Settings > Privacy & Security > "
                "Screen & System Audio Recording, then restart the terminal.",
                hint=f"open '{_PRIVACY}'",
            )
        argv = [os.path.join(self.root, "usr/sbin/screencapture"), "-x", "-t", "png"]  # -x: without a sound
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "screen.png")
            chosen, seconds = (["-i"], self.patience) if is_part else ([], self.timeout)
            ended = run_program([*argv, *chosen, file], self.env, seconds)
            if ended.trouble:
                raise CaptureFailed(f"The screen could not be read: {ended.trouble}.")
            return keep(read_picture(file), path)

    def pictures(self) -> str:
        """Return the folder for pictures. The Finder translates its name, but the disk does not."""
        return os.path.join(home_of(self.env), "Pictures")

    def downloads(self) -> str:
        return os.path.join(home_of(self.env), "Downloads")


def may_capture(load: Callable[[str], Any] | None = None) -> bool:
    """Return whether this terminal may read the screen. If it may not, have the system ask the user.

    load: loads a library. None means ctypes. Source: CGWindow.h, macOS 10.15.
    """
    graphics = (load or ctypes.CDLL)(_CORE_GRAPHICS)
    allowed, ask = graphics.CGPreflightScreenCaptureAccess, graphics.CGRequestScreenCaptureAccess
    allowed.restype = ask.restype = ctypes.c_bool
    return bool(allowed()) or bool(ask())


# The apps: those in the application folders, and those that Spotlight knows of. It may be off, so the folders
# are read too. Only it knows an app's name in the user's language.


def _bundles(env: Mapping[str, str], root: str) -> Iterator[str]:
    folders = [os.path.join(root, folder) for folder in _FOLDERS]
    for folder in (*folders, os.path.join(home_of(env), "Applications")):
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        yield from (os.path.join(folder, name) for name in names if name.endswith(".app"))
    yield os.path.join(root, _FINDER)


def _spotlight_names(listed: str) -> dict[str, str]:
    """Return path → name shown from mdfind's lines, without parts of other apps and without the trash."""
    names = {}
    for line in listed.splitlines():
        path, _, name = line.partition(f"{_ATTRIBUTE} = ")
        path, name = path.rstrip(), name.strip().removesuffix(".app")
        if path.startswith("/") and path.endswith(".app") and not _is_hidden(path):
            names[path] = "" if name == "(null)" else name
    return names


def _is_hidden(path: str) -> bool:
    """Return whether *path* is in the trash or within another app.

    An app that another one keeps for the user (as Xcode does) is not hidden.
    """
    above = os.path.dirname(path)
    return "/.Trash/" in path or (".app/" in above + "/" and os.path.basename(above) != "Applications")


def _apps_at(paths: Iterable[str], local: Mapping[str, str]) -> list[App]:
    """Return the apps whose bundles are at *paths*, each file's name once.

    local: what they are called in the user's language, by their paths.
    """
    apps: dict[str, App] = {}
    for path in filter(os.path.isdir, paths):
        stem = os.path.basename(path).removesuffix(".app")
        shown = (one_line(name, LONGEST_NAME) for name in (local.get(path, ""), stem))
        apps.setdefault(stem, App(stem, path, tuple(dict.fromkeys(filter(None, shown)))))
    return [app for app in apps.values() if app.names]
