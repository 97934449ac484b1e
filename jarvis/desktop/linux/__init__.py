"""Use the desktop of a Linux session, X11 or Wayland."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...actions.base import Launched
    from ...core.types import AppsFound
    from ..apps import App

# Imported when first used: opening an address must not wait for what finds apps or takes pictures.


class Linux(NamedTuple):
    """The Platform of Linux. Times are in seconds."""

    env: Mapping[str, str]
    cache: str = ""  # the folder to keep the names of apps in; empty: they aren't kept
    url_grace: float = 2.5  # every failure seen came within 1.4
    app_grace: float = 1.0
    tool_timeout: float = 10.0
    patience: float = 60.0  # for a person to answer a question of their desktop

    def open_url(self, url: str) -> str:
        from .browser import open_url

        return open_url(url, self.env, self.url_grace)

    def open_file(self, path: str) -> str:
        from .browser import open_file

        return open_file(path, self.env, self.url_grace)

    def find_apps(self, name: str) -> AppsFound:
        from .apps import find_apps

        return find_apps(name, self.env)

    def launch_app(self, name: str) -> Launched:
        from .apps import launch_app

        return launch_app(name, self.env, self.app_grace, self.cache)

    def called(self, names: Sequence[str], *, roles: bool = True) -> list[tuple[str, str]]:
        """Return the apps whose whole name, program or role is one of *names*: each as (name shown, key).

        roles: whether a role counts. No program is run.
        """
        from .apps import apps_called

        return apps_called(names, self.env, self.cache, roles=roles)

    def names(self) -> list[tuple[str, str]]:
        """Return the names of apps, each as (name in lower case, name shown). Nothing is written."""
        from .apps import names_kept

        return names_kept(self.cache) or [(app.name.lower(), app.name) for app in self.apps()]

    def apps(self) -> list[App]:
        """Return every app that can be started."""
        from .entries import index

        return index(self.env)

    def capture(self, path: str) -> tuple[int, int]:
        from .screenshots import capture

        return capture(path, self.env, self.tool_timeout, self.patience)

    def pictures(self) -> str:
        from .session import pictures

        return pictures(self.env)
