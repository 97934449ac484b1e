"""Use the desktop of a Windows session: the shell opens sites and apps, Pillow takes pictures."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from ...actions.base import HANDED_OVER, RUNNING, Launched
from ...core import urls
from ...core.errors import CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from ...core.types import AppsFound
from ..patience import within

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PIL import Image

    from ..apps import App
    from .apps import StartApps
    from .powershell import PowerShell

# Imported when first used: opening an address must not wait for what finds apps or takes pictures.

_NOT_FOUND = (2, 3)
_NO_HANDLER = 1155
_SHELL_TIMEOUT = 10.0
_LIST_TIMEOUT = 10.0


def startfile(target: str) -> None:
    """Have the shell open *target*, which reports no status. Raises OSError."""
    if sys.platform == "win32":
        os.startfile(target)  # noqa: S606 (that is its purpose)
    else:
        raise OSError("there is no Windows shell here")


def grab() -> Image.Image:
    """Return a picture of all screens. Raises OSError."""
    from PIL import ImageGrab

    return ImageGrab.grab(all_screens=True)


class Windows:
    """The Desktop of Windows. Times are in seconds.

    cache: the folder to keep the list of apps in, empty for none. start: opens something by the shell.
    take: takes a picture of all screens.
    """

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        cache: str = "",
        start: Callable[[str], None] = startfile,
        take: Callable[[], Image.Image] = grab,
        shell_timeout: float = _SHELL_TIMEOUT,
        list_timeout: float = _LIST_TIMEOUT,
    ) -> None:
        self._env = env
        self._cache = cache
        self._start = start
        self._take = take
        self._shell_timeout = shell_timeout
        self._list_timeout = list_timeout

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        try:
            return self._open(url)
        except OSError as error:
            hint = f"Copy it into a browser: {url}"
            if _number(error) == _NO_HANDLER:
                raise NoHandler("No browser is set up.", hint=hint) from error
            raise LaunchFailed(f"The browser did not start: {_reason(error)}.", hint=hint) from error

    def open_file(self, path: str) -> str:
        try:
            return self._open(path)
        except OSError as error:
            if _number(error) == _NO_HANDLER:
                raise NoHandler("No app is set up for such files.", hint="Choose one in Explorer.") from error
            raise LaunchFailed(
                f"The app for it did not start: {_reason(error)}.", hint="Try Explorer."
            ) from error

    def find_apps(self, name: str) -> AppsFound:
        from .. import match

        apps = self._start_menu().that_may_be(name)
        return match.apps_found(name, apps, self._role(apps))

    def launch_app(self, name: str) -> Launched:
        apps = self._start_menu()
        app = self._meant(name, apps)
        try:
            return Launched(app.name, self._open(app.path))
        except OSError as error:
            apps.forget()
            if _number(error) in _NOT_FOUND:
                raise NotInstalled(f"{app.name} is no longer installed.") from error
            raise LaunchFailed(
                f"{app.name} did not start: {_reason(error)}.", hint="Start it from the start menu."
            ) from error

    def _meant(self, name: str, menu: StartApps) -> App:
        from .. import match
        from ..apps import is_key

        if is_key(name):
            return menu.with_key(name)
        apps = menu.that_may_be(name)
        return match.only_one(name, match.find(name, apps, self._role(apps)))

    def _start_menu(self) -> StartApps:
        from .apps import StartApps

        return StartApps(self._powershell(), self._cache)

    def _role(self, apps: Sequence[App]) -> Callable[[Sequence[str]], App | None]:
        from .roles import role

        return lambda names: role(names, apps, self._powershell())

    def _powershell(self) -> PowerShell:
        from .powershell import PowerShell

        return PowerShell(powershell_path(self._env), self._env, self._list_timeout)

    def capture(self, path: str) -> tuple[int, int]:
        from .. import shots

        _see_all_pixels()
        try:
            picture = self._take()
        except OSError as error:
            raise CaptureFailed(
                f"The screen could not be read: {_reason(error)}.",
                hint="Unlock the screen, allow the picture if Windows asks, then try again.",
            ) from error
        return shots.keep(picture, path)

    def pictures(self) -> str:
        """Return the person's folder for pictures. It may have been moved, for instance by OneDrive."""
        from platformdirs import user_pictures_dir

        return user_pictures_dir()

    def _open(self, target: str) -> str:
        return HANDED_OVER if within(self._shell_timeout, lambda: self._start(target)) else RUNNING


def powershell_path(env: Mapping[str, str]) -> str:
    """Return the path of Windows' own PowerShell: on the PATH there may be another one."""
    system = env.get("SystemRoot") or env.get("SYSTEMROOT") or "C:\\Windows"
    return os.path.join(system, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")


def _see_all_pixels() -> None:
    """Tell Windows, unless it is too old, that we know of scaling: else we get a part of a scaled screen."""
    if sys.platform == "win32":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            ctypes.windll.user32.SetProcessDpiAwarenessContext(ctypes.c_void_p(-4))


def _number(error: OSError) -> int | None:
    return getattr(error, "winerror", None)  # it exists on Windows alone


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).rstrip(".")
