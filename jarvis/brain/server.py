"""The brain as a server: it imports once, and serves each client on a connection of its own.

It leaves when nobody has needed it for long, and when its settings, libraries or code change.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import signal
import socket
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from .. import __version__
from ..config.settings import Settings, check_thread, read_settings
from ..config.system_keyring import with_kept_keys
from ..core import tracing
from ..core.concurrency import aside
from ..core.errors import Fault, Interrupted, JarvisError, foreseen
from ..core.events import TurnEnded
from ..core.frontend import Words
from ..core.text import piped_in, words_in
from ..core.types import Options, performed_in
from ..output.library_logs import hush
from ..packs import warnings
from ..store.log import Log, log_for
from ..store.sqlite import Sqlite
from ..turns import build
from .address import BACKLOG, Place, is_same_user, place_of
from .frontend import RemoteFrontend, RemoteScreen
from .protocol import (
    LONGEST,
    Alive,
    Answer,
    Ask,
    BadMessage,
    Cancel,
    Confirm,
    Did,
    Ended,
    Failed,
    FromBrain,
    Ready,
    decode,
    encode,
)

if TYPE_CHECKING:
    from ..turns.session import Session

_log = logging.getLogger(__name__)
BEAT = 1.0  # seconds between two signs of life
_LEAVE_SECONDS = 4.0  # for turns under way to end in order, once the brain was told to end
_CLIENTS_SECONDS = 1.0  # for clients that are told to end with it
_WARM_SECONDS = 0.2  # for the request that it was started for to come


class Parts(NamedTuple):
    """What serving clients takes, once all is imported."""

    session: Session
    settings: Settings
    log: Log | None


class ServedClient:
    """A client, as the brain sees it."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, message: FromBrain) -> None:
        """Send *message*, whenever the client reads it: nobody else waits for that."""
        if not self._writer.is_closing():
            self._writer.write(encode(message))

    async def serve(self, parts: asyncio.Future[Parts]) -> None:
        """Serve until the turn ends, the client hangs up, or it sends what makes no sense."""
        if not parts.done():
            self.send(Alive())
        try:
            ready = await asyncio.shield(parts)
            self.send(Ready(__version__))
            if line := await self._reader.readline():
                ask = decode(line)
                await self._do(ask if isinstance(ask, Ask) else _refuse(), ready)
        except (ValueError, ConnectionError):  # ValueError: a line longer than LONGEST
            pass
        except JarvisError as error:
            self.send(Failed.of(error))

    async def _do(self, ask: Ask, parts: Parts) -> None:
        """Do the turn, and tell the client how it ended, whatever happens."""
        screen = RemoteScreen(ask, self.send, parts.settings.secrets())
        if not (ask.is_chat or ask.said.quiet):  # a chat told them as it began
            for warning in warnings(parts.settings):
                screen.err(f"jarvis: {warning}")
        front = RemoteFrontend(ask, screen, self.send, parts.log)
        listening = asyncio.create_task(self._listen(front, asyncio.current_task()))
        error = JarvisError("The turn broke off.")
        try:
            with foreseen():
                await _done(ask, front, parts.session)
        except asyncio.CancelledError:
            error = front.interruption
        except JarvisError as failure:
            if isinstance(failure, Fault):
                _log.exception("a fault of ours", exc_info=failure.__cause__)
            error = failure
        finally:
            listening.cancel()
            failed = Failed.of(error, screen.clear_of_keys)
            self.send(failed if front.ended is None else Ended(front.ended))

    async def _listen(self, front: RemoteFrontend, turn: asyncio.Task[None] | None) -> None:
        """Heed what the client says. End the *turn* where it cancels it, hangs up or makes no sense."""
        try:
            while line := await self._reader.readline():
                match decode(line):
                    case Cancel(reason):
                        if reason == Interrupted.code:
                            front.interruption = Interrupted("Interrupted.")
                        cancel(turn)
                    case Did() | Answer() | Confirm() as said:
                        front.hear(said)
                    case _:
                        _refuse()
        except (ValueError, ConnectionError):  # as in serve()
            pass
        except BadMessage as error:
            self.send(Failed.of(error))
        front.leave()
        cancel(turn)


def _refuse() -> NoReturn:
    raise BadMessage("A client sent a message at the wrong time.", hint="Start Jarvis again.")


def cancel(task: asyncio.Task[None] | None) -> None:
    """Cancel *task*, once: a second time would cut short what the first one writes down."""
    if task and not task.cancelling():
        task.cancel()


async def _done(ask: Ask, front: RemoteFrontend, session: Session) -> TurnEnded:
    """Do the turn that is asked for. Raises JarvisError where there is none to tell of."""
    said = ask.said
    thread = await session.thread(
        ask.thread, ask.own_thread, used_last=said.continue_last, of_turn=ask.id if ask.resumes else ""
    )
    check_thread(thread)
    piped = piped_in(ask.piped) if ask.piped else ""
    own = words_in(ask.own) if ask.own or not (piped or said.answer) else ""
    did = tuple(performed_in(record) for record in ask.did) if ask.resumes else None
    words = Words(own, piped, said.model or "", ask.id, said.answer or "", did)
    return await (session.answer(words, front) if words.answer else session.turn(words, thread, front))


class Server:
    def __init__(self, place: Place, env_file: str | None, idle_seconds: float) -> None:
        self._place = place
        self._env_file = env_file
        # As it was: what libraries must not see is struck out of it later.
        self._environment: Mapping[str, str] = dict(os.environ)
        self._files = _identities(place)
        self._idle_seconds = idle_seconds
        self._parts: asyncio.Future[Parts] = asyncio.get_running_loop().create_future()
        self._clients: dict[asyncio.Task[None], ServedClient] = {}
        self._leaves = asyncio.Event()  # once it is to serve no more new clients
        self._at_once = False  # turns under way are not waited for

    async def run(self, listening: socket.socket) -> None:
        """Serve until it is to leave. Clients are told what keeps the brain from serving."""
        server = await asyncio.start_unix_server(
            self._welcome, sock=listening, limit=LONGEST, backlog=BACKLOG
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._die)
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._end)  # by `jarvis brain stop`
        watching = asyncio.create_task(self._watch())
        try:
            with foreseen():
                await self._live()
        except JarvisError as error:  # clients would otherwise wait in vain
            await self._fail(error)
        finally:
            watching.cancel()
            server.close()

    async def _live(self) -> None:
        settings = read_settings(self._environment, env_file=self._env_file, own_thread="")
        settings = await aside(lambda: with_kept_keys(settings))
        await aside(lambda: _import_stack(langsmith=settings.langsmith))
        log = log_for(settings)
        hush(Options(), log, lambda text: None)
        Sqlite.pause = staticmethod(asyncio.sleep)  # whoever waits for another program's write lets others on
        async with build.session(settings, log) as session:
            # What is loaded now stays: no collection need look at it. One before this would take a tenth
            # of a second, with somebody waiting, and find next to nothing.
            gc.freeze()
            gc.enable()
            self._parts.set_result(Parts(session, settings, log))
            log.write("brain", what="ready", clients=len(self._clients))
            warming = asyncio.create_task(self._warm(session, log))
            await self._leaves.wait()
            warming.cancel()
            await self._drain()
            log.write("brain", what="leaves")

    async def _warm(self, session: Session, log: Log) -> None:
        """Do beforehand what the first turn would wait for, unless that turn is here already."""
        await asyncio.sleep(_WARM_SECONDS)
        if not self._clients:
            await aside(session.warm)
            log.write("brain", what="warm")

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._leaves.is_set() or not is_same_user(writer.get_extra_info("socket")):
            writer.close()
            return
        self._clients[task] = client = ServedClient(reader, writer)
        try:
            await client.serve(self._parts)
        finally:
            del self._clients[task]
            writer.close()

    async def _watch(self) -> None:
        """Every second, send signs of life to clients, and check whether the brain is to stay."""
        housekeeping: asyncio.Task[None] | None = None
        needed = time.monotonic()
        while True:
            await asyncio.sleep(BEAT)
            for client in self._clients.values():
                client.send(Alive())
            if self._clients:
                needed = time.monotonic()
            if not self._is_current() or time.monotonic() - needed > self._idle_seconds:
                self._retire()
            is_ready = self._parts.done() and not self._parts.exception()
            if is_ready and (not housekeeping or housekeeping.done()):
                housekeeping = asyncio.create_task(self._keep_house(self._parts.result().session))

    def _is_current(self) -> bool:
        """Return whether clients still look for this brain, and its files are still there."""
        try:
            now = place_of(self._environment, self._env_file)
            return now == self._place and _identities(now) == self._files
        except (JarvisError, OSError):
            return False

    async def _keep_house(self, session: Session) -> None:
        """Bring plain commands to the database, and let go of files while nobody is served."""
        with contextlib.suppress(JarvisError):  # the next turn tells
            await session.deliver()
        if not self._clients:
            with contextlib.suppress(JarvisError):
                await session.rest()

    def _retire(self) -> None:
        """Serve no more clients; the next one starts another brain."""
        if not self._leaves.is_set():
            self._leaves.set()
            with contextlib.suppress(OSError):
                os.unlink(self._place.socket)

    def _end(self) -> None:
        self._at_once = True
        self._retire()
        if not self._parts.done():  # imports can't be interrupted, and nothing has begun
            os._exit(0)

    def _die(self) -> None:
        """End, leaving the turns under way to another brain: to end them here would be to fail them.

        Where their clients are told to end too, as at a logout, they are ended in order.
        """
        self._retire()
        asyncio.get_running_loop().call_later(_CLIENTS_SECONDS if self._parts.done() else 0, os._exit, 0)

    async def _drain(self) -> None:
        """Wait until no turn is under way; cancel those that hang."""
        while self._clients and not self._at_once:  # noqa: ASYNC110 (once)
            await asyncio.sleep(0.05)
        for task in self._clients:
            cancel(task)
        if self._clients:
            await asyncio.wait(self._clients, timeout=_LEAVE_SECONDS)

    async def _fail(self, error: JarvisError) -> None:
        self._retire()
        if not self._parts.done():
            self._parts.set_exception(error)
            self._parts.exception()  # nobody may be there to hear of it
        if self._clients:
            await asyncio.wait(self._clients, timeout=1)


def _identities(place: Place) -> list[tuple[int, int]]:
    """Return what tells the files of *place* from others that have their names."""
    status = [os.stat(path) for path in (place.socket, place.lock)]
    return [(each.st_dev, each.st_ino) for each in status]


def _import_stack(*, langsmith: bool) -> None:
    """Import what takes seconds, on a thread: clients get signs of life meanwhile."""
    tracing.settle(os.environ, langsmith=langsmith)
    # The libraries look at the environment as they are imported: not before it is settled.
    from ..agent import gemini, graph, savers  # noqa: F401
    from ..output import styles  # noqa: F401
    from ..search import serpapi  # noqa: F401
    from ..turns import session  # noqa: F401
