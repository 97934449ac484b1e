"""`python -P -m jarvis.brain NAME [ENV_FILE]`: serve who looks for a brain of that name; end when idle.

Keys are read from the environment and files, never from a client.
"""

from __future__ import annotations

import gc
import os
import socket
import sys

from ..config.paths import folders_of
from ..core.concurrency import run_async
from .address import Place, hold, listen

_IDLE_MINUTES = 30.0


def main() -> None:
    gc.disable()  # the imports make nothing that could be collected
    serve(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
    os._exit(0)  # tearing all of it down takes time for nothing


def serve(name: str, env_file: str | None) -> None:
    """Serve as the brain called *name*, unless there is one."""
    place = Place(folders_of(os.environ, env_file).runtime, name)
    if hold(place) is None:
        return
    os.chdir("/")  # no folder is kept from being removed, or unmounted
    listening = listen(place)
    from .server import Server  # takes time: clients are told meanwhile that it starts

    async def live() -> None:
        opened = socket.socket(fileno=listening.detach())
        await Server(place, env_file, _idle_seconds()).run(opened)

    run_async(live())


def _idle_seconds() -> float:
    """Return how long the brain stays without being needed."""
    try:
        minutes = float(os.environ.get("JARVIS_BRAIN_MINUTES") or _IDLE_MINUTES)
    except ValueError:
        minutes = _IDLE_MINUTES
    return minutes * 60


if __name__ == "__main__":
    main()
