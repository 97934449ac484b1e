"""A chat: one line after the other, each done by what does it outside a chat.

The brain is started in the background, so that typing does not stutter while it imports.
"""

from __future__ import annotations

import gc
import textwrap
import threading
from functools import partial

from ... import __version__
from ...brain.client import connect
from ...config.settings import Settings, read_settings
from ...core.concurrency import run_async
from ...core.errors import Interrupted, StoreFailed, Terminated, UsageError, attempt
from ...core.files import private_file
from ...core.text import fitting, one_line, words_in
from ...core.types import DEFAULT_THREAD, TERMINALS, Options
from ...output.library_logs import hush
from ...output.screen import Screen, is_tty, show_failure
from ..request import do_request
from ..resuming import resumed
from ..router import RequestLine
from ..work import guarded, own_thread, settings_for, wants_brain
from .commands import Commands
from .completing import Line
from .line import NothingTyped, Prompt, history_in
from .slash import CommandLine, command_of


def run_chat(options: Options, screen: Screen) -> int:
    """Chat until the person leaves; return the exit status."""

    def work() -> int:
        chosen = resumed(options, screen) if options.resume else options
        screen.clear()
        screen.is_chat = True
        settings = settings_for(chosen, screen)
        if not screen.is_at_terminal or chosen.json or chosen.ndjson:
            raise UsageError("A chat needs a terminal.", hint='Without one: jarvis "your words"')
        return _chat(chosen, settings, screen)

    return guarded(options, screen, work)


def _chat(options: Options, settings: Settings, screen: Screen) -> int:
    screen.is_chat = True
    _prepare(options, screen)
    gc.freeze()  # what is loaded now stays: no collection need look at it
    gc.enable()
    commands = Commands(settings.thread, lambda: settings_for(options, screen), screen)
    commands.model = options.model or ""
    if settings.thread.startswith(TERMINALS) and settings.thread != own_thread(screen):
        commands.title = next(
            (one_line(each.told) for each in commands.known() if each.id == settings.thread), ""
        )
    line = Line(screen.environment, options.env_file, lambda: commands.thread)
    history = history_in(_history_file(settings, screen), settings.keys(), lambda: commands.thread)
    with Prompt(screen, history, line.completed, vi=settings.editing == "vi") as prompt:
        commands.send = prompt.send_to_clipboard
        _greet(options, screen)
        return Chat(options, screen, prompt, commands).run()


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
    """The loop of a chat: a line, what it asks for, an empty line, the next one."""

    def __init__(self, options: Options, screen: Screen, prompt: Prompt, commands: Commands) -> None:
        self._options = options
        self._screen = screen
        self._prompt = prompt
        self._commands = commands

    def run(self) -> int:
        """Chat until the person leaves; return the exit status. Raises Terminated."""
        status = 0
        while not (self._commands.is_over or status == Terminated.exit_status):
            try:
                status = self._next()
            except EOFError:
                return int(not is_tty(self._screen.stdin))  # it is gone
            except KeyboardInterrupt:  # between two things that heed it
                continue
        return status if status == Terminated.exit_status else 0

    def _next(self) -> int:
        """Read a line and do it; return its exit status. Raises EOFError where the person leaves."""
        try:
            line = self._prompt.ask(self._label)
        except NothingTyped:
            self._screen.err("Ctrl-D to leave")
            return 0
        except Interrupted as reason:
            show_failure(self._screen, reason.message)
            return 0
        if not line.strip():
            return 0
        self._screen.ended = None
        status = guarded(self._options, self._screen, lambda: self._do(line))
        self._screen.end_line()
        if status == Interrupted.exit_status:
            self._prompt.hold()
        self._screen.ask("")
        return status

    @property
    def _label(self) -> str:
        thread, title = self._commands.thread, self._commands.title
        is_usual = thread in (DEFAULT_THREAD, own_thread(self._screen))
        name = title or ("" if is_usual else thread)
        return f"{fitting(name, self._screen.width // 3)}> "

    def _do(self, line: str) -> int:
        """Do *line*; return its exit status."""
        command = command_of(line)
        if command is None:
            return self._ask(line)
        if isinstance(command, CommandLine):
            return self._call(command, line)
        words = self._commands.run(*command)
        return self._ask(words) if words else 0

    def _call(self, command: CommandLine, line: str) -> int:
        """Do a command of the command line, or where it is none after all the words of *line*."""
        from ..app import Misfit  # Typer: few lines of a chat are commands

        name = command.words[0]
        if name == "ask":
            return self._ask(" ".join(command.words[1:]))
        if name == "chat":
            raise UsageError("This is a chat already.", hint="To begin a new thread: /new")
        try:
            return self._commands.call(command.words, self._options.env_file)
        except Misfit as error:
            if command.is_sure:
                raise UsageError(error.message, hint=f"/help {name}") from None
            return self._ask(line)

    def _ask(self, line: str) -> int:
        """Do what the words of *line* ask, as a request of the command line."""
        words = words_in(line)
        self._commands.asked = words
        options = self._options._replace(
            thread=self._commands.thread, continue_last=False, model=self._commands.model or None
        )
        return do_request(RequestLine((line,), options), words, self._screen)


def _prepare(options: Options, screen: Screen) -> None:
    """Start a brain in the background, or load what a turn in this process takes: it takes seconds.

    What keeps that from being done is told by the first turn.
    """
    work = _start_brain
    if not wants_brain(options, screen.environment):
        hush(options, screen.log, screen.aside)
        work = _load
    threading.Thread(target=attempt, args=(partial(work, options, screen),), daemon=True).start()


def _start_brain(options: Options, screen: Screen) -> None:
    if connection := connect(screen.environment, options.env_file, lambda _: None):
        connection.close()


def _load(options: Options, screen: Screen) -> None:
    """Build a session once, which imports all of it."""
    from ...turns import build  # as above

    async def built() -> None:
        settings = read_settings(screen.environment, env_file=options.env_file, own_thread=own_thread(screen))
        async with build.session(settings):
            pass

    run_async(built())
