"""The brains of this person that are running: found by their locks, and ended in order."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator

from ..brain.socket_path import Place, holder
from ..core.stdlib import NamedTuple
from ..core.text import one_line

_PATIENCE = 6.0  # seconds, for turns under way to end in order


class Brain(NamedTuple):
    """One that is running."""

    place: Place
    pid: int
    version: str
    seconds: float  # since it was started


def running(folder: str) -> Iterator[Brain]:
    """Those that live in *folder*, for whatever settings."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".lock"))
    except OSError:
        return
    for name in names:
        place = Place(folder, name.removesuffix(".lock"))
        if pid := holder(place):
            with open(place.lock, encoding="utf-8", errors="replace") as file:
                version = one_line((*file.read().split(), "", "")[1], 40)
            yield Brain(place, pid, version, max(0.0, time.time() - os.stat(place.lock).st_mtime))


def end(brain: Brain) -> None:
    """Have it end its turns and leave; kill it where it does not."""
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
        if holder(brain.place) == brain.pid:
            os.kill(brain.pid, signal.SIGTERM)
        while holder(brain.place) == brain.pid:
            if time.monotonic() > deadline:
                os.kill(brain.pid, 9)
                return
            time.sleep(0.02)  # it is no child of ours: nothing tells when it has ended
