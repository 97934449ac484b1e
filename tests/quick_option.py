"""The option --quick: which tests it leaves out, and what keeps the others from starting a process."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

# Whoever uses one of these starts programs, a server, windows or the whole engine.
_FIXTURES = {"house", "shell", "shims", "screen", "wayland", "postgres", "own", "warm", "checkout", "server"}
_STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system", "pty.spawn"}
_started: list[str] | None = None  # by the test under way; None: nobody looks


def is_quick(item: pytest.Item) -> bool:
    """Whether *item* starts no process and takes no seconds, as far as its fixtures and its marker tell."""
    parameters = getattr(getattr(item, "callspec", None), "params", {})
    uses = {*getattr(item, "fixturenames", ()), parameters.get("database_url")}
    slow = _FIXTURES - {"house"} if item.get_closest_marker("quick") else _FIXTURES
    return not (uses & slow or item.get_closest_marker("slow") or item.get_closest_marker("long"))


def forbid_processes() -> None:
    """From now on a process that a watched test starts is none, and is told of. Can't be undone."""
    sys.addaudithook(_heard)


def watched() -> Iterator[None]:
    """Around one test: raises AssertionError where it tried to start a process, even if it hid that."""
    global _started
    _started = started = []
    yield
    _started = None
    assert started == [], "A quick test starts no process. Mark its module: pytestmark = pytest.mark.slow"


def _heard(event: str, arguments: tuple[object, ...]) -> None:
    if _started is not None and event in _STARTS:
        _started.append(f"{event} {arguments[:1]}")
        raise AssertionError(f"A quick test starts no process: {event} {arguments[:1]}")
