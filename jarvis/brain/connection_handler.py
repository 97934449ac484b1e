"""One client's turns, one at a time, as its messages ask for them."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ..config.settings import check_thread
from ..core.errors import Interrupted, JarvisError, Terminated, ThreadBusy, fault
from ..core.frontend import Words
from ..core.text import piped_in, said
from ..output.summary import show_error
from ..store.log import Log
from .protocol import Answer, Ask, BadMessage, Cancel, Did, Ended, Message, NoAnswer
from .remote_frontend import FarFront, FarScreen, Send, options_of

if TYPE_CHECKING:
    from ..turns.session import Session

_log = logging.getLogger(__name__)


class Serving:
    def __init__(
        self, session: Session, secrets: tuple[str, ...], send: Send, log: Log | None = None
    ) -> None:
        self._session = session
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
            case Cancel() if self._is_under_way(message.turn):
                terminated = message.reason == Terminated.code
                reason = Terminated("Terminated.") if terminated else Interrupted("Interrupted.")
                # A task that is cancelled before its first step never takes it, not even to tell its end.
                asyncio.get_running_loop().call_soon(self._cancel, reason)
            case Did() | Answer() | NoAnswer() | Cancel():
                pass  # too late: that turn has ended
            case _:
                raise BadMessage("A message came in out of turn.", hint="Start Jarvis again.")

    @property
    def is_busy(self) -> bool:
        return self._ask is not None

    async def stop(self) -> None:
        """End the turn under way, since nobody waits for it any more."""
        if self._task:
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
        """The exit status of the turn, all of which has been told."""
        error: JarvisError
        try:
            thread = await self._session.thread(ask.thread, used_last=ask.continue_last)
            check_thread(thread)
            piped = piped_in(ask.piped) if ask.piped else ""
            words = Words(said(ask.own) if ask.own or not piped else "", piped)
            await self._session.turn(words, thread, front)
        except asyncio.CancelledError:
            error = front.interruption
        except ThreadBusy as busy:
            error = busy
            if ask.is_chat:  # its person need not leave it
                error = ThreadBusy(busy.message, hint="Wait for it, or begin another thread: /new")
        except JarvisError as failure:
            error = failure
        except Exception as ours:  # noqa: BLE001 (told in a line; the brain serves on)
            _log.exception("a fault of ours")
            error = fault(ours)
        if front.ended is not None:
            return front.ended
        options = options_of(ask)
        return show_error(screen, error, as_json=options.json, as_records=options.ndjson)
