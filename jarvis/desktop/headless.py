"""Refuse every action, with the reason, on a system whose desktop Jarvis can't use."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NoReturn

from ..core.errors import ActionFailed
from ..core.types import AppsFound

if TYPE_CHECKING:
    from ..actions.base import Launched


class Headless:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    def open_url(self, url: str) -> str:
        self._refuse(f"Copy it into a browser: {url}")

    def open_file(self, path: str) -> str:
        self._refuse("Open it by the system's own means.")

    def find_apps(self, name: str) -> AppsFound:
        return AppsFound((), is_near=False)

    def launch_app(self, name: str) -> Launched:
        self._refuse("Start it from the system's menu.")

    def capture(self, path: str) -> tuple[int, int]:
        self._refuse("Use the system's own screenshot key.")

    def pictures(self) -> str:
        """Return the folder for pictures: a turn asks for it even if it takes no picture."""
        return os.path.join(os.path.expanduser("~"), "Pictures")

    def _refuse(self, hint: str) -> NoReturn:
        raise ActionFailed(self._reason, hint=hint)
