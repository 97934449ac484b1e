"""Runs a turn in this process, without a brain."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from ..actions.base import desktop_for
from ..config.settings import Settings
from ..core.concurrency import in_thread, run_async
from ..core.errors import Interrupted, JarvisError, on_signals
from ..core.events import Event, Question, Tell, TurnEnded, Words
from ..core.types import ActionRequest, AppsFound, Options, Outcome
from ..desktop.desktop import Desktop, time_and_place
from ..output.questions import answer_without_prompt, dialog_on, nobody_answers
from ..output.screen import Screen
from ..output.tellers import is_streamed, log_teller, tell_all, teller_for
from ..packs.pack import warnings
from ..turns import build

if TYPE_CHECKING:
    from ..turns.session import Session


def do_in_process(options: Options, words: Words, settings: Settings, screen: Screen) -> int:
    """Run *words*. Returns the exit status. Raises JarvisError if the turn can't begin."""
    if not options.quiet:
        screen.warn(warnings(settings))
    tell = tell_all(log_teller(screen.log), teller_for(options, screen, settings.folders.state))
    desktop = desktop_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)

    async def answer(question: Question) -> str:
        """Return the answer to *question*, in the way that *options* and *screen* allow."""
        answer = await in_thread(lambda: answer_without_prompt(question, options, screen))
        return await dialog_on(screen, question).answer() if answer is None else answer

    frontend = LocalFrontend(tell, desktop, screen, answer, streams=is_streamed(options, screen))
    building = build.session(settings, screen.log)
    screen.ended = None
    try:
        run_async(_turn(words, settings.thread, building, frontend))
    except asyncio.CancelledError:
        if screen.ended is None:
            raise frontend.interruption from None
    except JarvisError:
        if screen.ended is None:
            raise
    return screen.ended or 0


async def _turn(
    words: Words, thread: str, building: AbstractAsyncContextManager[Session], frontend: LocalFrontend
) -> None:
    """Run the turn. Ctrl-C and similar signals cancel it."""
    frontend.turn = asyncio.current_task()
    ticking = asyncio.create_task(frontend.tick())
    try:
        with on_signals(frontend.cancel):
            async with building as session:
                await session.turn(words, thread, frontend)
    finally:
        ticking.cancel()


class LocalFrontend:
    """Implements events.Frontend. Reports events with *tell*."""

    def __init__(
        self,
        tell: Tell,
        desktop: Desktop,
        screen: Screen,
        answer: Callable[[Question], Awaitable[str]] = nobody_answers,
        *,
        streams: bool = False,
    ) -> None:
        self.interruption: JarvisError = Interrupted("Interrupted.")
        self.turn: asyncio.Task[None] | None = None  # while it is under way, and not cancelled
        self.streams = streams
        self._screen = screen
        self._tell = tell
        self._answer = answer
        self.desktop = LocalDesktop(desktop)

    @property
    def place(self) -> str:
        return time_and_place()

    async def confirmed(self) -> bool:
        return not self._screen.has_lost_words

    def tell(self, event: Event) -> None:
        if isinstance(event, TurnEnded):
            self._screen.ended = event.exit_status
        self._tell(event)

    async def tick(self) -> None:
        """Update the screen's waiting time each second until canceled."""
        while True:
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


class LocalDesktop:
    """Implements events.AsyncDesktop: a desktop acts on a thread of its own."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop

    @property
    def pictures(self) -> str:
        return self._desktop.pictures()

    async def act(self, request: ActionRequest) -> Outcome:
        return await in_thread(lambda: self._desktop.perform(request))

    async def find_apps(self, name: str) -> AppsFound:
        return await in_thread(lambda: self._desktop.find_apps(name))
