"""Serves one client: does its turns, one at a time, as its messages ask for them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from .. import __version__
from ..config.settings import Settings, check_thread
from ..core.errors import Fault, Interrupted, JarvisError, Terminated, ThreadBusy, foreseen
from ..core.frontend import Words
from ..core.text import piped_in, words_in
from ..core.types import performed_in
from ..output.results import show_error
from ..packs import warnings
from ..store.log import Log
from .client_turn import with_deeds
from .protocol import (
    Alive,
    Answer,
    Ask,
    BadMessage,
    Cancel,
    Confirm,
    Did,
    Ended,
    FromBrain,
    Message,
    NoAnswer,
    Ready,
    decode,
    encode,
    fatal,
)
from .remote_frontend import FarFront, FarScreen, Send, options_of

if TYPE_CHECKING:
    from ..turns.session import Session

_log = logging.getLogger(__name__)

_NEW_SECONDS = 1.0  # from meeting a client to what it asks
_CLOGGED = 100_000  # bytes that a client has not read: it needs no signs of life


class Parts(NamedTuple):
    """What serving clients takes, once all is imported."""

    session: Session
    settings: Settings
    log: Log


class ServedClient:
    """A client, as the brain sees it."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        write: Callable[[bytes], None],
        backlog: Callable[[], int] = lambda: 0,
    ) -> None:
        """backlog: returns how many bytes the client has not read yet."""
        self._reader = reader
        self._write = write
        self._backlog = backlog
        self._serving: Serving | None = None
        self._new_until = 0.0
        self._outgoing: list[bytes] = []

    @property
    def is_waiting(self) -> bool:
        """Whether the client's person waits for the brain."""
        return self._serving is None or self._serving.is_busy

    @property
    def may_wait(self) -> bool:
        """Whether the client waits, or has only just connected and is about to ask."""
        return self.is_waiting or time.monotonic() < self._new_until

    def send(self, message: FromBrain) -> None:
        self._write(encode(message))

    def send_along(self, message: FromBrain) -> None:
        """Send *message* with all others of this moment: a brain that dies has sent each of them, or none."""
        if not self._outgoing:
            asyncio.get_running_loop().call_soon(self._flush)
        self._outgoing.append(encode(message))

    def _flush(self) -> None:
        if self._outgoing:
            self._write(b"".join(self._outgoing))
            self._outgoing.clear()

    def beat(self) -> None:
        """Give a sign of life, if the client waits for one."""
        if self.is_waiting and self._backlog() < _CLOGGED:
            self.send(Alive())

    async def serve(self, parts: asyncio.Future[Parts]) -> None:
        """Serve until the client hangs up, or sends what makes no sense."""
        if not parts.done():
            self.send(Alive())
        try:
            session, settings, log = await asyncio.shield(parts)
        except JarvisError as error:
            self.send(fatal(error))
            return
        told = warnings(settings)
        self._serving = Serving(session, settings.secrets(), self.send_along, log, warnings=told)
        self._new_until = time.monotonic() + _NEW_SECONDS
        self.send(Ready(__version__))
        try:
            while line := await self._reader.readline():
                self._new_until = 0
                self._serving.hear(decode(line))
        except (ValueError, ConnectionError):  # ValueError: longer than LONGEST
            pass
        except BadMessage as error:
            self.send(fatal(error))
        finally:
            await self._serving.stop()
            self._flush()


class Serving:
    def __init__(
        self,
        session: Session,
        secrets: tuple[str, ...],
        send: Send,
        log: Log | None = None,
        warnings: tuple[str, ...] = (),
    ) -> None:
        """warnings: on the settings, for clients that do not read them."""
        self._session = session
        self._warnings = warnings
        self._secrets = secrets
        self._send = send
        self._log = log
        self._ask: Ask | None = None  # whose turn is under way
        self._front: FarFront | None = None
        self._task: asyncio.Task[None] | None = None

    def hear(self, message: Message) -> None:
        """Do what *message* asks, or begin to. Raises BadMessage for one that makes no sense now."""
        match message:
            case Ask() if self._ask is None:
                self._begin(message)
            case Did() if self._is_under_way(message.turn) and self._front:
                self._front.heard(message)
            case Answer() if self._is_under_way(message.turn) and self._front:
                self._front.answered(message)
            case NoAnswer() if self._is_under_way(message.turn) and self._front:
                self._front.unanswered(message)
            case Confirm() if self._is_under_way(message.turn) and self._front:
                self._front.confirmed(message)
            case Cancel() if self._is_under_way(message.turn):
                terminated = message.reason == Terminated.code
                reason = Terminated("Terminated.") if terminated else Interrupted("Interrupted.")
                # A task that is cancelled before its first step never takes it, not even to tell its end.
                asyncio.get_running_loop().call_soon(self._cancel, reason)
            case Did() | Answer() | NoAnswer() | Cancel() | Confirm():
                pass  # too late: that turn has ended
            case _:
                raise BadMessage("A client sent a message at the wrong time.", hint="Start Jarvis again.")

    @property
    def is_busy(self) -> bool:
        return self._ask is not None

    async def stop(self) -> None:
        """End the turn under way: the client is gone."""
        if self._task:
            if self._front:
                self._front.leave()
            self._cancel(Terminated("Terminated."))
            await asyncio.wait([self._task])

    def _is_under_way(self, turn: int) -> bool:
        return self._ask is not None and self._ask.turn == turn

    def _begin(self, ask: Ask) -> None:
        self._ask = ask
        screen = FarScreen(ask, self._send, self._secrets)
        self._front = FarFront(ask, screen, self._send, self._log)
        self._task = asyncio.create_task(self._turn(ask, self._front, screen))

    def _cancel(self, reason: JarvisError) -> None:
        # A second time would cut short what the first one writes down.
        if self._front and self._task and not self._task.cancelling():
            self._front.interruption = reason
            self._task.cancel()

    async def _turn(self, ask: Ask, front: FarFront, screen: FarScreen) -> None:
        status = JarvisError.exit_status
        try:
            status = await self._told(ask, front, screen)
        finally:  # the client waits for the end, whatever happens
            self._ask = self._front = self._task = None
            self._send(Ended(ask.turn, status))

    async def _told(self, ask: Ask, front: FarFront, screen: FarScreen) -> int:
        """Do the turn and tell all of it; return its exit status."""
        error: JarvisError
        did = [performed_in(record) for record in ask.did]
        if not (ask.is_chat or ask.quiet):  # a chat told them as it began
            for warning in self._warnings:
                screen.err(f"jarvis: {warning}")
        try:
            thread = await self._session.thread(
                *(ask.thread, ask.own_thread),
                used_last=ask.continue_last,
                of_turn=ask.id if ask.resumes else "",
            )
            check_thread(thread)
            piped = piped_in(ask.piped) if ask.piped else ""
            own = words_in(ask.own) if ask.own or not (piped or ask.answer) else ""
            words = Words(own, piped, ask.model, ask.id, ask.answer, tuple(did) if ask.resumes else None)
            with foreseen():
                if ask.answer:
                    await self._session.answer(words, front)
                else:
                    await self._session.turn(words, thread, front)
        except asyncio.CancelledError:
            error = front.interruption
        except ThreadBusy as busy:
            error = busy
            if ask.is_chat:  # its person need not leave it
                error = ThreadBusy(busy.message, hint="Wait for it, or begin another thread: /new")
        except JarvisError as failure:
            if isinstance(failure, Fault):
                _log.exception("a fault of ours", exc_info=failure.__cause__)
            error = failure
        if front.ended is not None:
            return front.ended
        error = with_deeds(error, did, ask.thread, ask) if did else error
        options = options_of(ask)
        return show_error(screen, error, as_json=options.json, as_records=options.ndjson)
