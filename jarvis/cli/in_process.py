"""A turn in this process, where no brain does it: the session and the hands side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from ..actions import Hands, time_and_place
from ..config.settings import Settings
from ..core.concurrency import aside, run_async
from ..core.errors import Interrupted, JarvisError
from ..core.events import Event, Question, TurnEnded
from ..core.frontend import Words
from ..core.types import AppsFound, Options, Outcome, Request
from ..desktop import hands_for
from ..output.library_logs import hush
from ..output.questions import answered, nobody_answers
from ..output.screen import Screen
from ..output.tellers import Teller, tellers_for
from ..turns import build


def turn_of(options: Options, own: str, piped: str, settings: Settings, screen: Screen) -> InProcess:
    """Return the turn of a request of the command line."""
    hush(options, screen.log, screen.aside)
    words = Words(own, piped, answer=options.answer or "")
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    answer = partial(answered, options=options, screen=screen)
    return InProcess(options, words, settings, screen, hands, answer)


class LocalFrontend:
    """Implements frontend.Front: tells its teller, acts by its hands."""

    def __init__(
        self,
        teller: Teller,
        hands: Hands,
        answer: Callable[[Question], Awaitable[str]] = nobody_answers,
        screen: Screen | None = None,
    ) -> None:
        self.interruption: JarvisError = Interrupted("Interrupted.")
        self._screen = screen
        self._teller = teller
        self.streams = teller.streams
        self._hands = hands
        self._answer = answer

    @property
    def pictures(self) -> str:
        return self._hands.pictures()

    @property
    def place(self) -> str:
        return time_and_place()

    def tell(self, event: Event) -> None:
        if self._screen and isinstance(event, TurnEnded):
            self._screen.ended = event.exit_status
        self._teller.tell(event)

    @property
    def has_shown(self) -> bool:
        return not (self._screen and self._screen.has_lost_words)

    async def tick(self) -> None:
        """Have the screen tell each second for how long it waits, until cancelled."""
        while self._screen:
            await asyncio.sleep(1)
            self._screen.tick()

    async def ask(self, question: Question) -> str:
        return await self._answer(question)

    async def act(self, request: Request) -> Outcome:
        return await aside(lambda: self._hands.perform(request))

    async def find_apps(self, name: str) -> AppsFound:
        return await aside(lambda: self._hands.find_apps(name))


class InProcess:
    """Does one turn on an event loop of its own."""

    def __init__(
        self,
        options: Options,
        words: Words,
        settings: Settings,
        screen: Screen,
        hands: Hands,
        answer: Callable[[Question], Awaitable[str]],
    ) -> None:
        """answer: returns the person's answer to the question."""
        self._words = words
        self._settings = settings
        self._screen = screen
        self._answer = answer
        teller = tellers_for(options, screen, screen.log, settings.folders.state)
        self._front = LocalFrontend(teller, hands, self._answered, screen)
        self._loop: asyncio.AbstractEventLoop | None = None  # while the turn is under way
        self._task: asyncio.Task[None] | None = None
        self._is_cancelled = False

    def run(self) -> int:
        """Return the turn's exit status. Raises JarvisError where there is no turn to tell of."""
        self._screen.ended = None
        try:
            run_async(self._turn())
        except asyncio.CancelledError:
            if self._screen.ended is None:
                raise self._front.interruption from None
        except JarvisError:
            if self._screen.ended is None:
                raise
        return self._screen.ended or 0

    def cancel(self, reason: JarvisError) -> None:
        """End run(). Another thread or a signal handler may call it."""
        if self._is_cancelled:  # a second time would cut short what the first one writes down
            return
        self._front.interruption = reason
        self._is_cancelled = True
        if self._loop and self._task:
            self._loop.call_soon_threadsafe(self._task.cancel)

    async def _answered(self, question: Question) -> str:
        try:
            return await self._answer(question)
        except Interrupted as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
            return ""  # nobody waits for it any more

    async def _turn(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.create_task(self._done())
        if self._is_cancelled:  # before there was anything to cancel
            self._task.cancel()
        ticking = asyncio.create_task(self._front.tick())
        try:
            await self._task
        finally:
            self._loop = None  # it is closed in a moment: there is nothing left to cancel
            ticking.cancel()

    async def _done(self) -> None:
        words = self._words
        async with build.session(self._settings, self._screen.log) as session:
            await session.turn(words, self._settings.thread, self._front)
