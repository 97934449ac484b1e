"""Use the desktop of a macOS session by the programs that come with the system.

Each is run by its full path, so that no other of the same name on the PATH is run instead.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...actions.base import HANDED_OVER, Launched
from ...config.sources import home_of
from ...core import urls
from ...core.errors import CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from ..apps import App, apps_found, by_key, exact_matches, find, is_key, matching, only_app, only_one
from ..pictures import keep, read_picture
from ..programs import run_program
from .apps import bundled, index_bundles

if TYPE_CHECKING:
    from ...core.types import AppsFound

_CORE_GRAPHICS = "/System/Library/Frameworks/CoreGraphics.framework/CoreGraphics"
_PRIVACY = "x-apple.systempreferences:com.apple.preference.security?Privacy_ScreenCapture"


class MacOS(NamedTuple):
    """The Platform of macOS. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep lists of apps in: to list them takes no time here
    root: str = "/"  # the folder of the system's files
    may_capture: Callable[[], bool] | None = None  # if this terminal may see the screen; None: asks macOS
    open_timeout: float = 10.0
    search_timeout: float = 3.0
    capture_timeout: float = 10.0

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        hint = f"Copy it into a browser: {url}"
        return self._open(url, NoHandler("No browser is set up.", hint=hint), "The browser", hint)

    def open_file(self, path: str) -> str:
        nothing = NoHandler("No app is set up for such files.", hint="Choose one in the Finder.")
        return self._open(path, nothing, "The app for it", "Try the Finder.")

    def _open(self, target: str, nothing: NoHandler, what: str, hint: str) -> str:
        trouble = run_program(open_argv(target, self.root), self.env, self.open_timeout).trouble
        if "LSOpenURLs" in trouble or "No application" in trouble:
            raise nothing
        if trouble:
            raise LaunchFailed(f"{what} did not start: {trouble}.", hint=hint)
        return HANDED_OVER

    def find_apps(self, name: str) -> AppsFound:
        return apps_found(name, self._that_may_be(name))

    def launch_app(self, name: str) -> Launched:
        app = self._meant(name)
        argv = open_app_argv(app.path, self.root)
        trouble = run_program(argv, self.env, self.open_timeout).trouble
        if "Unable to find application" in trouble:
            raise NotInstalled(f"{app.name} is no longer in {os.path.dirname(app.path)}.")
        if trouble:
            raise LaunchFailed(
                f"{app.name} did not start: {trouble}.", hint=f"To see why: {shlex.join(argv)}"
            )
        return Launched(app.name, HANDED_OVER)

    def _meant(self, name: str) -> App:
        if is_key(name):
            return by_key(name, self._in_folders, self.apps)
        return only_one(name, find(name, self._that_may_be(name)))

    def _that_may_be(self, name: str) -> list[App]:
        """Return the apps in which to look for *name*: all, or the one whose file has exactly that name.

        That one is found at once. It comes before apps of that name in other places, which only Spotlight
        knows, and that may take seconds.
        """
        app = matching(name, self._in_folders())
        return [app] if app else self.apps()

    def _in_folders(self) -> list[App]:
        return [app for app in bundled(self.env, self.root) if os.path.isdir(app.path)]

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the app whose file's whole name is one of *names*, as (name shown, key). No role counts."""
        return only_app(exact_matches(names, bundled(self.env, self.root)))

    def names(self) -> list[tuple[str, str]]:
        """Return the names of apps, each as (name in lower case, name shown)."""
        return [(app.name.lower(), app.name) for app in bundled(self.env, self.root)]

    def apps(self) -> list[App]:
        """Return every app that can be started."""
        return index_bundles(self.env, self.root, self.search_timeout)

    def capture(self, path: str) -> tuple[int, int]:
        """Save a picture of the main screen at *path*. Return its size in pixels.

        The system's own program takes it, not Pillow, which runs the same one without a time limit and
        ignores its status.
        """
        # Without the permission the program reports success, and gives the wallpaper alone.
        if not (self.may_capture or may_capture)():
            raise CaptureFailed(
                "This terminal may not see the screen. Allow it in System Settings > Privacy & Security > "
                "Screen & System Audio Recording, then restart the terminal.",
                hint=f"open '{_PRIVACY}'",
            )
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "screen.png")
            ended = run_program(capture_argv(file, self.root), self.env, self.capture_timeout)
            if ended.trouble:
                raise CaptureFailed(f"The screen could not be read: {ended.trouble}.")
            return keep(read_picture(file), path)

    def pictures(self) -> str:
        """Return the folder for pictures. The Finder translates its name, but the disk does not."""
        return os.path.join(home_of(self.env), "Pictures")


def open_argv(target: str, root: str = "/") -> list[str]:
    """Return the command that sends an address or a path to its app. It ends before the app does."""
    return [os.path.join(root, "usr/bin/open"), target]


def open_app_argv(path: str, root: str = "/") -> list[str]:
    """Return the command that starts the app whose bundle is at *path*."""
    return [os.path.join(root, "usr/bin/open"), "-a", path]


def capture_argv(file: str, root: str = "/") -> list[str]:
    """Return the command that writes the main screen to *file* as PNG, without a sound."""
    return [os.path.join(root, "usr/sbin/screencapture"), "-x", "-t", "png", file]


def may_capture(load: Callable[[str], Any] | None = None) -> bool:
    """Return whether this terminal may see the screen; if it may not, have the system ask the person.

    load: loads a library; None: ctypes does.
    Source: CGWindow.h, macOS 10.15.
    """
    graphics = (load or ctypes.CDLL)(_CORE_GRAPHICS)
    allowed, ask = graphics.CGPreflightScreenCaptureAccess, graphics.CGRequestScreenCaptureAccess
    allowed.restype = ask.restype = ctypes.c_bool
    return bool(allowed()) or bool(ask())
