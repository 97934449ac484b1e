"""The brain as a server: it imports once, and serves each client on a connection of its own.

It leaves when nobody has needed it for long, and when its settings, libraries or code change. Told to stop,
it ends the turns under way in order; terminated, it leaves them to another one.
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
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..config.settings import Settings, check_thread, read_settings
from ..config.system_keyring import with_kept_keys
from ..core import tracing
from ..core.concurrency import aside
from ..core.errors import Fault, Interrupted, JarvisError, SettingsError, foreseen
from ..core.events import TurnEnded
from ..core.frontend import Words
from ..core.text import piped_in, without, words_in
from ..core.types import Options, performed_in
from ..output.library_logs import hush
from ..packs import warnings
from ..store.log import Log, log_for
from ..turns import build
from . import protocol
from .address import BACKLOG, Place, place_of
from .frontend import RemoteFrontend

if TYPE_CHECKING:
    from ..turns.session import Session

_log = logging.getLogger(__name__)
BEAT = 1.0  # seconds between two signs of life
_IDLE_MINUTES = 30  # that a brain stays without being needed
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
        self._secrets: tuple[str, ...] = ()  # never sent

    def send(self, message: protocol.FromBrain) -> None:
        """Send *message*, whenever the client reads it: nobody else waits for that."""
        if isinstance(message, protocol.Print | protocol.Query | protocol.Failed):  # what it only shows
            message = type(message)._make(_cleared(value, self._secrets) for value in message)
        if not self._writer.is_closing():
            self._writer.write(protocol.encode(message))

    async def serve(self, parts: asyncio.Future[Parts]) -> None:
        """Serve until the turn ends, the client hangs up, or it sends what makes no sense."""
        beating = asyncio.create_task(self._beat())
        if not parts.done():
            self.send(protocol.Alive())
        try:
            with self._telling():
                ready = await asyncio.shield(parts)
                self._secrets = ready.settings.secrets()
                self.send(protocol.Ready())
                if line := await self._reader.readline():
                    await self._do(protocol.decode(line), ready)
        finally:
            beating.cancel()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Tell the client what goes wrong in this block, unless it is gone."""
        try:
            yield
        except (ValueError, ConnectionError):  # ValueError: a line longer than LONGEST
            pass
        except JarvisError as error:
            self.send(protocol.Failed.of(error))

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT)
            self.send(protocol.Alive())

    async def _do(self, ask: protocol.Message, parts: Parts) -> None:
        """Do the turn, and tell the client that it has ended. Raises what kept it from that."""
        if not isinstance(ask, protocol.Ask):
            raise protocol.BadMessage("makes no sense now")
        front = RemoteFrontend(ask, self.send, parts.log)
        if not (ask.is_chat or ask.said.quiet):  # a chat told them as it began
            for warning in warnings(parts.settings):
                front.err(f"jarvis: {warning}")
        listening = asyncio.create_task(self._listen(front, asyncio.current_task()))
        try:
            with foreseen():
                await _done(ask, front, parts.session)
        except asyncio.CancelledError:
            if front.ended is None:
                raise front.interruption from None
        except JarvisError as error:
            if isinstance(error, Fault):
                _log.exception("a fault of ours", exc_info=error.__cause__)
            if front.ended is None:
                raise
        finally:
            listening.cancel()
        self.send(protocol.Ended(front.ended or 0))

    async def _listen(self, front: RemoteFrontend, turn: asyncio.Task[None] | None) -> None:
        """Heed what the client says. End the *turn* where it cancels it, hangs up or makes no sense."""
        with self._telling():
            while line := await self._reader.readline():
                match protocol.decode(line):
                    case protocol.Cancel(reason):
                        if reason == Interrupted.code:
                            front.interruption = Interrupted("Interrupted.")
                        cancel(turn)
                    case said:
                        front.hear(said)
        front.leave()
        cancel(turn)


def _cleared(value: object, secrets: tuple[str, ...]) -> object:
    """Return *value*, all of it, without *secrets*."""
    match value:
        case str():
            return without(value, secrets)
        case list() | tuple():
            return [_cleared(each, secrets) for each in value]
        case dict():
            return {name: _cleared(each, secrets) for name, each in value.items()}
    return value


def cancel(task: asyncio.Task[None] | None) -> None:
    """Cancel *task*, once: a second time would cut short what the first one writes down."""
    if task and not task.cancelling():
        task.cancel()


async def _done(ask: protocol.Ask, front: RemoteFrontend, session: Session) -> TurnEnded:
    """Do the turn that is asked for. Raises JarvisError where there is none to tell of."""
    said = ask.said
    thread = await session.thread(ask.thread, ask.own_thread, used_last=said.continue_last)
    check_thread(thread)
    piped = piped_in(ask.piped) if ask.piped else ""
    own = words_in(ask.own) if ask.own or not (piped or said.answer) else ""
    did = tuple(performed_in(record) for record in ask.did) if ask.resumes else None
    words = Words(own, piped, said.model or "", ask.id, said.answer or "", did)
    return await (session.answer(words, front) if words.answer else session.turn(words, thread, front))


class Server:
    def __init__(self, place: Place, env_file: str | None) -> None:
        self._place = place
        self._env_file = env_file
        # As it was: what libraries must not see is struck out of it later.
        self._environment: Mapping[str, str] = dict(os.environ)
        self._parts: asyncio.Future[Parts] = asyncio.get_running_loop().create_future()
        self._clients: set[asyncio.Task[None]] = set()
        self._leaves = asyncio.Event()  # once it is to serve no more new clients

    async def run(self, listening: socket.socket) -> None:
        """Serve until it is to leave. Clients are told what keeps the brain from serving."""
        server = await asyncio.start_unix_server(
            self._welcome, sock=listening, limit=protocol.LONGEST, backlog=BACKLOG
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop)  # by `jarvis brain stop`
        try:
            with foreseen():
                await self._live()
        except JarvisError as error:
            if not self._parts.done():
                self._parts.set_exception(error)
        finally:
            await self._drain()
            server.close()

    async def _live(self) -> None:
        try:
            minutes = float(self._environment.get("JARVIS_BRAIN_MINUTES") or _IDLE_MINUTES)
        except ValueError:
            hint = f"export JARVIS_BRAIN_MINUTES={_IDLE_MINUTES}"
            raise SettingsError("JARVIS_BRAIN_MINUTES must be a number.", hint=hint) from None
        settings = read_settings(self._environment, env_file=self._env_file, own_thread="")
        settings = await aside(lambda: with_kept_keys(settings))
        await aside(lambda: _import_stack(langsmith=settings.langsmith))
        log = log_for(settings)
        hush(Options(), log, lambda text: None)
        async with build.session(settings, log) as session:
            # What is loaded now stays: no collection need look at it. One before this would take a tenth
            # of a second, with somebody waiting, and find next to nothing.
            gc.freeze()
            gc.enable()
            self._parts.set_result(Parts(session, settings, log))
            log.write("brain", what="ready", clients=len(self._clients))
            await asyncio.sleep(_WARM_SECONDS)
            if not self._clients:  # else the first turn does it
                await aside(session.warm)
                log.write("brain", what="warm")
            await self._keep_house(session, 60 * minutes)
            await self._drain()

    async def _keep_house(self, session: Session, idle_seconds: float) -> None:
        """Until it is to leave, bring plain commands to the database, and let go of files while it rests."""
        needed = time.monotonic()
        while self._is_current() and time.monotonic() - needed < idle_seconds and not self._leaves.is_set():
            with contextlib.suppress(JarvisError):  # the next turn tells
                await session.deliver()
                if not self._clients:
                    await session.rest()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._leaves.wait(), BEAT)
            needed = time.monotonic() if self._clients else needed

    async def _welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self._leaves.is_set():
            writer.close()
            return
        self._clients.add(task)
        try:
            await ServedClient(reader, writer).serve(self._parts)
        finally:
            self._clients.remove(task)
            writer.close()

    def _is_current(self) -> bool:
        """Return whether clients still look for this brain, and can find it."""
        try:
            now = place_of(self._environment, self._env_file)
        except (JarvisError, OSError):
            return False
        return now == self._place and os.path.exists(now.socket)

    def _leave(self) -> None:
        """Serve no more clients; the next one starts another brain."""
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
        if not self._parts.done():  # imports can't be interrupted, and nothing has begun
            os._exit(0)


def _import_stack(*, langsmith: bool) -> None:
    """Import what takes seconds, on a thread: clients get signs of life meanwhile."""
    tracing.settle(os.environ, langsmith=langsmith)
    # The libraries look at the environment as they are imported: not before it is settled.
    from ..agent import gemini, graph  # noqa: F401
    from ..output import styles  # noqa: F401
    from ..search import serpapi  # noqa: F401
    from ..turns import session  # noqa: F401
