"""A chat: turns one after the other in a terminal.

Plain commands are done here at once, others by the brain, so that typing does not stutter while it imports;
where there is none, in this process.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from ... import __version__
from ...config.settings import Settings
from ...core.errors import (
    Fault,
    Interrupted,
    JarvisError,
    StoreFailed,
    Terminated,
    UsageError,
    foreseen,
    not_installed,
)
from ...core.files import private_file
from ...core.text import fitting, words_in
from ...core.types import DEFAULT_THREAD, TERMINALS, Options
from ...desktop import hands_for
from ...output.results import show_failure
from ...output.screen import Screen
from ..resuming import resumed
from ..work import end_in_order, guarded, note_fault, own_thread, settings_for
from .commands import Commands
from .completing import Line
from .slash import CommandLine, Slash, command_of
from .turns import Turns, prepare

if TYPE_CHECKING:
    from .prompt import Prompt

_T = TypeVar("_T")


def run_chat(options: Options, screen: Screen) -> int:
    """Chat until the person leaves; return the exit status."""

    def work() -> int:
        chosen = resumed(options, screen) if options.resume else options
        screen.clear()
        screen.is_chat = True
        settings = settings_for(chosen, screen)
        if not screen.is_at_terminal or chosen.json or chosen.ndjson:
            raise UsageError("A chat needs a terminal.", hint='Without one: jarvis "your words"')
        return asyncio.run(_chat(chosen, settings, screen))

    return guarded(options, screen, work)


async def _chat(options: Options, settings: Settings, screen: Screen) -> int:
    hands = hands_for(screen.environment, dry_run=options.dry_run, cache=settings.folders.cache)
    prepare(options, screen)
    try:
        from .prompt import Prompt  # while the brain imports far more
    except ModuleNotFoundError as error:
        raise not_installed(error) from None
    gc.freeze()  # what is loaded now stays: no collection need look at it
    gc.enable()
    commands = Commands(settings.thread, lambda: settings_for(options, screen), screen)
    line = Line(screen.environment, options.env_file, lambda: commands.thread)
    is_vi = settings.editing == "vi"
    kept, keys = _history_file(settings, screen), settings.keys()
    typing = Prompt(
        *(kept, keys),
        plain=screen.is_dumb,
        vi=is_vi,
        complete=line.completed,
        thread=lambda: commands.thread,
    )
    with typing as prompt:
        commands.model = options.model or ""
        commands.send = prompt.send_to_clipboard
        turns = Turns(options, screen, hands, prompt.answer, prompt.hidden)
        _greet(options, screen)
        return await Chat(screen, prompt, turns, commands, options.env_file).run()


def _greet(options: Options, screen: Screen) -> None:
    """Tell in a line where the person is, and how to leave."""
    if not options.quiet:
        words = f"Jarvis {__version__}: say what you want. /help tells more, Ctrl-D leaves."
        told = textwrap.fill(words, screen.width)
        screen.err(f"\x1b[2m{told}\x1b[0m" if screen.err_colour else told)


def _history_file(settings: Settings, screen: Screen) -> str | None:
    try:
        return private_file(settings.folders.chat_history)
    except StoreFailed as error:
        show_failure(screen, error.message, error.hint)
        return None


class Chat:
    def __init__(
        self, screen: Screen, prompt: Prompt, turns: Turns, commands: Commands, env_file: str | None = None
    ) -> None:
        self._screen = screen
        self._prompt = prompt
        self._turns = turns
        self._commands = commands
        commands.outside = self._outside
        self._env_file = env_file
        self._reason: JarvisError | None = None  # why it is to end
        self._command: asyncio.Task[str | None] | None = None  # that is under way

    async def run(self) -> int:
        """Chat until the person leaves, or a signal ends it; return the exit status."""
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
    def _label(self) -> str:
        thread = self._commands.thread
        if thread in (DEFAULT_THREAD, own_thread(self._screen)):
            return "> "
        name = self._commands.title if thread.startswith(TERMINALS) else ""
        return f"{fitting(name or thread, self._screen.width // 3)}> "

    async def _do(self, line: str) -> None:
        """Do *line*. Raises EOFError where it asks to leave, JarvisError where no turn was begun."""
        try:
            with foreseen(EOFError):
                command, next_words = command_of(line), None
                if isinstance(command, CommandLine):
                    next_words = self._call(command, line)
                elif command:
                    with self._prompt.listening(self._interrupt):
                        next_words = await self._run(*command)
                next_words = next_words if command else line
                if next_words and next_words.strip():
                    await self._ask(words_in(next_words))
        except Fault as fault:  # it ends this line, not the chat
            note_fault(fault, self._screen, aloud=False)
            raise

    async def _ask(self, words: str) -> None:
        self._commands.asked = words
        self._turns.model = self._commands.model
        with self._prompt.listening(self._interrupt):
            await self._turns.do(words, self._commands.thread)

    def _call(self, command: CommandLine, line: str) -> str:
        """Do a command of the command line, as outside a chat; return words that are to be done instead."""
        from ..app import Misfit  # Typer: few lines of a chat are commands

        if command.words[0] == "ask":
            return " ".join(command.words[1:])
        if command.words[0] == "chat":
            raise UsageError("This is a chat already.", hint="To begin a new thread: /new")
        try:
            status = self._outside(lambda: self._commands.call(command.words, self._env_file))
        except Misfit as error:
            if command.is_sure:
                raise UsageError(error.message, hint=f"/help {command.words[0]}") from None
            return line
        if status == Terminated.exit_status:
            self._terminate()
        return ""

    def _outside(self, work: Callable[[], _T]) -> _T:
        """Return what *work* returns, which finds the terminal and Ctrl-C as it does outside a chat."""
        with self._prompt.handed_over():
            self._leave_signals()
            try:
                return work()
            except KeyboardInterrupt:  # before or after the work of a command, which tells of one by itself
                raise Interrupted("Interrupted.") from None
            except Terminated:
                self._terminate()
                raise
            finally:
                self._handle_signals()

    async def _run(self, slash: Slash, argument: str) -> str | None:
        """Run a command as a task: one that asks a server may take long, and the person may give it up.

        Return words that are to be done next, if any.
        """
        self._command = asyncio.ensure_future(self._commands.run(slash, argument))
        try:
            return await self._command
        except asyncio.CancelledError:
            raise (self._reason or Interrupted("Interrupted.")) from None
        finally:
            self._command = None

    def _leave_signals(self) -> None:
        """Have signals end the work at once, as a command expects it; the event loop hears of none."""
        if sys.platform != "win32":  # as below
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().remove_signal_handler(number)
        end_in_order()

    def _handle_signals(self) -> None:
        if sys.platform != "win32":  # it has no such handlers
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGINT, self._signalled)
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._terminate)

    def _signalled(self) -> None:
        self._prompt.hold()
        self._interrupt()

    def _interrupt(self) -> None:
        if self._turns.is_under_way:
            self._turns.cancel(Interrupted("Interrupted."))
        elif self._command:
            self._command.cancel()
        else:
            self._prompt.interrupt()

    def _terminate(self) -> None:
        self._reason = Terminated("Terminated.")
        if self._turns.is_under_way:
            self._turns.cancel(self._reason)
        elif self._command:
            self._command.cancel()
        else:
            self._prompt.leave(self._reason)
