"""`python -P -m jarvis.brain`: serves the client at the other end of its pipes, and ends with it.

With --resident NAME it serves all clients that look for a brain of that name, and ends by itself.
Keys are read from the environment and files, as ever: none comes from a client.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import threading
import time
from typing import BinaryIO

from .. import __version__
from ..config.paths import folders_of
from ..config.settings import Settings, read
from ..core.concurrency import run
from ..core.errors import JarvisError, fault, not_installed
from ..core.options import Options
from ..core.text import clean
from ..store.log import log_for
from .protocol import LONGEST, Err, FromBrain, Ready, decode, encode, failed

_IDLE_MINUTES = 30.0
_LEAVE_SECONDS = 5.0  # for the turn under way to end in order once the client is gone


class Pipes:
    """The client's end: lines come in on a thread, from the first moment on."""

    def __init__(self) -> None:
        # Nothing that runs in here may read from or print into the pipes.
        self._in: BinaryIO = open(os.dup(0), "rb")  # noqa: SIM115
        self._out: BinaryIO = open(os.dup(1), "wb")  # noqa: SIM115
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        self.serves = False
        self.lines: asyncio.Queue[bytes] = asyncio.Queue()  # an empty one: the client is gone
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, name="pipes", daemon=True).start()

    def send(self, message: FromBrain) -> None:
        with contextlib.suppress(OSError):  # that it is gone is noticed where it is listened to
            self._out.write(encode(message))
            self._out.flush()

    def leave(self) -> None:
        self.lines.put_nowait(b"")

    def _listen(self) -> None:
        while line := self._in.readline(LONGEST):
            self._loop.call_soon_threadsafe(self.lines.put_nowait, line)
        if not self.serves:
            os._exit(0)  # imports can't be interrupted, and nothing has begun
        self._loop.call_soon_threadsafe(self.leave)
        time.sleep(_LEAVE_SECONDS)
        os._exit(1)


async def serve(options: Options) -> None:
    """Until the client is gone."""
    pipes = Pipes()
    try:
        settings = read(
            os.environ, env_file=options.env_file, seconds=options.timeout, log_file=options.log_file
        )
        await _serve(pipes, settings, options)
    except ModuleNotFoundError as error:
        pipes.send(failed(not_installed(error)))
    except JarvisError as error:
        pipes.send(failed(error))
    except Exception as ours:  # noqa: BLE001 (told in a line, to who would otherwise wait for nothing)
        pipes.send(failed(fault(ours)))


async def _serve(pipes: Pipes, settings: Settings, options: Options) -> None:
    from ..output.library_logs import hush
    from ..turns import build
    from .connection_handler import Serving

    def aside(text: str) -> None:
        pipes.send(Err(clean(text)))

    log = log_for(settings, watch=aside if options.verbose > 1 else None)
    hush(options, log, aside)
    async with build.session(settings, log) as session:
        gc.freeze()  # what is loaded now stays: no collection need look at it
        gc.enable()
        serving = Serving(session, settings.secrets(), pipes.send, log)
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, pipes.leave)
        pipes.serves = True
        pipes.send(Ready(__version__))
        try:
            while line := await pipes.lines.get():
                serving.hear(decode(line))
        finally:
            await serving.stop()


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
        run(serve(Options(**chosen)))
    os._exit(0)  # tearing all of it down takes time for nothing


def reside(name: str, env_file: str | None) -> None:
    """Be the brain of that *name*, unless there is one."""
    from .listen import alone, listening
    from .socket_path import Place

    place = Place(folders_of(os.environ, env_file).runtime, name)
    if alone(place) is None:
        return
    os.chdir("/")  # no folder is kept from being removed, or unmounted
    opened = listening(place)  # before all that takes time: who comes now is told that it starts
    from .server import Resident

    async def live() -> None:
        await Resident(place, env_file, _idle_seconds()).run(opened)

    run(live())


def _idle_seconds() -> float:
    """How long it stays with nothing to do."""
    try:
        minutes = float(os.environ.get("JARVIS_BRAIN_MINUTES") or _IDLE_MINUTES)
    except ValueError:
        minutes = _IDLE_MINUTES
    return minutes * 60


if __name__ == "__main__":
    main()
