"""A turn in this process, where no brain does it: the session and the hands side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from ..actions import Hands, time_and_place
from ..config.settings import Settings
from ..core.concurrency import aside, run_async
from ..core.errors import Interrupted, JarvisError, on_signals
from ..core.events import Event, Question, TurnEnded, Words
from ..core.types import AppsFound, Options, Outcome, Request
from ..desktop import hands_for
from ..output.library_logs import hush
from ..output.questions import answered, nobody_answers
from ..output.screen import Screen
from ..output.tellers import Teller, tellers_for
from ..turns import build


def do_in_process(options: Options, own: str, piped: str, settings: Settings, screen: Screen) -> int:
    """Do what *own* asks; return the exit status. Raises JarvisError where there is no turn to tell of."""
    hush(options, screen.log, screen.aside)
    teller = tellers_for(options, screen, screen.log, settings.folders.state)
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    answer = partial(answered, options=options, screen=screen)
    front = LocalFrontend(teller, hands, answer, screen)
    screen.ended = None
    try:
        run_async(_turn(Words(own, piped, answer=options.answer or ""), settings, screen, front))
    except asyncio.CancelledError:
        if screen.ended is None:
            raise front.interruption from None
    except JarvisError:
        if screen.ended is None:
            raise
    return screen.ended or 0


async def _turn(words: Words, settings: Settings, screen: Screen, front: LocalFrontend) -> None:
    """Do the turn; Ctrl-C and the like cancel it."""
    front.turn = asyncio.current_task()
    ticking = asyncio.create_task(front.tick())
    try:
        with on_signals(front.cancel):
            async with build.session(settings, screen.log) as session:
                await session.turn(words, settings.thread, front)
    finally:
        ticking.cancel()


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
        self.turn: asyncio.Task[None] | None = None  # while it is under way, and not cancelled
        self.streams = teller.streams
        self._screen = screen
        self._teller = teller
        self._hands = hands
        self._answer = answer

    @property
    def pictures(self) -> str:
        return self._hands.pictures()

    @property
    def place(self) -> str:
        return time_and_place()

    @property
    def has_shown(self) -> bool:
        return not (self._screen and self._screen.has_lost_words)

    def tell(self, event: Event) -> None:
        if self._screen and isinstance(event, TurnEnded):
            self._screen.ended = event.exit_status
        self._teller.tell(event)

    async def tick(self) -> None:
        """Have the screen tell each second for how long it waits, until cancelled."""
        while self._screen:
            await asyncio.sleep(1)
            self._screen.tick()

    def cancel(self, reason: JarvisError) -> None:
        """End the turn, once: a second time would cut short what the first one writes down."""
        if self.turn:
            self.interruption = reason
            self.turn.get_loop().call_soon_threadsafe(self.turn.cancel)
            self.turn = None

    async def ask(self, question: Question) -> str:
        try:
            return await self._answer(question)
        except Interrupted as reason:  # Ctrl-C, where it is typed
            self.cancel(reason)
            return ""  # nobody waits for it any more

    async def act(self, request: Request) -> Outcome:
        return await aside(lambda: self._hands.perform(request))

    async def find_apps(self, name: str) -> AppsFound:
        return await aside(lambda: self._hands.find_apps(name))
