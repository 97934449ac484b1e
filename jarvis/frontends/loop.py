"""A request through the planning loop, in this process: the brain and the hands side by side."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
import warnings

from .. import build
from ..aside import aside
from ..aside import run as on_loop
from ..commandline import Options
from ..errors import Interrupted, JarvisError, Terminated
from ..events import Event, TurnEnded
from ..hands import Hands
from ..log import Log
from ..session import Words
from ..settings import Settings
from ..turn import Outcome, Request
from .logged import Logged
from .overheard import listen
from .screen import Screen
from .shown import InTheEnd, Teller, machine_teller


def run(options: Options, words: Words, settings: Settings, screen: Screen) -> int:
    """Do what *words* ask; the exit status. Raises JarvisError where there is no turn to tell of."""
    _hush(options, screen)
    hands, pictures = build.hands(screen.environment, dry_run=options.dry_run)
    front = OneShot(_tellers(options, screen), hands, pictures, screen)
    return on_loop(_turn(words, settings, front, screen.log)).exit_status


class OneShot:
    """Implements running.Front: tells through its tellers, acts through its hands."""

    def __init__(
        self, tellers: list[Teller], hands: Hands, pictures: str, screen: Screen | None = None
    ) -> None:
        self.pictures = pictures
        self.interruption: JarvisError = Interrupted("Interrupted.")
        self._screen = screen
        self._tellers = tellers
        self._hands = hands

    @property
    def place(self) -> str:
        return f"{time.strftime('%A %d %B %Y, %H:%M %Z')}; {sys.platform}"

    @property
    def streams(self) -> bool:
        return any(teller.streams for teller in self._tellers)

    def tell(self, event: Event) -> None:
        if self._screen and isinstance(event, TurnEnded):
            self._screen.ended = event.exit_status
        for teller in self._tellers:
            teller.tell(event)

    async def act(self, request: Request) -> Outcome:
        return await aside(lambda: self._hands.perform(request))


async def _turn(words: Words, settings: Settings, front: OneShot, log: Log | None) -> TurnEnded:
    task = asyncio.current_task()

    def terminate() -> None:
        front.interruption = Terminated("Terminated.")
        if task:
            task.cancel()

    with contextlib.suppress(NotImplementedError, AttributeError):  # Windows has no such handlers
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, terminate)
    try:
        async with build.session(settings, log) as session:
            return await session.turn(words, settings.thread, front)
    except asyncio.CancelledError:
        if isinstance(front.interruption, Terminated):
            raise front.interruption from None
        raise


def _hush(options: Options, screen: Screen) -> None:
    """Keep the libraries from talking on stderr: what they say goes to the log, errors with -v to stderr too.

    Where it matters it is told by an outcome.
    """
    listen(screen, aloud=bool(options.verbose))
    if not options.verbose and not sys.warnoptions:
        warnings.simplefilter("ignore")


def _tellers(options: Options, screen: Screen) -> list[Teller]:
    logged = Logged(screen.log)
    if teller := machine_teller(options, screen):
        return [logged, teller]
    from .live import OnTerminal, Steps

    tellers: list[Teller] = [OnTerminal(screen) if screen.out_tty else InTheEnd(screen)]
    if options.verbose or (screen.err_tty and not options.quiet):
        tellers.insert(0, Steps(screen, verbose=bool(options.verbose)))
    return [logged, *tellers]
