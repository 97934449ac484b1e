"""Use the desktop of a Windows session: the shell opens sites and apps, Pillow takes pictures."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from platformdirs import user_pictures_dir

from ...actions import HANDED_OVER, Launched
from ...core import urls
from ...core.errors import ActionFailed, CaptureFailed, LaunchFailed, NoHandler, NotInstalled
from .. import child_env
from ..pictures import keep
from .start_menu import StartMenu

if TYPE_CHECKING:
    from PIL import Image

_NOT_THERE = (2, 3, 1155)  # no such file, no such folder, no app for it


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


@dataclass(frozen=True)
class Windows(StartMenu):
    """The Platform of Windows."""

    start: Callable[[str], None] = startfile  # opens something by the shell
    take: Callable[[], Image.Image] = grab  # takes a picture of all screens

    @property
    def powershell(self) -> str:
        # On the PATH there may be another one.
        system = self.env.get("SystemRoot") or self.env.get("SYSTEMROOT") or "C:\\Windows"
        return os.path.join(system, "System32", "WindowsPowerShell", "v1.0", "powershell.exe")

    def open_url(self, url: str) -> str:
        url = urls.canon(url).url
        hint = f"Copy it into a browser: {url}"
        return self._open(url, NoHandler("No browser is set up.", hint=hint), "The browser", hint)

    def open_file(self, path: str) -> str:
        nothing = NoHandler("No app is set up for such files.", hint="Choose one in Explorer.")
        return self._open(path, nothing, "The app for it", "Try Explorer.")

    def launch_app(self, name: str) -> Launched:
        app = self.meant(name)
        nothing = NotInstalled(f"{app.name} is no longer installed.")
        try:
            state = self._open(app.path, nothing, app.name, "Start it from the start menu.")
        except ActionFailed:
            self.forget()
            raise
        return Launched(app.name, state)

    def _open(self, target: str, nothing: ActionFailed, what: str, hint: str) -> str:
        """Have the shell open *target*, an app or for an app. Raises *nothing* where that is not there."""
        try:
            with _without_secrets():
                self.start(target)
        except OSError as error:
            if getattr(error, "winerror", None) in _NOT_THERE:  # it exists on Windows alone
                raise nothing from error
            raise LaunchFailed(f"{what} did not start: {_reason(error)}.", hint=hint) from error
        return HANDED_OVER

    def capture(self, path: str) -> tuple[int, int]:
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


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).rstrip(".")
