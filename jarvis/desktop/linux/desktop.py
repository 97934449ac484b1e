"""Use the desktop of a Linux session, X11 or Wayland."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import browser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...actions.base import Launched
    from ...core.types import AppsFound

# Imported when first used: opening an address must not wait for the app index.

_URL_GRACE = 2.5  # seconds; every failure seen came within 1.4
_APP_GRACE = 1.0
_TOOL_TIMEOUT = 10.0
_PATIENCE = 60.0  # for a person to answer a question of their desktop


class Linux:
    """The Desktop of Linux. Times are in seconds. cache: the folder to keep the app index in, or empty."""

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        url_grace: float = _URL_GRACE,
        app_grace: float = _APP_GRACE,
        tool_timeout: float = _TOOL_TIMEOUT,
        patience: float = _PATIENCE,
        cache: str = "",
    ) -> None:
        self._cache = cache
        self._env = env
        self._url_grace = url_grace
        self._app_grace = app_grace
        self._tool_timeout = tool_timeout
        self._patience = patience

    def open_url(self, url: str) -> str:
        return browser.open_url(url, self._env, self._url_grace)

    def open_file(self, path: str) -> str:
        from .files import open_file

        return open_file(path, self._env, self._url_grace)

    def find_apps(self, name: str) -> AppsFound:
        from .launch import find_apps

        return find_apps(name, self._env)

    def launch_app(self, name: str) -> Launched:
        from .launch import launch_app

        return launch_app(name, self._env, self._app_grace, self._cache)

    def capture(self, path: str) -> tuple[int, int]:
        from .capture import capture

        return capture(path, self._env, self._tool_timeout, self._patience)

    def pictures(self) -> str:
        from ..folders import pictures

        return pictures(self._env)
