"""The brain as a server: it imports once and serves each client on its own connection.

It does nothing while nobody is connected, and exits after a long time without clients. It also exits if its
settings, libraries, or code have changed. Each brain that starts knocks at the others, so that they check. If
stopped, it ends the turns under way in order. If terminated, it leaves them to another one. It reads keys
from the environment and files, never from a client.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .. import __version__
from ..config.settings import read_settings, with_kept_keys
from ..config.sources import folders_of
from ..core.concurrency import in_thread, run_async
from ..core.errors import JarvisError, report_bugs
from ..core.files import end_process, exclusive_lock
from ..store.log import log_for
from ..turns import build
from . import protocol
from .address import Place, address_of, is_own_peer, place_of
from .frontend import BEAT, ServedClient, cancel

if TYPE_CHECKING:
    from ..turns.session import Session

_IDLE_MINUTES = 30  # that a brain stays without being needed


class Server:
    def __init__(self, place: Place, env_file: str | None) -> None:
        self._place = place
        self._env_file = env_file
        # As it was: what libraries must not see is struck out of it later.
        self._environment: Mapping[str, str] = dict(os.environ)
        self._opened: asyncio.Future[Session] = asyncio.get_running_loop().create_future()
        self._clients: set[asyncio.Task[None]] = set()
        self._leaves = asyncio.Event()  # once it is to serve no more new clients
        self._resting = asyncio.create_task(self._rest())  # while nobody is connected

    async def run(self) -> None:
        """Serve until it is time to leave. Sends clients the reason if it can't serve."""
        with address_of(self._place) as address:  # where a socket is left, it is replaced
            await asyncio.start_unix_server(self._welcome, address, limit=protocol.LONGEST)
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop)  # by `jarvis brain stop`
        try:
            with report_bugs():
                await self._live()
        except JarvisError as error:
            if not self._opened.done():
                self._opened.set_exception(error)
            await self._drain()

    async def _live(self) -> None:
        settings = read_settings(self._environment, env_file=self._env_file, own_thread="")
        settings = await in_thread(lambda: with_kept_keys(settings))
        log = log_for(settings)
        async with build.session(settings, log) as session:
            self._opened.set_result(session)
            log.write("brain", what="ready", clients=len(self._clients))
            await self._knock_at_others()
            await self._leaves.wait()
            await self._drain()

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._leaves.is_set() or not is_own_peer(writer.get_extra_info("socket")):
            writer.close()
            return
        self._clients.add(task)
        self._resting.cancel()
        try:
            await ServedClient(reader, writer).serve(self._opened)
        finally:
            self._clients.remove(task)
            writer.close()
            if not self._clients:
                self._resting = asyncio.create_task(self._rest())

    async def _rest(self) -> None:
        """Let go of files after a moment and leave after a while, or where the next client finds no brain."""
        with contextlib.suppress(JarvisError):  # whoever comes next is told
            session = await asyncio.shield(self._opened)
            await asyncio.sleep(BEAT)
            if not self._is_current():
                self._leave()
            await session.rest()
        await asyncio.sleep(60 * _idle_minutes(self._environment))
        self._leave()

    async def _knock_at_others(self) -> None:
        """Have the other brains look whether a client would still find them."""
        for name in os.listdir(self._place.folder):
            other = Place(self._place.folder, name.removesuffix(".sock"))
            if name.endswith(".sock") and other != self._place:
                with contextlib.suppress(OSError), address_of(other) as address:  # it is gone
                    _, writer = await asyncio.open_unix_connection(address)
                    writer.close()

    def _is_current(self) -> bool:
        """Return whether clients still look for this brain, and can find it."""
        try:
            now = place_of(self._environment, self._env_file)
        except (JarvisError, OSError):
            return False
        return now == self._place and os.path.exists(now.socket)

    def _leave(self) -> None:
        """Serve no more clients. The next one starts another brain."""
        if not self._leaves.is_set():
            self._leaves.set()
            with contextlib.suppress(OSError):
                os.unlink(self._place.socket)

    async def _drain(self) -> None:
        """Serve no more clients, and wait until no turn is under way."""
        self._leave()
        while self._clients:
            await asyncio.wait(self._clients)

    def _stop(self) -> None:
        """Leave, and end the turns under way in order."""
        self._leave()
        for task in self._clients:
            cancel(task)
        if not self._opened.done():  # imports can't be interrupted, and nothing has begun
            os._exit(0)


def _idle_minutes(environment: Mapping[str, str]) -> float:
    """Return for how long a brain stays that nobody needs."""
    with contextlib.suppress(ValueError):
        return float(environment.get("JARVIS_BRAIN_MINUTES", ""))
    return _IDLE_MINUTES


def serve() -> None:
    """Serve who looks for a brain: `python -P -m jarvis.brain NAME [ENV_FILE]`. End when idle."""
    name, env_file = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    place = Place(folders_of(os.environ, env_file).runtime, name)

    async def live() -> None:
        await Server(place, env_file).run()

    with exclusive_lock(place.lock) as lock:  # where there is one, this one ends by the error
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()} {__version__}\n".encode())
        os.chdir("/")  # no folder is kept from being removed, or unmounted
        os.umask(0o077)  # the socket is its owner's alone
        run_async(live())
        end_process(0)
