"""`python -P -m jarvis.brain`: serve the client at the other end of the pipes, and end with it.

With --resident NAME, serve all clients that look for a brain of that name, and end when idle.
Keys are read from the environment and files, never from a client.
"""

from __future__ import annotations

import argparse
import gc
import os

from ..config.paths import folders_of
from ..core.concurrency import run_async
from ..core.types import Options
from .listen import hold, listening
from .socket_path import Place

_IDLE_MINUTES = 30.0


def main() -> None:
    gc.disable()  # the imports make nothing that could be collected
    parser = argparse.ArgumentParser(prog="jarvis.brain")
    parser.add_argument("--resident")
    parser.add_argument("--env-file")
    parser.add_argument("--timeout", type=float)
    parser.add_argument("--verbose", type=int, default=0)
    parser.add_argument("--log-file")
    chosen = vars(parser.parse_args())
    name = chosen.pop("resident")
    if name:
        reside(name, chosen["env_file"])
    else:
        from .pipe_server import serve  # a brain that stays listens before it imports what takes time

        run_async(serve(Options(**chosen)))
    os._exit(0)  # tearing all of it down takes time for nothing


def reside(name: str, env_file: str | None) -> None:
    """Serve as the brain called *name*, unless there is one."""
    place = Place(folders_of(os.environ, env_file).runtime, name)
    if hold(place) is None:
        return
    os.chdir("/")  # no folder is kept from being removed, or unmounted
    opened = listening(place)
    from .server import Server  # takes time: clients are told meanwhile that it starts

    async def live() -> None:
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
