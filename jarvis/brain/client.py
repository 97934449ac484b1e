"""A client of the brain: has turns done, prints what they tell, and acts where they ask for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ..actions.hands import Hands
from ..core.concurrency import aside
from ..core.errors import BrainFailed, Interrupted, JarvisError
from ..output.screen import Screen
from .link import Link
from .messages import did, show
from .protocol import Act, Answer, Ask, Cancel, Ended, Query
from .resident_link import ResidentLink

_PATIENCE = 3.0  # seconds, for a turn to end that was cancelled


class Client:
    """One turn at a time. Everything is printed on *screen*, and *hands* act."""

    def __init__(
        self, link: Link | ResidentLink, screen: Screen, hands: Hands, ask: Callable[[], Awaitable[str]]
    ) -> None:
        """ask: what the person types to a question that they see."""
        self._link = link
        self._screen = screen
        self._hands = hands
        self._ask = ask
        self._begun: Ask | None = None  # what the brain is at
        self._waiting: asyncio.Task[Any] | None = None  # for the brain to be ready
        self._acting: set[asyncio.Task[None]] = set()  # kept, or they might be collected
        self._asking: asyncio.Task[None] | None = None  # the person

    async def turn(self, ask: Ask) -> int:
        """The exit status of that turn, all of which has been told.

        Raises CancelledError where it was cancelled before it began, BrainFailed where the brain is gone.
        """
        try:
            await self._wait_for_brain()
            self._begun = ask
            self._link.send(ask)
            return await self._until_ended(ask)
        except BrainFailed:
            self._screen.end_line()
            await self._link.stop(patience=0)
            if self._begun:  # it was alive and well: the next turn need not wait for it
                await self._link.start()
            raise
        finally:
            self._begun = None
            await self._ask_no_more()

    def cancel(self, reason: JarvisError) -> None:
        """End the turn under way. A brain that does not end it is ended itself."""
        if self._waiting:
            self._waiting.cancel()
        elif self._begun:
            self._link.send(Cancel(self._begun.turn, reason.code))
            asyncio.get_running_loop().call_later(_PATIENCE, self._kill_if_at, self._begun)

    async def _wait_for_brain(self) -> None:
        self._waiting = asyncio.create_task(self._link.ready())
        try:
            await asyncio.sleep(0)  # so that it has begun to start, if it has to
            if not self._link.is_ready:
                self._screen.passing("starting (first use takes a few seconds)…")
            await self._waiting
        finally:
            self._waiting = None
            self._screen.clear()

    async def _until_ended(self, ask: Ask) -> int:
        while True:
            match message := await self._link.next():
                case Ended(turn, status) if turn == ask.turn:
                    return status
                case Act(turn) if turn == ask.turn:
                    self._beside(self._act(message))
                case Query(turn) if turn == ask.turn:
                    self._asking = self._beside(self._answer(message))
                case _:
                    show(message, self._screen)

    def _beside(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """While the brain is listened to: it may have more to say meanwhile."""
        task = asyncio.create_task(work)
        self._acting.add(task)
        task.add_done_callback(self._acting.discard)
        return task

    async def _ask_no_more(self) -> None:
        """A question that stands when its turn ends would take what is typed at the next prompt."""
        if self._asking:
            self._asking.cancel()
            await asyncio.wait([self._asking])
            self._asking = None

    async def _answer(self, query: Query) -> None:
        try:
            said = await self._ask()
        except Interrupted as reason:
            self.cancel(reason)
        else:
            self._link.send(Answer(query.turn, query.question, said))

    async def _act(self, act: Act) -> None:
        """Answers even where the turn has been cancelled meanwhile: the brain drops what comes late."""
        self._link.send(await aside(lambda: did(self._hands, act)))

    def _kill_if_at(self, ask: Ask) -> None:
        if self._begun is ask:
            self._link.kill()
