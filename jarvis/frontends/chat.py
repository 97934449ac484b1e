"""A chat: turns one after the other in a terminal, with the brain in a process of its own.

What is plain is done here at once; this process never imports the stack, so that typing does not stutter.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import signal
import time
from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from .. import build
from ..aside import aside
from ..commandline import Options
from ..errors import BrainFailed, Interrupted, JarvisError, StoreFailed, Terminated, UsageError
from ..hands import here
from ..plain import understood
from ..settings import Settings, check_thread
from ..store.files import private_file
from ..text import fitting, one_line, said
from ..wire import Ask
from .child import Brain
from .listing import known_threads, show_threads
from .oneshot import do_plain, guarded, settings_for
from .screen import Screen
from .shown import show_failure
from .slash import COMMANDS, command_in

if TYPE_CHECKING:
    from ..actions.base import Action
    from ..store.threads import Thread
    from .prompt import Prompt


def run(options: Options, screen: Screen) -> int:
    """Chat until the person leaves; the exit status."""

    def work() -> int:
        screen.clear()
        settings = settings_for(options, screen)
        if not screen.is_interactive or options.json or options.ndjson:
            raise UsageError("A chat needs a terminal.", hint='Without one: jarvis "your words"')
        return asyncio.run(_chat(options, settings, screen))

    return guarded(options, screen, work)


async def _chat(options: Options, settings: Settings, screen: Screen) -> int:
    hands, pictures = build.hands(screen.environment, dry_run=options.dry_run)
    brain = Brain(options, screen, hands)
    with contextlib.suppress(BrainFailed):  # told when it is needed, if it still can't be started then
        await brain.start()
    try:
        from .prompt import Prompt  # while the brain imports far more

        with Prompt(_history_file(settings, screen), plain=screen.is_dumb) as prompt:
            return await Chat(options, settings, screen, prompt, brain, pictures).run()
    finally:
        await brain.stop()


def _history_file(settings: Settings, screen: Screen) -> str | None:
    try:
        return private_file(os.path.join(settings.folders.state, "chat_history"))
    except StoreFailed as error:
        show_failure(screen, error.message, error.hint)
        return None


class Chat:
    def __init__(
        self,
        options: Options,
        settings: Settings,
        screen: Screen,
        prompt: Prompt,
        brain: Brain,
        pictures: str,
    ) -> None:
        self._options = options._replace(thread=settings.thread, continue_last=False)
        self._settings = settings
        self._screen = screen
        self._prompt = prompt
        self._brain = brain
        self._pictures = pictures
        self._turns = 0
        self._cancel: Callable[[JarvisError], None] | None = None  # what is under way
        self._reason: JarvisError | None = None  # why the chat is to end

    async def run(self) -> int:
        """Until they leave, or it is told to end; the exit status."""
        self._handle_signals()
        while self._reason is None:
            try:
                await self._do(await self._prompt.ask(self._label))
            except EOFError:
                break
            except KeyboardInterrupt:
                self._screen.err("Ctrl-D to leave")
            except JarvisError as error:
                show_failure(self._screen, error.message, error.hint)
        return self._reason.exit_status if self._reason else 0

    @property
    def _thread(self) -> str:
        return self._options.thread or self._settings.thread

    @property
    def _label(self) -> str:
        return "> " if self._thread == "default" else f"{fitting(self._thread, self._screen.width // 3)}> "

    async def _do(self, line: str) -> None:
        """Raises EOFError where the line asks to leave, JarvisError where there is no turn to tell of."""
        if command := command_in(line):
            await self._command(*command)
        elif line.strip():
            words = said(line)
            meant = understood(words)
            with self._prompt.listening(self._interrupt):
                await (self._plainly(words, *meant) if meant else self._ask(words))

    async def _ask(self, words: str) -> None:
        self._cancel = self._brain.cancel
        try:
            await self._brain.turn(self._asked(words))
        except asyncio.CancelledError:
            raise Interrupted("Interrupted. Nothing was begun.") from None
        finally:
            self._cancel = None

    def _asked(self, words: str) -> Ask:
        screen, options = self._screen, self._options
        self._turns += 1
        return Ask(
            *(self._turns, words, "", self._thread, here(), self._pictures, screen.width),
            *(screen.out_tty, screen.err_tty, screen.out_colour, screen.err_colour),
            *(options.quiet, options.verbose, False, False),
        )

    async def _plainly(self, words: str, action: Action, arguments: Mapping[str, str]) -> None:
        screen = Screen(self._screen.environment)
        work = asyncio.ensure_future(aside(lambda: do_plain(self._options, words, screen, action, arguments)))

        def give_up(_: JarvisError) -> None:
            work.cancel()

        self._cancel = give_up
        try:
            await work
        except asyncio.CancelledError:
            screen.close()
            raise Interrupted(
                "Not waited for any longer: this may or may not have happened.",
                hint=f"See what came of it: jarvis threads show {self._thread}",
            ) from None
        finally:
            self._cancel = None

    async def _command(self, name: str, argument: str) -> None:
        match name:
            case "help":
                self._help()
            case "new":
                await self._begin(argument)
            case "threads" if argument:
                await self._go_on(argument)
            case "threads":
                show_threads(self._screen, await self._known(), now=self._thread)
            case "quit":
                raise EOFError

    def _help(self) -> None:
        self._screen.out("Say in plain words what you want, or:")
        for command in COMMANDS:
            words = f" ({', '.join(command.words)})" if command.words else ""
            self._screen.out(f"  {command.shown:<16} {command.help}{words}")
        self._screen.out("Ctrl-C stops what is under way, Alt-Enter begins a new line, Ctrl-R searches.")

    async def _begin(self, name: str) -> None:
        taken = {thread.id for thread in await self._known()}
        name = name or _free(taken)
        check_thread(name)
        if name in taken:
            raise UsageError(f"There is a thread {name} already.", hint=f"To go on in it: /threads {name}")
        self._turn_to(name, "A new thread")

    async def _go_on(self, name: str) -> None:
        if name not in {thread.id for thread in await self._known()}:
            raise UsageError(f"There is no thread {one_line(name, 64)}.", hint="To begin one: /new NAME")
        self._turn_to(name, "In the thread")

    def _turn_to(self, name: str, how: str) -> None:
        self._options = self._options._replace(thread=name)
        self._screen.err(f"{how}: {name}")

    async def _known(self) -> list[Thread]:
        return await aside(lambda: known_threads(self._settings))

    def _handle_signals(self) -> None:
        loop = asyncio.get_running_loop()
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._terminate)

    def _interrupt(self) -> None:
        if self._cancel:
            self._cancel(Interrupted("Interrupted."))
        else:
            self._prompt.interrupt()

    def _terminate(self) -> None:
        self._reason = Terminated("Terminated.")
        if self._cancel:
            self._cancel(self._reason)
        else:
            self._prompt.leave(self._reason)


def _free(taken: Collection[str]) -> str:
    """A thread's name that is not in use: the date, and a number."""
    today = time.strftime("%Y-%m-%d")
    return next(name for n in itertools.count(1) if (name := f"{today}-{n}") not in taken)
