"""Use the desktop of a Linux session, X11 or Wayland."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from . import browser
from .session import pictures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...actions import Launched
    from ...core.types import AppsFound
    from ..apps import App
    from .apps import Menu


class Linux(NamedTuple):
    """The Platform of Linux. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the names of apps in; empty: they aren't kept
    url_grace: float = 2.5  # every failure seen came within 1.4
    app_grace: float = 1.0
    tool_timeout: float = 10.0
    patience: float = 60.0  # for a person to answer a question of their desktop

    @property
    def _menu(self) -> Menu:
        from .apps import Menu  # opening an address must not wait for what finds apps

        return Menu(self.env, self.cache)

    def open_url(self, url: str) -> str:
        return browser.open_url(url, self.env, self.url_grace)

    def open_file(self, path: str) -> str:
        return browser.open_file(path, self.env, self.url_grace)

    def find_apps(self, name: str) -> AppsFound:
        return self._menu.find(name)

    def launch_app(self, name: str) -> Launched:
        return self._menu.launch(name, self.app_grace)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the apps whose whole name, program or role is one of *names*: each as (name shown, key).

        roles: whether a role counts. No program is run.
        """
        return self._menu.called(names, roles=roles)

    def names(self) -> list[tuple[str, str]]:
        """Return the names of apps, each as (name in lower case, name shown). Nothing is written."""
        return self._menu.names_kept() or [(app.name.lower(), app.name) for app in self.apps()]

    def apps(self) -> list[App]:
        """Return every app that can be started."""
        return self._menu.all()

    def capture(self, path: str) -> tuple[int, int]:
        from .screenshots import capture  # Pillow, and the session bus

        return capture(path, self.env, self.tool_timeout, self.patience)

    def pictures(self) -> str:
        return pictures(self.env)
