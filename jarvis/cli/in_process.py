"""A request by the planning loop in this process: the brain and the hands side by side."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

from ..actions import Hands, time_and_place
from ..config.settings import Settings
from ..core.concurrency import aside
from ..core.concurrency import run_async as on_loop
from ..core.errors import Interrupted, JarvisError, Terminated
from ..core.events import Event, Question, TurnEnded
from ..core.types import AppsFound, Options, Outcome, Request
from ..output.library_logs import hush
from ..output.prompts import answer_to, nobody_answers
from ..output.screen import Screen
from ..output.tellers import Teller, tellers_for
from ..store.log import Log
from ..turns import build
from ..turns.session import Words


def run_in_process(options: Options, own: str, piped: str, settings: Settings, screen: Screen) -> int:
    """Do what *own* asks; return the exit status. Raises JarvisError where there is no turn to tell of."""
    hush(options, screen.log, screen.aside)
    hands = build.hands(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    teller = tellers_for(options, screen, screen.log)
    front = OneShot(teller, hands, lambda question: answer_to(question, options, screen), screen)
    words = Words(own, piped, answer=options.answer or "")
    return on_loop(_turn(words, settings, front, screen.log)).exit_status


class OneShot:
    """Implements frontend.Front: tells its teller, acts by its hands."""

    def __init__(
        self,
        teller: Teller,
        hands: Hands,
        answer: Callable[[Question], str] = nobody_answers,
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

    async def has_shown(self) -> bool:
        return not (self._screen and self._screen.has_lost_words)

    async def tick(self) -> None:
        """Have the screen tell each second for how long it waits, until cancelled."""
        while self._screen:
            await asyncio.sleep(1)
            self._screen.tick()

    async def ask(self, question: Question) -> str:
        return await aside(lambda: self._answer(question))

    async def act(self, request: Request) -> Outcome:
        return await aside(lambda: self._hands.perform(request))

    async def find_apps(self, name: str) -> AppsFound:
        return await aside(lambda: self._hands.find_apps(name))


async def _turn(words: Words, settings: Settings, front: OneShot, log: Log | None) -> TurnEnded:
    task = asyncio.current_task()

    def terminate() -> None:
        front.interruption = Terminated("Terminated.")
        if task:
            task.cancel()

    if sys.platform != "win32":  # it has no such handlers
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup wants it
                asyncio.get_running_loop().add_signal_handler(number, terminate)
    ticking = asyncio.create_task(front.tick())
    try:
        async with build.session(settings, log) as session:
            if words.answer:
                return await session.answer(words, front)
            return await session.turn(words, settings.thread, front)
    except asyncio.CancelledError:
        if isinstance(front.interruption, Terminated):
            raise front.interruption from None
        raise
    finally:
        ticking.cancel()
