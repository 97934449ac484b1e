"""`python -P -m jarvis.brain NAME [ENV_FILE]`: serve who looks for a brain of that name; end when idle.

Keys are read from the environment and files, never from a client.
"""

from __future__ import annotations

import gc
import os
import socket
import sys

from ..config.sources import folders_of
from ..core.concurrency import run_async
from .address import Place, hold, listen


def serve() -> None:
    gc.disable()  # the imports make nothing that could be collected
    name, env_file = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    place = Place(folders_of(os.environ, env_file).runtime, name)
    if not hold(place):  # there is one
        return
    os.chdir("/")  # no folder is kept from being removed, or unmounted
    listening = listen(place)
    from .server import Server  # takes time: clients are told meanwhile that it starts

    async def live() -> None:
        await Server(place, env_file).run(socket.socket(fileno=listening.detach()))

    run_async(live())
    os._exit(0)  # tearing all of it down takes time for nothing


if __name__ == "__main__":
    serve()
