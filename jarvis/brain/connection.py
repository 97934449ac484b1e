"""The brain's end of a connection: one client, who asks for one turn."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from .. import __version__
from ..config.settings import Settings, check_thread
from ..core.errors import Fault, Interrupted, JarvisError, foreseen
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
    Ready,
    decode,
    encode,
)

if TYPE_CHECKING:
    from ..turns.session import Session

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
