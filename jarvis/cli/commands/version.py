"""`jarvis version`, `--version`."""

from __future__ import annotations

from ... import __version__
from ...core.stdlib import TYPE_CHECKING
from ..options import REQUEST
from ..registry import Call, Command

if TYPE_CHECKING:
    from ...output.screen import Screen


def _run(call: Call, screen: Screen) -> int:
    screen.out(f"jarvis {__version__}")
    return int(screen.has_lost_output)


# The options are not heeded, but the wrapper, scripts/jarvis, always gives one.
COMMAND = Command("version", "the version", _run, options=REQUEST, near=0)
