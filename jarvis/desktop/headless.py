"""Where there is no desktop that we know how to use: everything is refused, with the reason."""

from __future__ import annotations

import os

from ..core.errors import ActionFailed
from ..core.stdlib import TYPE_CHECKING, NoReturn
from ..core.types import AppsFound

if TYPE_CHECKING:
    from ..actions.base import Launched


class Headless:
    def __init__(self, reason: str) -> None:
        self._reason = reason

    def open_url(self, url: str) -> str:
        self._refuse(f"Copy it into a browser: {url}")

    def find_apps(self, name: str) -> AppsFound:
        return AppsFound((), is_near=False)

    def launch_app(self, name: str) -> Launched:
        self._refuse("Start it from its own menu.")

    def capture(self, path: str) -> tuple[int, int]:
        self._refuse("Use the system's own screenshot key.")

    def pictures(self) -> str:
        """A folder's name is true everywhere, and a turn that needs no picture still asks for it."""
        return os.path.join(os.path.expanduser("~"), "Pictures")

    def _refuse(self, hint: str) -> NoReturn:
        raise ActionFailed(self._reason, hint=hint)
