"""The brain's end of a connection: one client, who asks for one turn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from .. import __version__
from ..config.settings import Settings, check_thread
from ..core.errors import Fault, Interrupted, JarvisError, Terminated, foreseen
from ..core.events import TurnEnded
from ..core.frontend import Words
from ..core.text import piped_in, words_in
from ..core.types import performed_in
from ..packs import warnings
from ..store.log import Log
from .frontend import RemoteFrontend, RemoteScreen
from .protocol import (
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
    Message,
    Ready,
    decode,
    encode,
)

if TYPE_CHECKING:
    from ..turns.session import Session

_ASK_SECONDS = 10.0  # for a client to say what it wants
_CLOGGED = 100_000  # bytes that a client has not read: it needs no signs of life
_log = logging.getLogger(__name__)


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

    def beat(self) -> None:
        """Give a sign of life."""
        if self._writer.transport.get_write_buffer_size() < _CLOGGED:
            self.send(Alive())

    async def serve(self, parts: asyncio.Future[Parts]) -> None:
        """Serve until the turn ends, the client hangs up, or it sends what makes no sense."""
        if not parts.done():
            self.send(Alive())
        try:
            ready = await asyncio.shield(parts)
            self.send(Ready(__version__))
            if ask := await self._asked():
                await self._do(ask, ready)
        except (ValueError, ConnectionError):  # ValueError: a line longer than LONGEST
            pass
        except JarvisError as error:
            self.send(Failed.of(error))

    async def _asked(self) -> Ask | None:
        """Return what the client asks; None where it only looked, or takes too long."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ASK_SECONDS):
                if line := await self._reader.readline():
                    ask = decode(line)
                    return ask if isinstance(ask, Ask) else _refuse()
        return None

    async def _do(self, ask: Ask, parts: Parts) -> None:
        """Do the turn, for as long as the client is there and makes sense."""
        screen = RemoteScreen(ask, self.send, parts.settings.secrets())
        if not (ask.is_chat or ask.quiet):  # a chat told them as it began
            for warning in warnings(parts.settings):
                screen.err(f"jarvis: {warning}")
        front = RemoteFrontend(ask, screen, self.send, parts.log)
        # In this order: a task that is cancelled before its first step never takes it.
        turn = asyncio.create_task(self._turn(ask, front, parts.session))
        listening = asyncio.create_task(self._listen(front, turn))
        try:
            await asyncio.wait([turn, listening], return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not turn.done():
                front.leave()
                _cancel(turn, front, Terminated("Terminated."))
            await asyncio.wait([turn])
            listening.cancel()

    async def _listen(self, front: RemoteFrontend, turn: asyncio.Task[None]) -> None:
        """Heed what the client says, until it hangs up or makes no sense."""
        try:
            while line := await self._reader.readline():
                _heed(decode(line), front, turn)
        except (ValueError, ConnectionError):  # as in serve()
            pass
        except BadMessage as error:
            self.send(Failed.of(error))

    async def _turn(self, ask: Ask, front: RemoteFrontend, session: Session) -> None:
        """Do the turn, and tell the client how it ended, whatever happens."""
        error: JarvisError = JarvisError("The turn broke off.")
        try:
            with foreseen():
                await _done(ask, front, session)
        except asyncio.CancelledError:
            error = front.interruption
        except JarvisError as failure:
            if isinstance(failure, Fault):
                _log.exception("a fault of ours", exc_info=failure.__cause__)
            error = failure
        finally:
            self.send(Failed.of(error) if front.ended is None else Ended(front.ended))


def _heed(message: Message, front: RemoteFrontend, turn: asyncio.Task[None]) -> None:
    """Do what a client says in the middle of a *turn*. Raises BadMessage for what makes no sense then."""
    match message:
        case Cancel(reason):
            is_end = reason == Terminated.code
            _cancel(turn, front, Terminated("Terminated.") if is_end else Interrupted("Interrupted."))
        case Did() | Answer() | Confirm():
            front.hear(message)
        case _:
            _refuse()


def _refuse() -> NoReturn:
    raise BadMessage("A client sent a message at the wrong time.", hint="Start Jarvis again.")


def _cancel(turn: asyncio.Task[None], front: RemoteFrontend, reason: JarvisError) -> None:
    # A second time would cut short what the first one writes down.
    if not turn.cancelling():
        front.interruption = reason
        turn.cancel()


async def _done(ask: Ask, front: RemoteFrontend, session: Session) -> TurnEnded:
    """Do the turn that is asked for. Raises JarvisError where there is none to tell of."""
    thread = await session.thread(
        ask.thread, ask.own_thread, used_last=ask.continue_last, of_turn=ask.id if ask.resumes else ""
    )
    check_thread(thread)
    piped = piped_in(ask.piped) if ask.piped else ""
    own = words_in(ask.own) if ask.own or not (piped or ask.answer) else ""
    did = tuple(performed_in(record) for record in ask.did) if ask.resumes else None
    words = Words(own, piped, ask.model, ask.id, ask.answer, did)
    return await (session.answer(words, front) if ask.answer else session.turn(words, thread, front))
