"""The hands' reach: the browser, the apps and the screen of the person's own session."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..actions.base import Desktop


def desktop(env: Mapping[str, str], platform: str = sys.platform) -> Desktop:
    """The desktop of the session that *env* describes."""
    if platform.startswith("linux"):
        from .linux import Linux

        return Linux(env)
    from .headless import Headless

    return Headless(f"I can't use the desktop of this system ({platform}) yet.")
