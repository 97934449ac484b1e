"""Use the desktop of a Windows session: the shell opens sites and apps, Pillow takes pictures."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from platformdirs import user_pictures_dir

from ...actions.base import HANDED_OVER, RUNNING, Launched
from ...core import urls
from ...core.errors import CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from .. import child_env
from ..pictures import keep
from .apps import PowerShell, StartMenu

if TYPE_CHECKING:
    from PIL import Image

    from ...core.types import AppsFound
    from ..apps import App

_NOT_FOUND = (2, 3)
_NO_HANDLER = 1155


def startfile(target: str) -> None:
    """Have the shell open *target*, which reports no status. Raises OSError."""
    if sys.platform == "win32":
        os.startfile(target)  # noqa: S606 (that is its purpose)
    else:
        raise OSError("there is no Windows shell here")


def grab() -> Image.Image:
    """Return a picture of all screens. Raises OSError."""
    from PIL import ImageGrab  # few take pictures

    return ImageGrab.grab(all_screens=True)


class Windows(NamedTuple):
    """The Platform of Windows. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the list of apps in; empty: it isn't kept
    start: Callable[[str], None] = startfile  # opens something by the shell
    take: Callable[[], Image.Image] = grab  # takes a picture of all screens
    shell_timeout: float = 10.0
    list_timeout: float = 10.0

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        hint = f"Copy it into a browser: {url}"
        return self._open(url, NoHandler("No browser is set up.", hint=hint), "The browser", hint)

    def open_file(self, path: str) -> str:
        nothing = NoHandler("No app is set up for such files.", hint="Choose one in Explorer.")
        return self._open(path, nothing, "The app for it", "Try Explorer.")

    def _open(self, target: str, nothing: NoHandler, what: str, hint: str) -> str:
        try:
            return self._started(target)
        except OSError as error:
            if _number(error) == _NO_HANDLER:
                raise nothing from error
            raise LaunchFailed(f"{what} did not start: {_reason(error)}.", hint=hint) from error

    def find_apps(self, name: str) -> AppsFound:
        return self.start_menu.find(name)

    def launch_app(self, name: str) -> Launched:
        menu = self.start_menu
        app = menu.meant(name)
        try:
            return Launched(app.name, self._started(app.path))
        except OSError as error:
            menu.forget()
            if _number(error) in _NOT_FOUND:
                raise NotInstalled(f"{app.name} is no longer installed.") from error
            raise LaunchFailed(
                f"{app.name} did not start: {_reason(error)}.", hint="Start it from the start menu."
            ) from error

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the app in the kept list that is one of *names*, as (name shown, key). No role counts."""
        return self.start_menu.called(names)

    def names(self) -> list[tuple[str, str]]:
        """Return no names: to list them takes a program, and seconds."""
        return []

    def apps(self) -> list[App]:
        """Return every app that can be started; none if Windows does not list them. It takes seconds."""
        return self.start_menu.all()

    @property
    def start_menu(self) -> StartMenu:
        return StartMenu(PowerShell(powershell_path(self.env), self.env, self.list_timeout), self.cache)

    def capture(self, path: str) -> tuple[int, int]:
        _see_all_pixels()
        try:
            picture = self.take()
        except OSError as error:
            raise CaptureFailed(
                f"The screen could not be read: {_reason(error)}.",
                hint="Unlock the screen, allow the picture if Windows asks, then try again.",
            ) from error
        return keep(picture, path)

    def pictures(self) -> str:
        """Return the person's folder for pictures. It may have been moved, for instance by OneDrive."""
        return user_pictures_dir()

    def _started(self, target: str) -> str:
        """Have the shell open *target*. Return RUNNING if it takes too long: it then goes on unwatched."""
        raised: list[OSError] = []

        def run() -> None:
            try:
                self.start(target)
            except OSError as error:
                raised.append(error)

        thread = threading.Thread(target=run, daemon=True)
        with _without_secrets():
            thread.start()
            thread.join(self.shell_timeout)
        if raised:
            raise raised[0]
        return RUNNING if thread.is_alive() else HANDED_OVER


@contextlib.contextmanager
def _without_secrets() -> Iterator[None]:
    """Hide our keys for a while: what the shell starts gets this process's own environment."""
    kept = child_env(os.environ)
    private = {name: value for name, value in os.environ.items() if name not in kept}
    for name in private:
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(private)


def powershell_path(env: Mapping[str, str]) -> str:
    """Return the path of Windows' own PowerShell: on the PATH there may be another one."""
    system = env.get("SystemRoot") or env.get("SYSTEMROOT") or "C:\\Windows"
    return os.path.join(system, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")


def _see_all_pixels() -> None:
    """Tell Windows, unless it is too old, that we know of scaling: else we get a part of a scaled screen."""
    if sys.platform == "win32":
        import ctypes  # few take pictures

        with contextlib.suppress(OSError, AttributeError):
            ctypes.windll.user32.SetProcessDpiAwarenessContext(ctypes.c_void_p(-4))


def _number(error: OSError) -> int | None:
    return getattr(error, "winerror", None)  # it exists on Windows alone


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).rstrip(".")
