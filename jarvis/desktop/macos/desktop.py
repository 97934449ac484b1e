"""Use the desktop of a macOS session by the programs that come with the system.

Each is run by its full path, so that no other of the same name on the PATH is run instead.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, Launched
from ...config.paths import home_of
from ...core import urls
from ...core.errors import LaunchFailed, NoHandler, NotInstalled
from ...core.types import AppsFound
from .. import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..apps import App

# Imported when first used: opening an address must not wait for what finds apps or takes pictures.

_OPEN_TIMEOUT = 10.0
_SEARCH_TIMEOUT = 3.0
_CAPTURE_TIMEOUT = 10.0


class MacOS:
    """The Desktop of macOS. Times are in seconds.

    root: the folder of the system's files.
    may_capture: returns whether this terminal may see the screen; None: the system is asked.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        root: str = "/",
        may_capture: Callable[[], bool] | None = None,
        open_timeout: float = _OPEN_TIMEOUT,
        search_timeout: float = _SEARCH_TIMEOUT,
        capture_timeout: float = _CAPTURE_TIMEOUT,
    ) -> None:
        self._env = env
        self._root = root
        self._may_capture = may_capture
        self._open_timeout = open_timeout
        self._search_timeout = search_timeout
        self._capture_timeout = capture_timeout

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        ended = programs.run_program(open_url_argv(url, self._root), self._env, self._open_timeout)
        if "LSOpenURLs" in ended.trouble or "No application" in ended.trouble:
            raise NoHandler("No browser is set up.", hint=f"Copy it into a browser: {url}")
        if ended.trouble:
            raise LaunchFailed(
                f"The browser did not start: {ended.trouble}.", hint=f"Copy it into a browser: {url}"
            )
        return HANDED_OVER

    def open_file(self, path: str) -> str:
        ended = programs.run_program(open_url_argv(path, self._root), self._env, self._open_timeout)
        if "No application" in ended.trouble:
            raise NoHandler("No app is set up for such files.", hint="Choose one in the Finder.")
        if ended.trouble:
            raise LaunchFailed(f"The app for it did not start: {ended.trouble}.", hint="Try the Finder.")
        return HANDED_OVER

    def find_apps(self, name: str) -> AppsFound:
        from .. import match

        apps = self._that_may_be(name)
        return match.apps_found(name, apps, self._role(apps))

    def launch_app(self, name: str) -> Launched:
        app = self._meant(name)
        argv = open_app_argv(app.path, self._root)
        ended = programs.run_program(argv, self._env, self._open_timeout)
        if "Unable to find application" in ended.trouble:
            raise NotInstalled(f"{app.name} is no longer in {os.path.dirname(app.path)}.")
        if ended.trouble:
            import shlex  # only after a failure

            raise LaunchFailed(
                f"{app.name} did not start: {ended.trouble}.", hint=f"To see why: {shlex.join(argv)}"
            )
        return Launched(app.name, HANDED_OVER)

    def _meant(self, name: str) -> App:
        from .. import match
        from ..apps import is_key

        if is_key(name):
            return match.by_key(name, self._in_folders, self._all)
        apps = self._that_may_be(name)
        return match.only_one(name, match.find(name, apps, self._role(apps)))

    def _that_may_be(self, name: str) -> list[App]:
        """Return the apps in which to look for *name*: all, or the one whose file has exactly that name.

        That one is found at once. It comes before apps of that name in other places, which only Spotlight
        knows, and that may take seconds.
        """
        from ..match import matching

        app = matching(name, self._in_folders())
        return [app] if app else self._all()

    def _in_folders(self) -> list[App]:
        from .apps import bundled

        return [app for app in bundled(self._env, self._root) if os.path.isdir(app.path)]

    def _all(self) -> list[App]:
        from .apps import index_bundles

        return index_bundles(self._env, self._root, self._search_timeout)

    def _role(self, apps: Sequence[App]) -> Callable[[Sequence[str]], App | None]:
        from .roles import role

        return lambda names: role(names, apps, self._env)

    def capture(self, path: str) -> tuple[int, int]:
        from .. import shots
        from . import screen

        picture = screen.take(
            self._env, self._root, self._may_capture or screen.may_capture, self._capture_timeout
        )
        return shots.keep(picture, path)

    def pictures(self) -> str:
        """Return the folder for pictures. The Finder translates its name, but the disk does not."""
        return os.path.join(home_of(self._env), "Pictures")


def open_url_argv(url: str, root: str = "/") -> list[str]:
    """Return the command that sends *url*, or an absolute path, to its app. It ends before the app does."""
    return [os.path.join(root, "usr/bin/open"), url]


def open_app_argv(path: str, root: str = "/") -> list[str]:
    """Return the command that starts the app whose bundle is at *path*."""
    return [os.path.join(root, "usr/bin/open"), "-a", path]
